/** What the corpus expects of a switch, held against what one did. */
import type { Random } from '../base/random.js';
import type { FlowCount, PacketIn } from '../domain/switching.js';
import { describeFrame, differingFields } from '../packet/dissect/describe-frame.js';
import { decodeEthernet } from '../packet/protocols/link/ethernet.js';
import type { Test, Throughput } from './corpus.js';
import { packetsOf } from './packets-of.js';
import { fieldsOf } from './program.js';

/** What a switch did with the packet of a case, or with the part of a stream that is measured. */
export interface ObservedCase {
  readonly outputs: readonly { readonly port: string; readonly frame: Uint8Array }[];
  readonly packetIns: readonly PacketIn[];
  readonly counts: readonly FlowCount[];
  /** Seconds of virtual time in which that part of a stream came that is measured. */
  readonly seconds: number;
}

/** The port that leads to where packets are expected. */
const egressPort = 'p2';
/** By how much the throughput may differ, as in Ryu's tester. */
const tolerance = 0.1;

/** What differs from the expected outcome, a line each. */
export function expectationFailures(
  test: Test,
  seen: ObservedCase,
  random: Random,
): readonly string[] {
  const { outputs, packetIns, counts } = seen;
  if ('table-miss' in test)
    return [
      ...unexpectedFrames(outputs),
      ...unexpectedPacketIns(packetIns),
      ...test['table-miss'].flatMap((table) => tableMissFailures(table, counts)),
    ];
  if ('PACKET_IN' in test)
    return [
      ...unexpectedFrames(outputs),
      ...onlyExpectedFrame(
        'to the controller',
        packetsOf(test.PACKET_IN, random)(),
        packetIns.map(({ frame }) => frame),
      ),
    ];
  if (isStream(test))
    return [
      ...unexpectedPacketIns(packetIns),
      ...test.egress.throughput.flatMap((wanted) => compareThroughput(wanted, seen)),
    ];
  const elsewhere = outputs.filter(({ port }) => port !== egressPort);
  return [
    ...unexpectedFrames(elsewhere),
    ...unexpectedPacketIns(packetIns),
    ...onlyExpectedFrame(
      `out of ${egressPort}`,
      packetsOf(test.egress, random)(),
      outputs.filter(({ port }) => port === egressPort).map(({ frame }) => frame),
    ),
  ];
}

export function isStream(
  test: Test,
): test is Extract<Test, { readonly ingress: { readonly packets: unknown } }> {
  return 'packets' in test.ingress;
}

function unexpectedFrames(outputs: ObservedCase['outputs']): readonly string[] {
  return outputs.map(
    ({ port, frame }) => `nothing was expected out of ${port}, got ${describeFrame(frame)}`,
  );
}

function unexpectedPacketIns(packetIns: readonly PacketIn[]): readonly string[] {
  return packetIns.map(
    ({ frame }) => `nothing was expected to the controller, got ${describeFrame(frame)}`,
  );
}

/** The packet comes to that table and matches nothing there. */
function tableMissFailures(table: number, counts: readonly FlowCount[]): readonly string[] {
  const matched = counts
    .filter(({ flow, packets }) => flow.table === table && packets > 0)
    .map(({ flow }) => `no flow of table ${table} was expected to match, got ${flow.match}`);
  const reached =
    table === 0 || counts.some(({ flow, packets }) => flow.table === table - 1 && packets > 0);
  return reached ? matched : [...matched, `the packet was expected to come to table ${table}`];
}

function onlyExpectedFrame(
  where: string,
  expected: Uint8Array,
  frames: readonly Uint8Array[],
): readonly string[] {
  const [first] = frames;
  if (first === undefined) return [`expected ${describeFrame(expected)} ${where}, got nothing`];
  const different = differingFields(expected, first);
  return [
    ...(Buffer.compare(expected, first) === 0
      ? []
      : [
          `expected ${describeFrame(expected)} ${where}, got other ` +
            different
              .map((field) => `${field.name} (${field.actual} for ${field.expected})`)
              .join(', '),
        ]),
    ...frames
      .slice(1)
      .map((frame) => `nothing else was expected ${where}, got ${describeFrame(frame)}`),
  ];
}

function compareThroughput(
  wanted: Throughput,
  { outputs, seconds }: ObservedCase,
): readonly string[] {
  const arrived = outputs
    .filter((output) =>
      fieldsOf(wanted).every(({ field, value }) => fieldIn(output, field) === value),
    )
    .map(({ frame }) => frame);
  const [unit, expected, actual] =
    'kbps' in wanted
      ? ([
          'kbit/s',
          wanted.kbps,
          arrived.reduce((sum, { length }) => sum + length * 8, 0) / 1000 / seconds,
        ] as const)
      : (['packets/s', wanted.pktps, arrived.length / seconds] as const);
  if (Math.abs(actual - expected) <= expected * tolerance) return [];
  return [
    `expected ${expected} ${unit} (±${tolerance * 100} %) with ${fieldsOf(wanted)
      .map(({ field, value }) => `${field}=${value}`)
      .join(',')}, got ${Math.round(actual)}`,
  ];
}

/**
 * A field that a throughput is asked for by; the switch behind the tested one numbers its ports as
 * that one does.
 */
function fieldIn(
  { port, frame }: ObservedCase['outputs'][number],
  field: string,
): number | undefined {
  if (field === 'in_port') return Number(port.slice(1));
  const { header, payload } = decodeEthernet(frame) ?? {};
  if (field === 'eth_type') return header?.etherType;
  if (field !== 'ip_dscp' || payload === undefined) return undefined;
  const [first = 0, second = 0] = payload;
  return first >>> 4 === 4 ? second >>> 2 : (((first & 0xf) << 4) | (second >>> 4)) >>> 2;
}
