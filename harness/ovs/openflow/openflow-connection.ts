/** An OpenFlow connection to a bridge's management socket. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { giveUpMs, withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';
import type { Peer } from '../ovsdb/json-rpc.js';
import {
  encodeExtension,
  encodeListening,
  encodeMessage,
  messageSplitter,
  readPacketIn,
  subtypes,
  types,
  type Message,
  type DecodedPacketIn,
  type Version,
} from './openflow-messages.js';

export interface OpenflowConnection {
  /** Whole messages of the connection's version. */
  send(bytes: Uint8Array): void;
  /**
   * Resolves when the switch has handled all that was sent before, and all packet-ins that it had
   * sent until then have come.
   */
  barrier(): Promise<void>;
  close(): void;
}

const answerLimitMs = giveUpMs;

/**
 * Connects to the socket at `path`.
 * @param receive gets every message but those that keep the connection alive. What it throws ends
 *   the connection.
 * @throws Unavailable when nobody is there.
 */
export async function connectOpenflow(
  path: string,
  peer: Peer,
  version: Version,
  receive: (message: Message) => void,
): Promise<OpenflowConnection> {
  const socket = connect(path);
  await once(socket, 'connect').catch((error: unknown) => {
    throw new Unavailable(`${peer.name} does not answer at ${path}: ${String(error)}`);
  });
  const split = messageSplitter();
  const barriers = new Map<number, { done(): void; failed(cause: Unavailable): void }>();
  let lastXid = 0;
  let ended: Unavailable | undefined;

  const end = (cause: Unavailable) => {
    ended ??= cause;
    for (const { failed } of barriers.values()) failed(ended);
    barriers.clear();
    socket.destroy();
  };
  const dispatch = (message: Message) => {
    if (message.type === types.echoRequest)
      socket.write(encodeMessage(types.echoReply, message.xid, message.body, version));
    else if (message.type === types.barrierReply) barriers.get(message.xid)?.done();
    else receive(message);
  };
  socket.on('data', (chunk) => {
    try {
      for (const message of split(chunk)) dispatch(message);
    } catch (error) {
      end(
        error instanceof Unavailable
          ? error
          : new Unavailable(
              `${peer.name} speaks OpenFlow in words that are not known: ${String(error)}`,
            ),
      );
    }
  });
  socket.on('error', () => undefined); // 'close' follows
  socket.on('close', () => void peer.whyEnded().then(end));
  socket.write(encodeMessage(types.hello, 0, new Uint8Array(), version));
  return {
    send: (bytes) => void socket.write(bytes),
    barrier: async () => {
      if (ended !== undefined) throw ended;
      const xid = ++lastXid;
      const answered = new Promise<void>((done, failed) => barriers.set(xid, { done, failed }));
      socket.write(encodeMessage(types.barrierRequest, xid, new Uint8Array(), version));
      await withDeadline(answered, answerLimitMs, `${peer.name} to answer a controller`).finally(
        () => barriers.delete(xid),
      );
    },
    close: () => end(new Unavailable(`the connection to ${peer.name} is closed`)),
  };
}

/** A controller that receives packet-ins. */
export interface Listener extends Pick<OpenflowConnection, 'barrier' | 'close'> {
  /** Lets packets that wait go on. */
  resume(packets: readonly DecodedPacketIn[]): void;
  /** Packet-ins since the last call, in order. */
  take(): readonly DecodedPacketIn[];
}

/**
 * Connects as the controller with connection id `id`, and returns when the switch knows it.
 * @throws Unavailable when nobody is there, or the switch refuses a message.
 */
export async function connectListener(
  path: string,
  id: number,
  peer: Peer,
  fragments?: 'drop' | 'nx-match',
): Promise<Listener> {
  const packetIns: DecodedPacketIn[] = [];
  const connection = await connectOpenflow(path, peer, 'OpenFlow14', ({ type, subtype, body }) => {
    if (type === types.error)
      throw new Unavailable(
        `${peer.name} refuses a message of a controller: ${body.toString('hex')}`,
      );
    if (subtype === subtypes.packetIn2) packetIns.push(readPacketIn(body));
  });
  connection.send(encodeListening(id, fragments));
  await connection.barrier();
  return {
    ...connection,
    resume: (packets) => {
      for (const { resume } of packets)
        if (resume !== undefined) connection.send(encodeExtension(subtypes.resume, 0, resume));
    },
    take: () => packetIns.splice(0),
  };
}
