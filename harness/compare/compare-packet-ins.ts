/** Packet-ins of every controller, in its order, the model's against the switch's. */
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { PacketIn } from '../domain/switching.js';
import type { Count } from '../domain/verdict.js';
import { describeFrame, differingFields } from '../packet/dissect/describe-frame.js';

/** One packet-in that is missing, unexpected or different; `fields` names what differs. */
export interface PacketInDifference {
  readonly kind: 'missing' | 'unexpected' | 'different';
  readonly bridge: string;
  readonly controller: number;
  readonly fields: readonly string[];
  readonly expected: string;
  readonly actual: string;
}

/**
 * One comparison a packet-in of either side; bridges and controllers are compared one by one, since
 * no order holds between them.
 * @param bridges with the controllers that listen: packet-ins to others are not expected.
 */
export function comparePacketIns(
  bridges: readonly BridgePlan[],
  expected: readonly PacketIn[],
  actual: readonly PacketIn[],
): { readonly differences: readonly PacketInDifference[]; readonly count: Count } {
  const compared = bridges.flatMap(({ name, controllers = [] }) =>
    controllers.map(({ id }) => {
      const packetInsFor = (packets: readonly PacketIn[]) =>
        packets.filter(({ bridge, controller }) => bridge === name && controller === id);
      return compareOrdered(packetInsFor(expected), packetInsFor(actual));
    }),
  );
  const made = compared.reduce((sum, part) => sum + part.made, 0);
  return {
    differences: compared.flatMap(({ differences }) => differences),
    count: { expected: made, made, skipped: 0 },
  };
}

/**
 * What stands alike at the end is the same; before it, the first is compared with the first and so
 * on.
 */
function compareOrdered(
  expected: readonly PacketIn[],
  actual: readonly PacketIn[],
): { readonly differences: readonly PacketInDifference[]; readonly made: number } {
  const made = Math.max(expected.length, actual.length);
  let commonTail = 0;
  while (
    commonTail < made &&
    compareOne(expected.at(-1 - commonTail), actual.at(-1 - commonTail)).length === 0
  )
    commonTail++;
  const before = (packetInsFor: readonly PacketIn[]) =>
    packetInsFor.slice(0, packetInsFor.length - commonTail);
  const [wanted, seen] = [before(expected), before(actual)];
  return {
    made,
    differences: Array.from({ length: made }, (_, place) =>
      compareOne(wanted[place], seen[place]),
    ).flat(),
  };
}

function compareOne(
  expected: PacketIn | undefined,
  actual: PacketIn | undefined,
): readonly PacketInDifference[] {
  const one = expected ?? actual;
  if (one === undefined) return [];
  const fields =
    expected === undefined || actual === undefined ? [] : differences(expected, actual);
  const kind =
    expected === undefined ? 'unexpected' : actual === undefined ? 'missing' : 'different';
  if (kind === 'different' && fields.length === 0) return [];
  return [
    {
      kind,
      bridge: one.bridge,
      controller: one.controller,
      fields,
      expected: describePacketIn(expected),
      actual: describePacketIn(actual),
    },
  ];
}

const plainFields = ['reason', 'table', 'cookie', 'length', 'metadata', 'paused'] as const;

/** What differs, fields of the frame by the names of its headers. */
function differences(a: PacketIn, b: PacketIn): readonly string[] {
  return [
    ...plainFields.filter((name) => a[name] !== b[name]),
    ...(a.userdata.join('.') === b.userdata.join('.') ? [] : ['userdata']),
    ...differingFields(a.frame, b.frame).map(({ name }) => name),
  ];
}

/**
 * `table 1, cookie 0x99, reg0=0x7,in_port=1 (action), userdata 01.02, waits: 0a:… > 0a:… IPv4 …`
 */
export function describePacketIn(packet: PacketIn | undefined): string {
  if (packet === undefined) return 'nothing';
  const { table, cookie, metadata, reason, userdata, paused, frame, length } = packet;
  const data =
    userdata.length === 0
      ? ''
      : `, userdata ${userdata.map((byte) => byte.toString(16).padStart(2, '0')).join('.')}`;
  const cut = frame.length === length ? '' : `, ${frame.length} of ${length} bytes`;
  return (
    `table ${table}, cookie 0x${cookie.toString(16)}, ${metadata} ` +
    `(${reason})${data}${paused ? ', waits' : ''}${cut}: ${describeFrame(frame)}`
  );
}
