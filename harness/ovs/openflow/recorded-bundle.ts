/**
 * What ovs-ofctl(8) sends for the lines of a bundle, so that it can be sent to other switches: it
 * is given one of this process, which takes everything in and keeps it.
 */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Image } from '../process/image.js';
import { runProgram } from '../process/run-program.js';
import { socketPath } from '../workspace/socket-path.js';
import type { Peer } from '../ovsdb/json-rpc.js';
import { connectOpenflow } from './openflow-connection.js';
import { encodeMessage, messageSplitter, types, type Message } from './openflow-messages.js';

/** Messages of OpenFlow 1.5 (section 7.3.9). */
export interface RecordedBundle {
  readonly open: Buffer;
  /** A message that adds what each line says. */
  readonly added: readonly Buffer[];
  readonly commit: Buffer;
}

let recordings = 0;

/**
 * @param options of ovs-ofctl, which must ask for OpenFlow 1.5. @param dir where the switch of this
 *   process listens. @returns undefined where ovs-ofctl refuses the lines.
 */
export async function recordBundle(
  image: Pick<Image, 'command'>,
  options: readonly string[],
  dir: string,
  lines: readonly string[],
): Promise<RecordedBundle | undefined> {
  const path = socketPath(dir, `record-${++recordings}.mgmt`);
  const messages: Message[] = [];
  const server = createServer((socket) => answer(socket, messages));
  server.listen(path);
  await once(server, 'listening');
  try {
    const { failure } = await runProgram(
      image,
      'ovs-ofctl',
      [...options, '--no-names', 'bundle', `unix:${path}`, '-'],
      lines.map((line) => `${line}\n`).join(''),
    );
    return failure === undefined ? bundleAmong(messages, lines.length) : undefined;
  } finally {
    server.close();
  }
}

/** ofp_bundle_ctrl_type. A reply has the number behind that of its request. */
const requests = { open: 0, commit: 4 } as const;

function answer(socket: Socket, messages: Message[]): void {
  const split = messageSplitter();
  const send = (type: number, xid: number, body: Uint8Array) =>
    socket.write(encodeMessage(type, xid, body, 'OpenFlow15'));
  socket.on('error', () => undefined); // how ovs-ofctl ends says why
  socket.on('data', (chunk) => {
    for (const message of split(chunk)) {
      const { type, xid, body } = message;
      messages.push(message);
      if (type === types.hello) send(types.hello, xid, Buffer.alloc(0));
      else if (type === types.echoRequest) send(types.echoReply, xid, body);
      else if (type === types.barrierRequest) send(types.barrierReply, xid, Buffer.alloc(0));
      else if (type === types.bundleControl) {
        const reply = Buffer.from(body);
        reply.writeUInt16BE(body.readUInt16BE(4) + 1, 4);
        send(types.bundleControl, xid, reply);
      } else if (type !== types.bundleAdd) socket.destroy(); // it would wait for an answer
    }
  });
}

function bundleAmong(messages: readonly Message[], lines: number): RecordedBundle | undefined {
  const control = (request: number) =>
    messages.find(
      ({ type, body }) => type === types.bundleControl && body.readUInt16BE(4) === request,
    )?.bytes;
  const [open, commit] = [control(requests.open), control(requests.commit)];
  const added = messages
    .filter(({ type }) => type === types.bundleAdd)
    .map(({ bytes }) => Buffer.from(bytes));
  return open === undefined || commit === undefined || added.length !== lines
    ? undefined
    : { open, added, commit };
}

/** Whole bundles, one after the other. */
export interface EncodedBundles {
  readonly messages: Buffer;
  readonly count: number;
}

/**
 * Sends messages of `encode` of a BundleEncoder. @returns how many flows the bridge holds then;
 * undefined where the switch has not taken all of the bundles.
 */
export async function sendBundles(
  path: string,
  peer: Peer,
  bundles: EncodedBundles,
): Promise<number | undefined> {
  const connection = await connectForBundles(path, peer);
  try {
    return await connection.send(bundles);
  } finally {
    connection.close();
  }
}

/** For one piece of work after the other. */
export interface BundleConnection {
  /** As `sendBundles`. @throws Unavailable once the switch has hung up. */
  send(bundles: EncodedBundles): Promise<number | undefined>;
  close(): void;
}

/** @throws Unavailable where nobody is there. */
export async function connectForBundles(path: string, peer: Peer): Promise<BundleConnection> {
  let [isRefused, committed, flows] = [false, 0, 0];
  const connection = await connectOpenflow(path, peer, 'OpenFlow15', ({ type, body }) => {
    if (type === types.error) isRefused = true;
    if (type === types.bundleControl && body.readUInt16BE(4) === requests.commit + 1) committed++;
    if (type === types.multipartReply) flows += flowsIn(body);
  });
  return {
    send: async ({ messages, count }) => {
      [isRefused, committed, flows] = [false, 0, 0];
      connection.send(messages);
      connection.send(askForTables);
      await connection.barrier();
      return committed === count && !isRefused ? flows : undefined;
    },
    close: () => connection.close(),
  };
}

/** OFPMP_TABLE (section 7.3.5.3). */
const tables = 3;
const multipartHeaderBytes = 8;
const askForTables = encodeMessage(
  types.multipartRequest,
  0,
  Buffer.from([0, tables, 0, 0, 0, 0, 0, 0]),
  'OpenFlow15',
);

/** The sum of active_count of the tables in a reply (ofp_table_stats). */
function flowsIn(reply: Buffer): number {
  let sum = 0;
  for (let at = multipartHeaderBytes; at + tableBytes <= reply.length; at += tableBytes)
    sum += reply.readUInt32BE(at + 4);
  return sum;
}

const tableBytes = 24;
