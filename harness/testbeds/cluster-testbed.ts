import type { Observation } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { FinalState } from '../domain/switch-state.js';
import type { Reconfiguration, SwitchCall } from '../domain/switching.js';
import type { Stimulus } from '../domain/test-vector.js';
import type { Aspect } from '../domain/verdict.js';

/**
 * A cluster with its hosts, as a scenario sees it. Testbeds whose hosts are real implement this;
 * one of switches alone gets its hosts from the fabric (lockstep/emulated-hosts.ts).
 */
export interface ClusterTestbed {
  readonly name: string;
  readonly versions: Readonly<Record<string, string>>;
  /** `virtual`: no time passes but what a stimulus takes. `real`: the machine's clocks run. */
  readonly time: 'virtual' | 'real';
  /** What can be observed of it; what cannot is reported as not compared. */
  readonly aspects: ReadonlySet<Aspect>;
  /** Switches and hosts forget all but their program. */
  reset(): Promise<void>;
  /** @param id of the vector: ports and payloads follow from it and the seed. */
  play(id: string, stimulus: Stimulus): Promise<Observation>;
  /** Agents take `steps`; then the cluster is as in `plan`. */
  apply(steps: readonly AppliedStep[], plan: ClusterPlan): Promise<void>;
  /** What flows have counted since the last reset, connections and learned MACs. */
  observe(): Promise<FinalState>;
  close(): Promise<void>;
}

export type AppliedStep = Reconfiguration | Extract<SwitchCall, { readonly kind: 'change' }>;
