/** Starting a program that plays test files, and asking it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { whileItWorks } from './patience.js';
import { endlessExitCode, lives, type Answer, type Request } from './question.js';

export interface Program {
  /** `endless`: it was stopped, because it asked too often, or computed too long, or waited for nothing; `ended`: it ended in another way. In both cases it answers no more. */
  readonly ask: (request: Request) => Promise<Answer | { readonly kind: 'endless' | 'ended' }>;
  readonly close: () => Promise<void>;
}

export interface ProgramOptions {
  /** Where it runs, and what is loaded into it and all that it starts. */
  readonly dir: string;
  readonly preload: string;
  readonly temporary: string;
  /** The mutant that lives from the start, or `nobody`. */
  readonly mutant: number;
}

/** Two minutes of work, or two without any. */
const patience = { lookMs: 10_000, workS: 120, idleLooks: 12 };

export function startProgram(file: string, { dir, preload, temporary, mutant }: ProgramOptions): Program {
  const env = { ...process.env, NODE_OPTIONS: `--import=${preload}`, TMPDIR: temporary, [lives]: String(mutant) };
  const child = fork(file, { cwd: dir, env, execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const kill = () => child.kill('SIGKILL');
  process.on('exit', kill);
  const ended = once(child, 'exit').then(([code]) => ({ kind: code === endlessExitCode ? 'endless' : 'ended' }) as const).finally(() => process.off('exit', kill));
  return {
    ask: async (request) => {
      if (!child.connected) return ended;
      const answered = once(child, 'message').then(([answer]) => answer as Answer);
      child.send(request, () => undefined); // what becomes of it is told by `ended`
      const answer = await whileItWorks(Promise.race([answered, ended]), child.pid, patience);
      if (answer === undefined) kill();
      return answer ?? { kind: 'endless' };
    },
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
