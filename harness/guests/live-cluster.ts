/** A cluster that OVN programs, on the sim's switches, in which frames flow by themselves. */
import type { Teardown } from '../base/concurrency/teardown.js';
import { assert } from '../base/errors/errors.js';
import type { Intent } from '../domain/intent.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../domain/plan/control-plane.js';
import type { TestVector } from '../domain/test-vector.js';
import type { Topology } from '../domain/topology.js';
import { afterEvent, initialPromiseState } from '../intent/over-time/promise-state.js';
import { promisedIntent } from '../intent/over-time/promised-intent.js';
import type { Image } from '../ovs/process/image.js';
import { applyThroughOvn } from '../run/timeline/apply-through-ovn.js';
import type { AgentState } from '../run/timeline/agent-state.js';
import { openSwitches } from '../testbeds/sim/sim.js';
import type { LiveNetwork } from './live-network.js';

export interface LiveCluster {
  /** Of ovs-vswitchd, and of OVN. */
  readonly versions: Readonly<Record<string, string>>;
  /** A folder for sockets. */
  readonly dir: string;
  /** As it is now, with what OVN has compiled. */
  plan(): ClusterPlan;
  /**
   * The cluster changes, and OVN has programmed it; where the control plane does not receive it,
   * what is promised changes alone.
   */
  happens(what: string, cluster: Topology, received?: 'by nobody'): Promise<void>;
  /** L0 of a stimulus, now. */
  promised(stimulus: TestVector['stimulus']): Intent;
  close(): Promise<void>;
}

/** @throws Unavailable for what does not come up; nothing is left then. */
export async function openLiveCluster(
  controlPlane: ControlPlane<Topology>,
  cluster: Topology,
  image: Image,
  network: LiveNetwork,
  teardown: Teardown,
): Promise<LiveCluster> {
  const planned = controlPlane.plan(cluster);
  const real = await openSwitches('sim', network.devicesOf, planned, image, { teardown });
  const { compiled } = real;
  assert(compiled !== undefined, 'OVN compiles the plan');
  let state: AgentState = { agentViews: { cluster, stale: new Map() }, plan: compiled };
  let promises = initialPromiseState(cluster, controlPlane.promises);
  return {
    versions: real.versions,
    dir: real.dir,
    plan: () => state.plan,
    happens: async (what, next, received) => {
      const event = { kind: 'cluster', what, cluster: next } as const;
      promises = afterEvent(promises, event);
      if (received === 'by nobody') return;
      state = await applyThroughOvn({ controlPlane, real }, state, event, async (step) => {
        assert(step.kind !== 'change', 'OVN changes flows');
        await real.reconfigure(step);
      });
    },
    promised: (stimulus) => promisedIntent(promises, stimulus),
    close: real.close,
  };
}
