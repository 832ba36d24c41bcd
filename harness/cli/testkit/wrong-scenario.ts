/** Scenarios of a few lines whose code is wrong, run by the compiled program. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { within } from '../../base/files/path-part.js';
import { main } from '../flowbed-process.js';

export interface Wrong {
  readonly top?: string;
  readonly topology?: string;
  readonly vectors?: string;
  readonly intent?: string;
  readonly plan?: string;
  /** Members beside those that every scenario has, or in their place. */
  readonly members?: string;
  readonly extension?: 'ts';
}

/** A scenario of two pods, wrong in one way. */
const scenario = ({
  top = '',
  topology = '',
  vectors = '',
  intent = '',
  plan = '',
  members = '',
}: Wrong): string => `
import { antrea, defineScenario, intentOf, vectors as v } from 'flowbed';
import { antreaCluster } from 'flowbed/topologies/antrea/antrea-cluster';
${top}
const controlPlane = antrea('0.8');
export default defineScenario({
  name: 'wrong', title: 'two pods', axes: {},
  topology() { ${topology}; return antreaCluster({ nodes: 1, podsPerNode: 2, tunnel: 'geneve' }); },
  controlPlane: { ...controlPlane, name: 'wrong', plan(cluster) { ${plan}; return controlPlane.plan(cluster); } },
  vectors(topology) { ${vectors}; return v.podToPod(topology).slice(0, 1); },
  intent(topology, stimulus, promises) { ${intent}; return intentOf(topology, stimulus, promises); },
  ${members}
});
`;

export interface Ended {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs it in `folder` to its end, with a limit of processor time.
 * @param temporary where daemons have their folders.
 */
export async function runWrong(
  { folder, temporary }: { readonly folder: string; readonly temporary: string },
  name: string,
  wrong: Wrong,
  limitS: number,
): Promise<Ended> {
  const file = within(folder, name, wrong.extension === 'ts' ? '.ts' : '.mjs');
  await writeFile(file, scenario(wrong));
  const env = {
    ...process.env,
    NO_COLOR: '1',
    FORCE_COLOR: undefined,
    TMPDIR: temporary,
    FLOWBED_SCENARIO_LIMIT_S: String(limitS),
  };
  return await new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, 'run', file, '--passes', 'cold'],
      { cwd: folder, env, timeout: 120_000, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : (error.code ?? String(error.signal));
        resolve({ code, stdout, stderr });
      },
    );
  });
}
