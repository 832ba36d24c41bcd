/**
 * A Docker engine from a root folder, started by hand: in namespaces, with a folder that holds
 * everything of it. Nothing is installed, and nothing is left when its namespaces have ended.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withDeadline } from '../base/concurrency/deadline.js';
import { execute, limitMs, lineOf, start, type Namespaces } from './namespaces.js';

/** As `openEngine` in `images` makes them. */
export interface EngineFiles {
  /** A root folder with dockerd and what it starts; it is not written to. */
  readonly root: string;
  /** The words that its client is called by, outside of that root. */
  readonly client: readonly string[];
}

export interface EngineSpec {
  readonly image: EngineFiles;
  /** Where its data, its sockets and its ids are. */
  readonly folder: string;
  readonly namespaces: Namespaces;
  /** Of dockerd, beside those that say where its files are; `isolated` where it is missing. */
  readonly options?: readonly string[];
}

/** Without a bridge and without rules of its own: only plugins make networks. */
export const isolated = [
  '--bridge=none',
  '--iptables=false',
  '--ip-forward=false',
  '--ip-masq=false',
] as const;

export interface StartedEngine {
  /** The path of its socket: `DOCKER_HOST=unix://SOCKET`. */
  readonly socket: string;
  /** `docker ARGS…`, by its own client: what it prints. @throws Unavailable with what it says. */
  docker(...args: readonly string[]): Promise<string>;
  /** Ends it by that signal, and starts it again on the same data. */
  restart(signal: 'TERM' | 'KILL'): Promise<void>;
  /** Its containers first, by SIGKILL. */
  close(): Promise<void>;
}

/** @throws Unavailable with its last words where it does not start. */
export async function startEngine(spec: EngineSpec): Promise<StartedEngine> {
  const { folder, namespaces, image } = spec;
  for (const part of ['data', 'exec', 'root']) mkdirSync(join(folder, part), { recursive: true });
  const pidFile = join(folder, 'dockerd.pid');
  const socket = join(folder, 'd.sock');
  let dockerd = await startDaemon(spec, socket, pidFile);
  const client = [...namespaces.inside, ...image.client, '-H', `unix://${socket}`];
  const docker: StartedEngine['docker'] = async (...args) =>
    (await execute([...client, ...args])).trim();
  const end = async (signal: 'TERM' | 'KILL'): Promise<void> => {
    const gone = new Promise<void>((resolve) => void dockerd.once('exit', () => resolve()));
    await execute([...namespaces.inside, 'kill', `-${signal}`, readFileSync(pidFile, 'utf8')]);
    await withDeadline(gone, limitMs, 'dockerd to end');
  };
  return {
    socket,
    docker,
    restart: async (signal) => {
      await end(signal);
      // What a killed one has left, and the next one would take for a live one.
      for (const left of ['dockerd.pid', 'exec/containerd/containerd.pid'])
        rmSync(join(folder, left), { force: true });
      dockerd = await startDaemon(spec, socket, pidFile);
    },
    close: async () => {
      const running = (await docker('ps', '-q')).split('\n').filter((id) => id !== '');
      if (running.length > 0) await docker('kill', ...running);
      await end('TERM');
    },
  };
}

/**
 * A root of its own: programs of the engine's folder, /etc and /var that it may write to, and of
 * this machine what a kernel has, /run of the namespaces, and the folder.
 */
const enterRoot = `set -e
root=$1 new=$2 folder=$3
shift 3
mount -t tmpfs engine "$new"
mkdir -p "$new/usr" "$new/var/lib" "$new/tmp" "$new/old" "$new$folder"
cp -a "$root/etc" "$new/etc"
cat /etc/resolv.conf >"$new/etc/resolv.conf" 2>/dev/null || :
for name in bin sbin lib lib64; do ln -s "usr/$name" "$new/$name"; done
ln -s /run "$new/var/run"
mount --bind "$root/usr" "$new/usr"
for name in proc sys dev run; do
  mkdir "$new/$name"
  mount --rbind "/$name" "$new/$name"
done
mount --rbind "$folder" "$new$folder"
cd "$new"
pivot_root . old
PATH=/usr/sbin:/usr/bin
busybox umount -l /old
exec "$@"
`;

async function startDaemon(
  { image, folder, namespaces, options = isolated }: EngineSpec,
  socket: string,
  pidFile: string,
): Promise<ChildProcess> {
  const enter = ['unshare', '--mount', '--', 'sh', '-c', enterRoot, 'sh'];
  const dockerd = start(
    [
      ...[...namespaces.inside, ...enter, image.root, join(folder, 'root'), folder],
      ...['dockerd', '--host', `unix://${socket}`, '--pidfile', pidFile],
      ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
      ...options,
    ],
    ['ignore', 'ignore', 'pipe'],
  );
  await lineOf(dockerd, /(API listen on)/, 'dockerd');
  return dockerd;
}
