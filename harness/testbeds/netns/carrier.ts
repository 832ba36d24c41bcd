/** A node's network namespaces, and the frames that cross devices in them. */
import { spawn } from 'node:child_process';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';
import { runSystemProgram } from './run-system-program.js';
import { ahead } from '../../ovs/process/ahead.js';
import { withParentDeathSignal } from '../../ovs/process/parent-death-signal.js';
import { supervisorMark } from '../../ovs/process/supervisor.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import { carrierProgram, messages } from './carrier-program.js';

export interface Carrier {
  /** The process that holds the node's namespace. */
  readonly pid: number;
  /** Makes a namespace more, and gives the process that holds it. */
  namespace(): Promise<number>;
  /**
   * Brings a device up and takes the frames that come in at it.
   * @param place the process that holds its namespace.
   * @returns the device's number.
   */
  attach(wire: number, place: number | 'the node', device: string, mtu?: number): Promise<number>;
  detach(wire: number): Promise<void>;
  send(wire: number, frame: Uint8Array): void;
  /** Resolves once all frames have been given away that had come by now. */
  sync(): Promise<void>;
  /**
   * So much time of the kernel passes: its tracker knows no other. In a world of virtual time it
   * passes at once.
   */
  pass(ms: number): Promise<void>;
  /** Runs a program in the namespace of the node; what it prints. */
  run(command: readonly [string, ...string[]], input?: string): Promise<string>;
  /** The same in the namespace that a process holds. */
  runIn(pid: number, command: readonly [string, ...string[]], input?: string): Promise<string>;
  close(): Promise<void>;
}

const limitMs = 20_000;

/** A node's network namespace: a new one, or that of a process. */
export type NodeNamespace = 'a new one' | { readonly of: number };

/**
 * @param onFrame gets each frame that came in at an attached device.
 * @throws Unavailable where this machine makes no namespaces for this user.
 */
export async function startCarrier(
  owner: string,
  onFrame: (wire: number, frame: Uint8Array) => void,
  namespace: NodeNamespace = 'a new one',
): Promise<Carrier> {
  const child = spawnCarrier(namespace);
  let said = '';
  let failure: Unavailable | undefined;
  const waiting: {
    readonly kind: number;
    readonly wire: number;
    resolve(data: string): void;
    reject(error: Unavailable): void;
  }[] = [];
  const fail = (why: string) => {
    failure ??= new Unavailable(`${owner}: ${why}`, [
      'network namespaces need root: ./flowbed doctor lists what is missing',
    ]);
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
  child.stdin.on('error', () => undefined); // its end follows
  child.once('error', (error) => fail(`its namespaces cannot be made: ${error.message}`));
  const exited = new Promise<void>((resolve) => {
    child.once('close', () => {
      fail(`the program that holds its namespaces has ended: ${said.trim()}`);
      resolve();
    });
  });
  const answer = (kind: number, wire: number, data: Buffer) => {
    if (kind === messages.frame) return onFrame(wire, Uint8Array.from(data));
    if (kind === messages.refused)
      return fail(`its network refuses: ${data.toString('utf8').trim()}`);
    const at = waiting.findIndex((one) => one.kind === kind && one.wire === wire);
    waiting.splice(at, 1)[0]?.resolve(data.toString('utf8'));
  };
  readMessages(child.stdout, answer);
  const awaited = (kind: number, wire: number, ms = 0) =>
    withDeadline(
      new Promise<string>((resolve, reject) => {
        if (failure === undefined) waiting.push({ kind, wire, resolve, reject });
        else reject(failure);
      }),
      limitMs + 2 * ms,
      `${owner} to answer for its namespaces`,
    );
  const write = (kind: number, wire: number, data: Uint8Array | string) =>
    child.stdin.write(messageOf(kind, wire, data));
  const ask = async (kind: number, wire: number, data = '', ms = 0) => {
    const answered = awaited(kind, wire, ms);
    write(kind, wire, data);
    return await answered;
  };
  const close = async () => {
    child.kill('SIGKILL'); // nothing of it is to be kept, and one that hangs reads no end
    await withDeadline(exited, limitMs, `${owner} to give up its namespaces`);
  };
  try {
    const pid = Number(await awaited(messages.namespace, 0));
    return {
      pid,
      namespace: async () => Number(await ask(messages.namespace, 0)),
      attach: async (wire, place, device, mtu = 0) =>
        Number(
          await ask(messages.attach, wire, `${place === 'the node' ? 0 : place} ${device} ${mtu}`),
        ),
      detach: async (wire) => void (await ask(messages.detach, wire)),
      send: (wire, frame) => void write(messages.frame, wire, frame),
      sync: async () => void (await ask(messages.sync, 0)),
      pass: async (ms) => void (ms > 0 && (await ask(messages.pass, 0, String(ms), ms))),
      run: (command, input) => runSystemProgram(owner, inNamespace(pid, command), input),
      runIn: (holder, command, input) =>
        runSystemProgram(owner, inNamespace(holder, command), input),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In the network namespace that is the node's. */
function spawnCarrier(namespace: NodeNamespace) {
  const program = [systemProgram('perl'), '-e', carrierProgram] as const;
  const [file, ...args] = withParentDeathSignal(
    process.pid,
    ahead(
      namespace === 'a new one'
        ? [systemProgram('unshare'), '--net', '--', ...program]
        : inNamespace(namespace.of, program),
    ),
  );
  return spawn(file, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C' },
  });
}

/** A program as it is started in the network namespace of a process. */
export function inNamespace(
  pid: number,
  [file, ...args]: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return [systemProgram('nsenter'), `--net=/proc/${pid}/ns/net`, '--', file, ...args];
}

function messageOf(kind: number, wire: number, data: Uint8Array | string): Buffer {
  const body = Buffer.from(data);
  const head = Buffer.alloc(7);
  head.writeUInt8(kind, 0);
  head.writeUInt16BE(wire, 1);
  head.writeUInt32BE(body.length, 3);
  return Buffer.concat([head, body]);
}

function readMessages(
  stream: NodeJS.ReadableStream,
  take: (kind: number, wire: number, data: Buffer) => void,
): void {
  let rest: Buffer = Buffer.alloc(0);
  stream.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 7 && rest.length >= 7 + rest.readUInt32BE(3)) {
      const end = 7 + rest.readUInt32BE(3);
      take(rest.readUInt8(0), rest.readUInt16BE(1), rest.subarray(7, end));
      rest = rest.subarray(end);
    }
  });
}
