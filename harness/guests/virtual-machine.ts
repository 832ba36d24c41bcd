/** A guest of QEMU as an ordinary process of this user: no KVM, no tap device, no root. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { GuestImage } from '../../images/guest/guest-image.js';
import { withDeadline } from '../base/concurrency/deadline.js';
import { Unavailable } from '../base/errors/errors.js';
import { withParentDeathSignal } from '../ovs/process/parent-death-signal.js';
import { supervisorMark } from '../ovs/process/supervisor.js';
import { socketPath } from '../ovs/workspace/socket-path.js';
import { listenFrames, type FrameSocket } from '../testbeds/sim/traffic/frame-socket.js';
import { listenQmp, type Qmp } from './qmp.js';

export interface GuestSpec {
  /** Unique in `dir`. */
  readonly name: string;
  /** Where its sockets are. */
  readonly dir: string;
  readonly mac: string;
  /** What its first program has in its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** It waits for another one's memory to come from there, and runs on with that. */
  readonly incoming?: string;
  readonly onFrames: (frames: readonly Uint8Array[]) => void;
}

export interface VirtualMachine {
  readonly qmp: Qmp;
  /** Its network card: what is sent comes in at it. */
  readonly card: FrameSocket;
  /** What it has said on its console. */
  readonly said: readonly string[];
  /** Types a line on its console. */
  type(line: string): void;
  /** Resolves once it has said a line that begins so. */
  hasSaid(beginning: string): Promise<void>;
  /** Resolves or rejects as `work` does. @throws Unavailable at once when QEMU ends. */
  whileRunning<T>(work: Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Of memory, MiB. */
const memory = 96;
/** Of QEMU's card on the socket (qemu(1), -netdev stream). */
const cardLengthBytes = 4;
const startLimitMs = 120_000;
const endLimitMs = 5_000;
const lastLines = 15;

/** @throws Unavailable with the last lines of its console when QEMU ends before it answers. */
export async function startGuest(image: GuestImage, spec: GuestSpec): Promise<VirtualMachine> {
  const { name, dir, onFrames } = spec;
  const [cardPath, qmpPath] = [socketPath(dir, name, '.card'), socketPath(dir, name, '.qmp')];
  const card = await listenFrames(cardPath, cardLengthBytes, onFrames);
  const control = await listenQmp(qmpPath);
  const [file, ...args] = withParentDeathSignal(process.pid, [
    ...image.qemu,
    ...argumentsOf(image, spec, cardPath, qmpPath),
  ]);
  const child = spawn(file, args, {
    cwd: dir,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...supervisorMark(), PATH: process.env['PATH'], LC_ALL: 'C' },
  });
  child.stdin.on('error', () => undefined); // its end follows
  const said: string[] = [];
  const waiting: { readonly beginning: string; resolve(): void }[] = [];
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      said.push(line);
      for (const one of waiting) if (line.startsWith(one.beginning)) one.resolve();
    });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('close', () => {
      resolve();
    });
  });
  const whileRunning = async <T>(work: Promise<T>): Promise<T> =>
    await Promise.race([
      work,
      ended.then(() => {
        throw new Unavailable(`the guest ${name} has ended`, [], said.slice(-lastLines));
      }),
    ]);
  const stop = async () => {
    child.kill('SIGKILL');
    await withDeadline(ended, endLimitMs, `the guest ${name} to end`);
    control.close();
    await card.close();
  };
  try {
    const qmp = await withDeadline(
      whileRunning(control.connected),
      startLimitMs,
      `QEMU of the guest ${name} to answer`,
    );
    return {
      qmp,
      card,
      said,
      type: (line) => void child.stdin.write(`${line}\n`),
      hasSaid: async (beginning) => {
        if (said.some((line) => line.startsWith(beginning))) return;
        await whileRunning(new Promise<void>((resolve) => waiting.push({ beginning, resolve })));
      },
      whileRunning,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function argumentsOf(
  { kernel, initrd }: GuestImage,
  { mac, variables, incoming }: GuestSpec,
  cardPath: string,
  qmpPath: string,
): readonly string[] {
  const environment = Object.entries(variables).map(([key, value]) => `${key}=${value}`);
  return [
    ...['-machine', 'pc,accel=tcg', '-cpu', 'qemu64', '-m', String(memory)],
    ...['-nodefaults', '-display', 'none', '-no-reboot', '-serial', 'stdio'],
    ...['-kernel', kernel, '-initrd', initrd],
    // Its timer is emulated, and late where the machine is busy.
    ...['-append', ['console=ttyS0 quiet no_timer_check nokaslr', ...environment].join(' ')],
    ...['-chardev', `socket,id=qmp,path=${qmpPath}`, '-mon', 'chardev=qmp,mode=control'],
    ...['-netdev', `stream,id=card,server=off,addr.type=unix,addr.path=${cardPath}`],
    ...['-device', `virtio-net-pci,netdev=card,mac=${mac},romfile=`],
    ...(incoming === undefined ? [] : ['-incoming', `unix:${incoming}`]),
  ];
}
