/**
 * For tests: makes one thread of a daemon slow, as a machine may that is busy with something else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { assert } from '../../../base/errors/errors.js';

/**
 * It stops before and behind each of its system calls (ptrace(2), by Perl, which images are made
 * with as well), for as long as the daemon's other threads need for a round of what they do.
 * @param name how the thread's name begins.
 * @returns undefined where the machine does not let one process trace another, and else what makes
 *   the thread as fast again as it was.
 */
export async function slowDown(
  pid: number,
  name: string,
): Promise<(() => Promise<void>) | undefined> {
  const thread = readdirSync(`/proc/${pid}/task`).find((id) =>
    readFileSync(`/proc/${pid}/task/${id}/comm`, 'latin1').startsWith(name),
  );
  assert(thread !== undefined, `process ${pid} has a thread "${name}…"`);
  if (process.arch !== 'x64') return undefined; // the numbers below are others elsewhere
  const tracer = spawn('perl', ['-e', script, thread], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = once(tracer, 'close');
  const [begun] = (await Promise.race([once(tracer.stdout, 'data'), ended])) as [unknown];
  if (!(begun instanceof Buffer)) return undefined;
  return async () => {
    tracer.kill('SIGKILL'); // the thread continues
    await ended;
  };
}

const script = `
  my ($ptrace, $seize, $interrupt, $syscall, $anyThread) = (101, 0x4206, 0x4207, 24, 0x40000000);
  my $thread = $ARGV[0] + 0;
  exit 1 if syscall($ptrace, $seize, $thread, 0, 0) != 0;
  syscall($ptrace, $interrupt, $thread, 0, 0);
  while (waitpid($thread, $anyThread) == $thread) {
    syswrite(STDOUT, "."); # it is held
    select(undef, undef, undef, 0.02);
    syscall($ptrace, $syscall, $thread, 0, 0);
  }
`;
