/** What was traced, as `flowbed trace --json` prints it. */
import type { z } from 'zod';
import type { PacketIn } from '../domain/switching.js';
import type { ReportedPacket } from './report-packet.js';
import type { ReportedStep } from './script/report-step.js';
import type { answer, askedFlow, PacketDocument, step, traceReport } from './trace-report.js';
import type { LookupAnswer } from './why-not.js';

function digits(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function named({
  bridge,
  table,
  priority,
  match,
}: {
  readonly bridge: string;
  readonly table: number;
  readonly priority: number;
  readonly match: string;
}): z.infer<typeof askedFlow> {
  return { bridge, table, priority, flow: match };
}

function answerDocument(lookupAnswer: LookupAnswer): z.infer<typeof answer> {
  switch (lookupAnswer.kind) {
    case 'outranked':
      return { kind: 'outranked', by: named(lookupAnswer.by) };
    case 'no match':
      return { kind: 'no match', fields: [...lookupAnswer.fields] };
    default:
      return lookupAnswer;
  }
}

function packetInDocument({
  cookie,
  frame,
  userdata,
  ...packetIn
}: PacketIn): PacketDocument['packetIns'][number] {
  return {
    ...packetIn,
    cookie: `0x${cookie.toString(16)}`,
    frame: digits(frame),
    userdata: digits(Uint8Array.from(userdata)),
  };
}

function packetDocument({
  outputs,
  path,
  finalFlow,
  state: remembered,
  packetIns,
  reasons,
  kernel,
  refused,
  whyNot,
}: ReportedPacket): PacketDocument {
  return {
    outputs: outputs.map((one) => ({ ...one, frame: digits(one.frame) })),
    path: path.map(({ bridge, table, flow }) => ({
      bridge,
      table,
      ...(flow === undefined
        ? {}
        : { flow: flow.id.match, priority: flow.id.priority, actions: flow.actions }),
    })),
    finalFlow,
    state: {
      connections: remembered.connections.map(({ node: _, ...connection }) => connection),
      macs: remembered.macs.map(({ node: _, ...mac }) => mac),
    },
    packetIns: packetIns.map(packetInDocument),
    reasons: [...reasons],
    kernel: [...kernel],
    ...(refused === undefined ? {} : { refused }),
    ...(whyNot === undefined
      ? {}
      : { whyNot: { ...named(whyNot.flow), lookups: whyNot.lookups.map(answerDocument) } }),
  };
}

function resultDocument(
  result: ReportedStep['result'],
): Omit<z.infer<typeof step>, 'line' | 'command'> {
  switch (result.kind) {
    case 'packet':
      return { packet: packetDocument(result.packet) };
    case 'lost':
      return { lost: result.port };
    case 'unsent':
      return { unsent: result.why };
    case 'dump':
      return { dump: [...result.lines] };
    case 'done':
      return {};
    case 'refused':
      return { refused: result.why };
  }
}

export function scriptDocument(
  steps: readonly ReportedStep[],
  notes: readonly string[],
): z.infer<typeof traceReport> {
  return {
    notes: [...notes],
    steps: steps.map(({ line, text, result }) => ({
      line,
      command: text,
      ...resultDocument(result),
    })),
  };
}

export function traceDocument(
  packets: readonly ReportedPacket[],
  form: 'one packet' | 'packets',
  notes: readonly string[],
): z.infer<typeof traceReport> {
  const documents = packets.map(packetDocument);
  const [only] = documents;
  return form === 'one packet' && only !== undefined
    ? { ...only, notes: [...notes] }
    : { packets: documents, notes: [...notes] };
}
