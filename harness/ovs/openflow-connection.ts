/** A controller that listens at a bridge: an OpenFlow connection to its management socket. */
import { connect } from 'node:net';
import { once } from 'node:events';
import { withDeadline } from '../base/deadline.js';
import { Unavailable } from '../base/errors.js';
import type { Peer } from './json-rpc.js';
import { encodeExtension, encodeListening, encodeMessage, messageSplitter, readPacketIn, subtypes, types, type Message, type ToldPacket } from './openflow-messages.js';

export interface Listener {
  /** Settles when the switch has dealt with all that was sent before, and all that it had told until then has come. */
  barrier(): Promise<void>;
  /** Lets packets that wait go on. */
  resume(packets: readonly ToldPacket[]): void;
  /** What was told since it was last asked, in order. */
  take(): readonly ToldPacket[];
  close(): void;
}

const answerLimitMs = 10_000;

/**
 * Connects to the socket at `path` as the controller with connection id `id`, and returns when the switch knows it.
 * @throws Unavailable when nobody is there, or the switch refuses a message.
 */
export async function connectListener(path: string, id: number, peer: Peer): Promise<Listener> {
  const socket = connect(path);
  await once(socket, 'connect').catch((error: unknown) => { throw new Unavailable(`${peer.name} does not answer at ${path}: ${String(error)}`); });
  const split = messageSplitter();
  const told: ToldPacket[] = [];
  const barriers = new Map<number, { done(): void; failed(cause: Unavailable): void }>();
  let xid = 0;
  let ended: Unavailable | undefined;

  const end = (cause: Unavailable) => {
    ended ??= cause;
    for (const { failed } of barriers.values()) failed(ended);
    barriers.clear();
    socket.destroy();
  };
  const receive = (message: Message) => {
    if (message.type === types.echoRequest) socket.write(encodeMessage(types.echoReply, message.xid, message.body));
    if (message.type === types.error) throw new Unavailable(`${peer.name} refuses a message of a controller: ${message.body.toString('hex')}`);
    if (message.subtype === subtypes.packetIn2) told.push(readPacketIn(message.body));
    if (message.type === types.barrierReply) barriers.get(message.xid)?.done();
  };
  socket.on('data', (chunk) => {
    try {
      for (const message of split(chunk)) receive(message);
    } catch (error) {
      end(error instanceof Unavailable ? error : new Unavailable(`${peer.name} speaks OpenFlow in words that are not known: ${String(error)}`));
    }
  });
  socket.on('error', () => undefined); // 'close' follows
  socket.on('close', () => void peer.whyEnded().then(end));

  const barrier = async () => {
    if (ended !== undefined) throw ended;
    const id = ++xid;
    const answered = new Promise<void>((done, failed) => barriers.set(id, { done, failed }));
    socket.write(encodeMessage(types.barrierRequest, id));
    await withDeadline(answered, answerLimitMs, `${peer.name} to answer a controller`).finally(() => barriers.delete(id));
  };
  socket.write(encodeListening(id));
  await barrier();
  return {
    barrier,
    resume: (packets) => {
      for (const { resume } of packets) if (resume !== undefined) socket.write(encodeExtension(subtypes.resume, 0, resume));
    },
    take: () => told.splice(0),
    close: () => end(new Unavailable(`the connection to ${peer.name} is closed`)),
  };
}
