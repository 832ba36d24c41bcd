import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { LogicalPacket, LogicalTrace } from '../domain/logical-trace.js';
import type { CountedWork } from '../domain/work.js';
import type { SwitchState } from '../domain/switch-state.js';
import type {
  FlowCount,
  CacheLookups,
  Reconfiguration,
  SwitchCall,
  SwitchStep,
} from '../domain/switching.js';

/** A cluster's switches, brought up and programmed: the model's or real ones. */
export interface Testbed {
  /** `model`, `sim`, … */
  readonly name: string;
  /** Versions as the running programs report them, by program. */
  readonly versions: Readonly<Record<string, string>>;
  /**
   * Applies one call a node, nodes in parallel, and returns when all of them are quiescent; steps
   * in the order of `calls`.
   */
  call(calls: readonly SwitchCall[]): Promise<readonly SwitchStep[]>;
  /**
   * Returns when the change is made and all nodes are quiescent. No reset takes it back, and none
   * is made after it.
   */
  reconfigure(change: Reconfiguration): Promise<void>;
  /**
   * Applies the lines of an `ovs-ofctl bundle` on one node's bridge, all or none: a reset brings
   * back what there is then.
   */
  bundle(node: string, bridge: string, lines: readonly string[]): Promise<void>;
  /**
   * Every switch forgets connections, learned MACs and cached flows, and has its flows, groups and
   * links back that calls have changed; counters start from zero.
   */
  reset(): Promise<void>;
  /**
   * What flows counted since the last reset: every flow of every bridge of every node, also those
   * at zero.
   */
  counts(): Promise<readonly FlowCount[]>;
  /** Connections and learned MACs of every node, in no particular order. */
  state(): Promise<SwitchState>;
  /**
   * Frames that came out since the last call although nobody asked for any: reading counters may
   * push packets on.
   */
  lateFrames(): Promise<readonly LateFrame[]>;
  /**
   * The flows, groups and meters that each bridge holds, of these nodes or of all, one a line, as
   * the switch prints them.
   */
  program(nodes?: ReadonlySet<string>): Promise<readonly DumpedProgram[]>;
  /**
   * Asked before a difference is reported.
   * @throws Disturbed where something outside reached into the switches since the last reset: what
   *   they did then may come from that.
   */
  assertUndisturbed(): Promise<void>;
  /** Stops everything and removes what was made; safe to call twice and after a failure. */
  close(): Promise<void>;
}

/** A testbed of real switches. */
export interface Switches extends Testbed {
  /**
   * Lookups in the caches of all datapaths since they came up, as they stood when the last call was
   * over.
   */
  lookups(): CacheLookups;
  /** What the datapaths have counted since they came up; undefined where they do not say. */
  countedWork?(): Promise<CountedWork | undefined>;
  /**
   * The plan that they were opened with, and what OVN has compiled from it; missing where nothing
   * had to be.
   */
  readonly compiled?: ClusterPlan;
  /**
   * Has OVN program the switches as another plan wants it, whose ports are there already, and
   * returns that plan with what was compiled: nodes whose switches hold something else now have
   * still to be reconfigured (`programmed`). Every ovn-controller that has ended with its node
   * starts first. Missing where OVN programs nothing.
   * @throws Unavailable with the condition that did not come true.
   */
  recompile?(plan: ClusterPlan): Promise<ClusterPlan>;
  /**
   * Has OVN compile from scratch what it has compiled step by step. Missing where OVN programs
   * nothing.
   */
  recompute?(): Promise<void>;
  /**
   * What OVN's own ovn-trace makes of packets that come in at logical ports, of each in turn.
   * Missing where OVN programs nothing.
   */
  traceLogically?(packets: readonly LogicalPacket[]): Promise<readonly LogicalTrace[]>;
}

export interface LateFrame {
  readonly node: string;
  readonly port: string;
  readonly frame: Uint8Array;
}

export interface DumpedProgram {
  readonly node: string;
  readonly bridge: string;
  readonly flows: readonly string[];
  readonly groups: readonly string[];
  readonly meters: readonly string[];
}
