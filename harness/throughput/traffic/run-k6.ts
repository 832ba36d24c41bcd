/** Requests of k6 in the network of a host, with what of processors it had for them. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemProgram } from '../../ovs/process/system-program.js';
import { withPriority } from '../cluster/priority.js';
import type { RealCluster } from '../cluster/real-cluster.js';
import { k6Environment, k6Options, k6Script, type HttpLoad } from './k6-script.js';
import { timedProgram } from './programs.js';
import { readSummary, type HttpResult } from './read-k6-summary.js';
import { runToItsEnd } from './run-program.js';
import { scratchFolder } from '../../ovs/workspace/workspace.js';

/** @throws Unavailable where it does not start, or says nothing that is known. */
export async function runK6(
  cluster: RealCluster,
  client: string,
  k6: string,
  load: HttpLoad,
): Promise<HttpResult & { /** Without what it needed to start. */ readonly clientNs: number }> {
  const folder = await scratchFolder();
  try {
    const script = join(folder, 'requests.js');
    await writeFile(script, k6Script(load));
    // Who asks comes last; the program that reads its clock does not.
    const asks = withPriority(cluster.scheduling, 'sender', [
      ...['env', ...k6Environment, k6, 'run'],
      ...[...k6Options, script],
    ] as [string, ...string[]]);
    const timed = cluster.inHost(client, [
      ...([systemProgram('perl'), '-e', timedProgram, '--'] as const),
      ...asks,
    ]);
    const [summary = '', ticks = ''] = (
      await runToItsEnd(`k6 at ${client}`, timed, load.seconds)
    ).split('\n');
    return { ...readSummary(summary), clientNs: Number(ticks) * 1e7 };
  } finally {
    await rm(folder, { recursive: true });
  }
}
