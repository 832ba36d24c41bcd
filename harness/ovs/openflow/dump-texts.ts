/**
 * What ovs-ofctl(8) prints of what a bridge holds. The program is large, and would be started again
 * and again to print what it has printed before. So a connection of this process asks for the same,
 * and ovs-ofctl is started only for other bytes than those. Sections are those of the OpenFlow 1.5
 * specification.
 */
import { createHash } from 'node:crypto';
import { Unavailable } from '../../base/errors/errors.js';
import type { Image } from '../process/image.js';
import { runEach } from '../process/run-program.js';
import { managementSocket } from '../workspace/socket-path.js';
import { connectOpenflow } from './openflow-connection.js';
import { encodeMessage, subtypes, types, type Message } from './openflow-messages.js';
import { withoutStatistics } from './flow-descriptions.js';

/** What of a bridge; `flows` are without statistics, and ports are numbers. */
export type DumpKind = 'flows' | 'groups' | 'meters' | 'tlv-map';

export interface DumpPlace {
  /** Where its management socket lies. */
  readonly runDir: string;
  readonly bridge: string;
}

export interface DumpTexts {
  /** What ovs-ofctl prints of each of `kinds`, in their order; a place after the other. */
  readonly texts: readonly (readonly string[])[];
  /** The last words of ovs-ofctl, where it has failed: then texts are missing. */
  readonly failure: string | undefined;
}

interface Dumper {
  readonly args: readonly string[];
  readonly request: Buffer;
  isReply(message: Message): boolean;
  /** What decides what is printed. @returns undefined where it is not known. */
  printed(replies: Buffer): Buffer | undefined;
}

/** Section 7.3.5; openflow/nicira-ext.h. A reply has the number of its request. */
const multiparts = { flows: 1, groups: 7, meters: 10 } as const;
const multipartHeaderBytes = 8;
const any = 'ffffffff';
const allGroups = 'fffffffc';

const dumpers: Readonly<Record<DumpKind, Dumper>> = {
  // ofp_flow_desc_request (section 7.3.5.2): of all tables, to any port and group, any match.
  flows: multipartDumper(
    'flows',
    ['--no-stats', '--no-names', 'dump-flows'],
    `ff000000${any}${any}00000000${'00'.repeat(16)}0001000400000000`,
    withoutStatistics,
  ),
  groups: multipartDumper('groups', ['--no-names', 'dump-groups'], `${allGroups}00000000`),
  meters: multipartDumper('meters', ['dump-meters'], `${any}00000000`),
  'tlv-map': {
    args: ['dump-tlv-map'],
    request: encodeMessage(
      types.experimenter,
      0,
      Buffer.from(`00002320${subtypes.tlvTableRequest.toString(16).padStart(8, '0')}`, 'hex'),
      'OpenFlow15',
    ),
    isReply: ({ subtype }) => subtype === subtypes.tlvTableReply,
    printed: (replies) => replies,
  },
};

function multipartDumper(
  kind: keyof typeof multiparts,
  args: readonly string[],
  body: string,
  printed: Dumper['printed'] = (replies) => replies,
): Dumper {
  const header = Buffer.from([0, multiparts[kind], 0, 0, 0, 0, 0, 0]);
  return {
    args,
    request: encodeMessage(
      types.multipartRequest,
      0,
      Buffer.concat([header, Buffer.from(body, 'hex')]),
      'OpenFlow15',
    ),
    isReply: ({ type, body }) =>
      type === types.multipartReply && body.readUInt16BE(0) === multiparts[kind],
    printed,
  };
}

/** By what decides them. In the order of their last use. */
const printed = new Map<string, string>();
let printedLength = 0;
/** In characters: a large program is some hundred thousand of them. */
const mostPrinted = 2 ** 25;

/**
 * @param options of ovs-ofctl, which must ask for OpenFlow 1.5.
 * @throws Unavailable when nobody answers, or the machine refuses to start ovs-ofctl.
 */
export async function dumpTexts(
  image: Image,
  options: readonly string[],
  places: readonly DumpPlace[],
  kinds: readonly DumpKind[],
): Promise<DumpTexts> {
  const read = () => Promise.all(places.map((place) => keysOf(image, place, kinds)));
  const keys = await read();
  const wanted = keys.flatMap((ofPlace, place) =>
    ofPlace.flatMap((key, kind) =>
      key !== undefined && printed.has(key) ? [] : [{ place, kind, key }],
    ),
  );
  const found = keys.map((ofPlace) =>
    ofPlace.map((key) => (key === undefined ? '' : (textOf(key) ?? ''))),
  );
  if (wanted.length === 0) return { texts: found, failure: undefined };
  const { stdouts, failure } = await runEach(
    image,
    'ovs-ofctl',
    wanted.map(({ place, kind }) => callOf(options, places[place], kinds[kind])),
  );
  if (failure !== undefined) return { texts: [], failure };
  const then = await read();
  for (const [index, { place, kind, key }] of wanted.entries()) {
    const text = stdouts[index] ?? '';
    const ofPlace = found[place];
    if (ofPlace !== undefined) ofPlace[kind] = text;
    // What changed while it was printed may be what was printed, or not.
    if (key !== undefined && then[place]?.[kind] === key) keep(key, text);
  }
  return { texts: found, failure: undefined };
}

function callOf(
  options: readonly string[],
  place: DumpPlace | undefined,
  kind: DumpKind | undefined,
): readonly string[] {
  if (place === undefined || kind === undefined) return [];
  const target = `unix:${managementSocket(place.runDir, place.bridge)}`;
  return [...options, ...dumpers[kind].args, target];
}

function textOf(key: string): string | undefined {
  const text = printed.get(key);
  if (text === undefined) return undefined;
  printed.delete(key);
  printed.set(key, text);
  return text;
}

function keep(key: string, text: string): void {
  printedLength += text.length - (printed.get(key)?.length ?? 0);
  printed.set(key, text);
  for (const [oldest, { length }] of printed) {
    if (printedLength <= mostPrinted) break;
    printed.delete(oldest);
    printedLength -= length;
  }
}

/**
 * Of what a bridge holds; undefined where the switch refuses to say it.
 * @throws Unavailable when nobody answers: then nobody answers ovs-ofctl, either.
 */
async function keysOf(
  image: Image,
  { runDir, bridge }: DumpPlace,
  kinds: readonly DumpKind[],
): Promise<readonly (string | undefined)[]> {
  const replies = new Map<DumpKind, Buffer[]>(kinds.map((kind) => [kind, []]));
  let isRefused = false;
  const connection = await connectOpenflow(
    managementSocket(runDir, bridge),
    { name: bridge, whyEnded: () => Promise.resolve(new Unavailable(`${bridge} hangs up`)) },
    'OpenFlow15',
    (message) => {
      if (message.type === types.error) isRefused = true;
      for (const [kind, parts] of replies)
        if (dumpers[kind].isReply(message)) parts.push(bodyOf(message));
    },
  );
  try {
    connection.send(Buffer.concat(kinds.map((kind) => dumpers[kind].request)));
    await connection.barrier();
  } finally {
    connection.close();
  }
  return kinds.map((kind) => {
    const parts = replies.get(kind) ?? [];
    if (isRefused || parts.length === 0) return undefined;
    const bytes = dumpers[kind].printed(Buffer.concat(parts));
    return bytes === undefined
      ? undefined
      : createHash('sha256')
          .update(`${image.name} ${image.digest} ${kind} `)
          .update(bytes)
          .digest('base64');
  });
}

function bodyOf({ type, body }: Message): Buffer {
  return type === types.multipartReply ? body.subarray(multipartHeaderBytes) : body;
}
