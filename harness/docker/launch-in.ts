/** Daemons as processes of a container. */
import { createWriteStream } from 'node:fs';
import { constants } from 'node:os';
import { finished } from 'node:stream/promises';
import type Docker from 'dockerode';
import { until } from '../base/concurrency/until.js';
import { withDeadline } from '../base/concurrency/deadline.js';
import type { Launch } from '../ovs/process/launch.js';

const limitMs = 30_000;

/** Not in dockerode's types: what a process prints comes in pieces, each with its stream. */
interface Demultiplexer {
  readonly demuxStream: (
    from: NodeJS.ReadableStream,
    stdout: NodeJS.WritableStream,
    stderr: NodeJS.WritableStream,
  ) => void;
}

/**
 * @param root paths below it in a command are those of the container.
 * @param whyEnded how the container has ended; undefined while it runs.
 */
export const launchIn =
  (
    container: Docker.Container,
    root: string,
    whyEnded: () => Promise<string | undefined>,
  ): Launch =>
  async ({ dir, command, environment, logFile }) => {
    const exec = await container.exec({
      Cmd: command.map((part) => part.replaceAll(root, '')),
      Env: Object.entries({ LC_ALL: 'C', ...environment }).map((pair) => pair.join('=')),
      WorkingDir: dir,
      AttachStdout: true,
      AttachStderr: true,
    });
    const printed = await exec.start({ hijack: true, stdin: false });
    const log = createWriteStream(logFile, { flags: 'a' });
    const { demuxStream } = container.modem as Demultiplexer;
    demuxStream(printed, log, log);
    const over = finished(printed, { writable: false }).catch(() => undefined);
    const exited = over.then(async () => {
      await new Promise((resolve) => log.end(resolve));
      const containerEnd = await whyEnded();
      if (containerEnd !== undefined) return containerEnd;
      return await exec.inspect().then(
        ({ ExitCode: code }) => howEnded(code),
        // The engine has ended with it, or before.
        (error: Error) => `ended, and how is not known: ${error.message}`,
      );
    });
    const pid = await withDeadline(pidOf(exec), limitMs, `${command.join(' ')} to start`);
    return { pid, exited, kill: () => kill(pid) };
  };

/** As of a child: shells and engines have 128 and the signal's number for a code. */
function howEnded(code: number | null): string {
  const [signal] =
    Object.entries(constants.signals).find(([, number]) => number + 128 === code) ?? [];
  return signal === undefined ? `exited with code ${code}` : `was ended by ${signal}`;
}

/** As this machine counts processes; 0 where it has ended already. */
async function pidOf(exec: Docker.Exec): Promise<number> {
  let pid = 0;
  await until('a process of a container', limitMs, async () => {
    const { Pid: found, Running: running, ExitCode: code } = await exec.inspect();
    pid = running ? found : 0;
    return pid !== 0 || code !== null ? [] : ['it has not started'];
  });
  return pid;
}

function kill(pid: number): void {
  if (pid === 0) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
