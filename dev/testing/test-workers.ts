import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestResponse, TestRequest } from './test-worker.js';
import { endOf, killerOf, within, type End, type Ending } from './supervise.js';

/**
 * Programs that play test files, each many of them: a new one is started only where none is idle.
 */
export interface TestWorkers {
  /**
   * How a file ended; its `stdout` is what it says in TAP. What takes longer than `limitMs`, or
   * ends its program, takes no other file with it.
   */
  readonly play: (file: string, limitMs: number) => Promise<Ending>;
  readonly close: () => void;
}

/** @param cwd where test files expect to run. */
export function openTestWorkers(cwd: string): TestWorkers {
  const idle: TestWorker[] = [];
  return {
    play: async (file, limitMs) => {
      const worker = idle.pop() ?? startTestWorker(cwd);
      const ending = await worker.play(file, limitMs);
      if (ending.succeeded) idle.push(worker);
      else worker.kill();
      return ending;
    },
    close: () => {
      for (const worker of idle) worker.kill();
    },
  };
}

interface TestWorker {
  readonly play: TestWorkers['play'];
  readonly kill: () => void;
}

const program = fileURLToPath(new URL('test-worker.js', import.meta.url));

function startTestWorker(cwd: string): TestWorker {
  const child = fork(program, [], {
    cwd,
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const early = endOf(child).then(
    (end): End => ({ ...end, summary: `${end.summary} before it had ended`, succeeded: false }),
  );
  let output = { stdout: '', stderr: '' };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
  return {
    kill: killerOf(child),
    play: async (file, limitMs) => {
      output = { stdout: '', stderr: '' };
      const played = new Promise<End>((resolve) => {
        const listen = (answer: TestResponse): void => {
          if (answer.kind === 'tap') output.stdout += answer.text;
          else resolve({ kind: 'exited', summary: 'ended', succeeded: true });
        };
        child.removeAllListeners('message').on('message', listen);
      });
      const request: TestRequest = { file, limitMs: limitMs * 0.9 };
      child.send(request);
      return { ...(await within(Promise.race([played, early]), limitMs)), ...output };
    },
  };
}
