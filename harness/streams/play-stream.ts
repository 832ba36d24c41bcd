/** One stream between two pods of a real cluster, and what was seen of it on its way. */
import { createInterface } from 'node:readline';
import { withDeadline } from '../base/concurrency/deadline.js';
import { spawnPerl } from './spawn-perl.js';
import { Unavailable } from '../base/errors/errors.js';
import { dataOf, framesOf, type DataPacket, type StreamEnds } from './captured.js';
import type { RealCluster } from './open-real-cluster.js';
import { captureProgram, receiverProgram, senderProgram } from './stream-program.js';

/** A stream from a pod to another one. */
export interface StreamRequest extends StreamEnds {
  readonly sender: string;
  readonly receiver: string;
  readonly senderNode: string;
  readonly bytes: number;
  /** Of a datagram. */
  readonly datagramBytes: number;
}

export interface PlayedStream {
  /** As the receiver has counted. */
  readonly receivedBytes: number;
  /** Segments that the sender's kernel has sent again. */
  readonly sentAgain: number;
  /** The stream's data as it left the sender, came out of the link, and arrived. */
  readonly sent: readonly DataPacket[];
  readonly onLink: readonly DataPacket[];
  readonly arrived: readonly DataPacket[];
}

/** In a world of virtual time it passes at once where nothing else is to happen. */
const limitMs = 600_000;
const port = 5201;
/** Enough for all headers. */
const capturedBytes = 160;

/** @throws Unavailable when one of its programs fails or does not end. */
export async function playStream(
  cluster: RealCluster,
  request: StreamRequest,
): Promise<PlayedStream> {
  const { sender, receiver, protocol, from, to, bytes, datagramBytes } = request;
  const [senderPlace, receiverPlace] = [cluster.placeOf(sender), cluster.placeOf(receiver)];
  const capture = (place: number, device: string) =>
    start(`the capture at ${device}`, place, captureProgram, [device, String(capturedBytes)]);
  const captures = [
    capture(senderPlace, 'eth0'),
    capture(cluster.underlay, request.senderNode),
    capture(receiverPlace, 'eth0'),
  ] as const;
  const listening = start(`receiver ${receiver}`, receiverPlace, receiverProgram, [
    protocol,
    to,
    String(port),
  ]);
  const started = [...captures, listening];
  try {
    for (const program of started) await program.ready();
    const speaking = start(`sender ${sender}`, senderPlace, senderProgram, [
      protocol,
      from,
      to,
      String(port),
      String(bytes),
      String(datagramBytes),
    ]);
    started.push(speaking);
    const [[, again], [received]] = await Promise.all([speaking.done(), listening.done()]);
    for (const one of captures) one.end();
    const [atSender, onLink, atReceiver] = await Promise.all(
      captures.map(async (one) => {
        await one.done();
        return framesOf(one.name, one.lines);
      }),
    );
    return {
      receivedBytes: received,
      sentAgain: again,
      sent: dataOf(atSender ?? [], 'out', request),
      onLink: dataOf(onLink ?? [], 'in', request),
      arrived: dataOf(atReceiver ?? [], 'in', request),
    };
  } finally {
    for (const program of started) program.kill();
  }
}

interface Program {
  readonly name: string;
  ready(): Promise<void>;
  /** The two numbers that it ends with. */
  done(): Promise<readonly [number, number]>;
  /** What it has printed. */
  readonly lines: readonly string[];
  end(): void;
  kill(): void;
}

function start(name: string, place: number, program: string, args: readonly string[]): Program {
  const { child, complaints } = spawnPerl(place, program, args);
  const lines: string[] = [];
  let isReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  const done = new Promise<readonly [number, number]>((resolve, reject) => {
    const gone = (how: string) => reject(new Unavailable(`${name} ${how}`, [], complaints()));
    child.once('error', (error) => gone(`cannot be started: ${error.message}`));
    child.once('close', (code) => gone(`ended with ${code} before it was done`));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, first, second] = /^done (\d+) (\d+)$/.exec(line) ?? [];
      lines.push(line);
      if (line === 'ready') isReady();
      if (first !== undefined) resolve([Number(first), Number(second)]);
    });
  });
  done.catch(() => undefined); // whoever waits for it gets it
  return {
    name,
    ready: () =>
      withDeadline(Promise.race([ready, done.then(() => undefined)]), limitMs, `${name} to start`),
    done: () => withDeadline(done, limitMs, `${name} to end`),
    lines,
    end: () => child.stdin.end(),
    kill: () => void child.kill('SIGKILL'),
  };
}
