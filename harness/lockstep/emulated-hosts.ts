/** Switches with the fabric's hosts around them. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Aspect } from '../domain/verdict.js';
import { runStimulus } from '../fabric/fabric.js';
import { forgetHostsOutside, noMemories } from '../fabric/stack/host.js';
import type { ClusterTestbed } from '../testbeds/cluster-testbed.js';
import type { Switches, Testbed } from '../testbeds/testbed.js';
import { runToEnd } from './play-in-lockstep.js';
import { drawsFor } from './vector-randomness.js';

export interface HostOptions {
  readonly seed: number;
  /** Whether hosts know at each stimulus what those before it have taught them. */
  readonly hosts: 'start afresh' | 'keep what they know';
}

const observed: ReadonlySet<Aspect> = new Set([
  'intent',
  'frames',
  'silence',
  'counters',
  'connections',
  'macs',
]);

/** @param switches opened from `plan`. */
export function withEmulatedHosts(
  switches: Testbed,
  plan: ClusterPlan,
  { seed, hosts }: HostOptions,
): ClusterTestbed {
  let current = plan;
  let memories = noMemories();
  const forget = () => (memories = noMemories());
  return {
    name: switches.name,
    versions: switches.versions,
    time: 'virtual',
    aspects: observed,
    reset: async () => {
      forget();
      await switches.reset();
    },
    play: async (id, stimulus) => {
      if (hosts === 'start afresh') forget();
      const fabric = runStimulus(current, stimulus, drawsFor(seed, id), memories);
      return await runToEnd(switches, fabric, fabric.next());
    },
    apply: async (steps, after) => {
      const recompilesAt = steps.findIndex(({ kind }) => kind === 'programmed');
      for (const [index, step] of steps.entries()) {
        if (index === recompilesAt) await recompile(switches, after);
        await (step.kind === 'change' ? switches.call([step]) : switches.reconfigure(step));
      }
      current = after;
      forgetHostsOutside(memories, current);
    },
    observe: async () => ({ counts: await switches.counts(), state: await switches.state() }),
    close: () => switches.close(),
  };
}

/** Where OVN programs switches it comes first: its result is adopted then. */
async function recompile(
  { recompile: program }: Testbed & Pick<Switches, 'recompile'>,
  plan: ClusterPlan,
): Promise<void> {
  await program?.(plan);
}
