/** A real switch with the bridge that cases play on, and the model beside it. */
import { openModel } from '../testbeds/model/model-testbed.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Backend } from '../testbeds/backend.js';
import { defaultBackend } from '../testbeds/registry.js';
import { neverCached, type OpenOptions, type OvsSwitches } from '../testbeds/ovs-switches.js';
import type { Image } from '../ovs/process/image.js';
import { behaviourOf, newest, versionOf } from '../model/behaviour.js';
import { zones } from './generate/draw-stateful-flows.js';
import type { Sides } from './case-judgement.js';
import { planOf, type Network } from './fuzz-network.js';

export interface SideOptions extends OpenOptions {
  /** What brings up the switches. */
  readonly backend?: Backend;
  /** What cases do without, if anything: of sequences none meets controllers, which is faster. */
  readonly without?: 'controllers and what is cached' | 'what is cached';
}

/** Both sides, with switches that can be replaced once one has died. */
export interface OpenSides extends Sides {
  /** As the switch reports it. */
  readonly version: string;
  close(): Promise<void>;
}

/**
 * Several of them. @throws Unavailable naming what did not come up; nothing is left then. */
export async function openAllSides(
  image: Image,
  count: number,
  options: SideOptions = {},
): Promise<readonly OpenSides[]> {
  const opened = await Promise.allSettled(
    Array.from({ length: count }, () => openSides(image, options)),
  );
  const [allSides, failed] = [
    opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    opened.find((result) => result.status === 'rejected'),
  ];
  if (failed === undefined) return allSides;
  await Promise.all(allSides.map((result) => result.close()));
  throw failed.reason;
}

/** @throws Unavailable naming what did not come up. */
export async function openSides(
  image: Image,
  { backend = defaultBackend, without, ...options }: SideOptions = {},
): Promise<OpenSides> {
  // The flows go with the first case: from them it is known which zones there are to be asked for
  // connections.
  const flows = zones.map((zone) => `table=253,ip actions=ct(zone=${zone})`);
  const alone = { groups: [], flows, beyond: [] };
  const planned = (plan: ClusterPlan) => planWithout(plan, without);
  const program = without === undefined ? 'replaced' : neverCached;
  const open = (network: Network) => {
    const plan = planOf(
      network === 'one node' ? alone : { ...alone, afar: flows, underlay: flows },
    );
    return backend.open(planned(plan), image, { ...options, program });
  };
  const first = await open('one node');
  const sims = new Map<Network, OvsSwitches>([['one node', first]]);
  const { versions } = first;
  const version = versions['ovs-vswitchd'] ?? '';
  const restart = async (network: Network): Promise<OvsSwitches> => {
    await sims.get(network)?.close();
    const sim = await open(network);
    sims.set(network, sim);
    return sim;
  };
  return {
    version,
    behaviour: behaviourOf(versionOf(versions) ?? newest),
    sim: async (network) => sims.get(network) ?? (await restart(network)),
    planned,
    openModel: (plan) => openModel(planned(plan), versions),
    restart: async (network) => void (await restart(network)),
    close: async () => void (await Promise.all([...sims.values()].map((sim) => sim.close()))),
  };
}

function planWithout(plan: ClusterPlan, without: SideOptions['without']): ClusterPlan {
  if (without === undefined) return plan;
  const bridgesOf = ({ bridges }: ClusterPlan['nodes'][number]) =>
    without === 'what is cached' ? bridges : bridges.map(({ controllers: _, ...bridge }) => bridge);
  return {
    nodes: plan.nodes.map((node) => ({ ...node, uncached: true, bridges: bridgesOf(node) })),
  };
}
