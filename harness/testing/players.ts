import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PlayAnswer, PlayRequest } from './player.js';
import { endOf, killerOf, within, type End, type Ending } from './supervise.js';

/**
 * Programs that play test files, each many of them: a new one is started only where none is idle.
 */
export interface Players {
  /**
   * How a file ended; its `stdout` is what it says in TAP. What takes longer than `limitMs`, or
   * ends its program, takes no other file with it.
   */
  readonly play: (file: string, limitMs: number) => Promise<Ending>;
  readonly close: () => void;
}

/** @param cwd where test files expect to run. */
export function openPlayers(cwd: string): Players {
  const idle: Player[] = [];
  return {
    play: async (file, limitMs) => {
      const player = idle.pop() ?? startPlayer(cwd);
      const ending = await player.play(file, limitMs);
      if (ending.succeeded) idle.push(player);
      else player.kill();
      return ending;
    },
    close: () => {
      for (const player of idle) player.kill();
    },
  };
}

interface Player {
  readonly play: Players['play'];
  readonly kill: () => void;
}

const program = fileURLToPath(new URL('player.js', import.meta.url));

function startPlayer(cwd: string): Player {
  const child = fork(program, [], {
    cwd,
    execArgv: ['--enable-source-maps'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const early = endOf(child).then(
    (end): End => ({ ...end, summary: `${end.summary} before it had ended`, succeeded: false }),
  );
  let said = { stdout: '', stderr: '' };
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      said.stderr += text;
    });
  return {
    kill: killerOf(child),
    play: async (file, limitMs) => {
      said = { stdout: '', stderr: '' };
      const played = new Promise<End>((resolve) => {
        const listen = (answer: PlayAnswer): void => {
          if (answer.kind === 'tap') said.stdout += answer.text;
          else resolve({ kind: 'exited', summary: 'ended', succeeded: true });
        };
        child.removeAllListeners('message').on('message', listen);
      });
      const request: PlayRequest = { file, limitMs: limitMs * 0.9 };
      child.send(request);
      return { ...(await within(Promise.race([played, early]), limitMs)), ...said };
    },
  };
}
