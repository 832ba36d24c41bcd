/** A network namespace as a runtime makes one for a container, before it calls a plugin. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { withParentDeathSignal } from '../../../ovs/process/parent-death-signal.js';

export interface ContainerNamespace {
  /** CNI_NETNS */
  readonly path: string;
  /** Names of its links. */
  links(): readonly string[];
  /** Starts a program in it; lines that it prints are read one by one. */
  start(command: readonly string[]): InsideProgram;
  close(): void;
}

export interface InsideProgram {
  /** The next line; waits for it. */
  line(): Promise<string>;
  /** Resolves with its exit code. */
  readonly exited: Promise<number | null>;
}

/** Lives as long as this process, and no longer than until `close`. */
export async function makeContainerNamespace(): Promise<ContainerNamespace> {
  const [file, ...args] = withParentDeathSignal(process.pid, [
    ...['unshare', '--net', '--', 'sh', '-c', 'echo made; exec sleep infinity'],
  ]);
  const started: ChildProcess[] = [];
  const holder = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(holder);
  await once(holder.stdout, 'data');
  const path = `/proc/${holder.pid}/ns/net`;
  return {
    path,
    links: () => linksIn(path),
    start: (command) => {
      const child = spawn('nsenter', [`--net=${path}`, '--', ...command], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        line: async () => String((await lines.next()).value),
        exited: once(child, 'exit').then(([code]) => code as number | null),
      };
    },
    close: () => started.forEach((one) => one.kill('SIGKILL')),
  };
}

/** Names of links, without the other end that ip(8) prints behind them. */
export function linksIn(netns: string): readonly string[] {
  const printed = execFileSync('nsenter', [`--net=${netns}`, 'ip', '-json', 'link'], {
    encoding: 'utf8',
  });
  return (JSON.parse(printed) as readonly { readonly ifname: string }[])
    .map(({ ifname }) => ifname)
    .sort();
}
