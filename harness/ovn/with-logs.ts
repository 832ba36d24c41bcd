/** What fails in OVN without a daemon's end, with the last lines of the logs that it is about. */
import { InputError, Unavailable } from '../base/errors/errors.js';
import type { Daemon } from '../ovs/process/daemon.js';

type Logged = Pick<Daemon, 'name' | 'logTail'>;

/** The lines of each. */
const linesMax = 5;

/**
 * Resolves as `work` does. @throws Unavailable for a condition that has not come true, with the
 * logs of `northd` and of those daemons whose node the message names.
 */
export async function withLogs<T>(
  work: Promise<T>,
  northd: Logged,
  controllers: readonly (Logged & { readonly node: string })[],
): Promise<T> {
  return await work.catch(async (error: unknown) => {
    const isBare =
      error instanceof Unavailable && error.evidence.length === 0 && error.remedies.length === 0;
    if (!isBare) throw error;
    const words = new Set(error.message.split(/[^\w.-]+/));
    const named = controllers.filter(({ node }) => words.has(node));
    throw new Unavailable(error.message, [], await tails([northd, ...named]));
  });
}

/**
 * Resolves as `work` does. @throws Unavailable for what the server's database refuses, with the end
 * of its log: rows that a schema does not allow say nothing about a switch.
 */
export async function refusedBy<T>(work: Promise<T>, server: Logged): Promise<T> {
  return await work.catch(async (error: unknown) => {
    if (!(error instanceof InputError)) throw error;
    throw new Unavailable(error.message, [], await tails([server]));
  });
}

async function tails(daemons: readonly Logged[]): Promise<readonly string[]> {
  const all = await Promise.all(
    daemons.map(async ({ name, logTail }) => {
      const lines = (await logTail()).slice(-linesMax);
      return lines.length === 0 ? [] : [`${name}:`, ...lines];
    }),
  );
  return all.flat();
}
