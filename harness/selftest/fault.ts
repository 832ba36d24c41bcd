/** What a fault is, and where it is planted. */
import type { LabelSelector } from '../kube/schemas/metadata.js';
import type { SwitchStep } from '../domain/switching.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { ChassisPlan, NorthboundRow, ProgramCall } from '../domain/plan/northbound-plan.js';
import type { Flow } from '../openflow/flows/flow.js';
import type { PassName } from '../domain/test-vector.js';
import type { Aspect } from '../domain/verdict.js';
import type { Mutation } from './mutated-source.js';

/** Flows and groups, ports as numbers. */
interface DesiredProgram {
  readonly flows: readonly Flow[];
  readonly groups: readonly string[];
}

/** What is changed, and where. */
type Planted =
  /** One flow of a running switch is changed; deleted where `change` returns nothing. */
  | {
      readonly kind: 'switch';
      readonly flow: (flow: Flow) => boolean;
      readonly change: (flow: Flow) => Flow | undefined;
    }
  /** The same, but before the switch is asked what it holds. */
  | {
      readonly kind: 'program';
      readonly flow: (flow: Flow) => boolean;
      readonly change: (flow: Flow) => Flow | undefined;
    }
  /**
   * Commands of ovs-ofctl go to the switch behind everybody's back: once it is programmed and read,
   * or while each vector is played.
   */
  | {
      readonly kind: 'held';
      readonly when: 'programmed' | 'under way';
      /**
       * Commands with their arguments, given what the plan wants of the bridge; those of `bundle`
       * are its lines.
       */
      readonly commands: (
        wanted: DesiredProgram,
      ) => readonly (readonly [command: string, ...args: string[]])[];
      /** The summary of every finding. */
      readonly summary: RegExp;
    }
  /** Frames are changed on their way into the switches of the node. */
  | {
      readonly kind: 'wire in';
      readonly wire: (frame: Uint8Array) => Uint8Array;
      readonly summary: RegExp;
    }
  /** A datapath whose cache never answers: that may not lead to a verdict. */
  | { readonly kind: 'no cache' }
  /** What comes out of a switch is changed before it gets anywhere. */
  | { readonly kind: 'wire'; readonly wire: (step: SwitchStep) => SwitchStep }
  /**
   * The switch is made to take a packet of its own before every vector: `ovs-ofctl packet-out` with
   * these arguments.
   */
  | { readonly kind: 'packet'; readonly packet: (bridge: BridgePlan) => string }
  /** Frames come late: what `late` holds for is held back until all is over. */
  | { readonly kind: 'delay'; readonly late: (output: SwitchStep['outputs'][number]) => boolean }
  /**
   * A cache that is too wide: what it answered once it answers again to every frame in which it
   * sees the same, for what goes to other nodes.
   */
  | { readonly kind: 'cache'; readonly cacheKeyOf: (frame: Uint8Array) => Uint8Array }
  /** The control plane configures the node's own stack wrongly. */
  | { readonly kind: 'host'; readonly host: (host: HostPlan) => HostPlan }
  /**
   * The control plane compiles one flow wrongly: model and switch agree, and only
   * intent knows better.
   */
  | {
      readonly kind: 'compiler';
      readonly flow: (flow: Flow) => boolean;
      readonly change: (flow: Flow) => Flow;
    }
  /**
   * The control plane wants one northbound row wrongly, of the first zone: OVN compiles it, model
   * and switch agree, and only intent knows better.
   */
  | {
      readonly kind: 'northbound';
      readonly row: (row: NorthboundRow) => boolean;
      readonly change: (row: NorthboundRow) => NorthboundRow;
    }
  /**
   * Interfaces are bound to other logical ports than they should: that may not lead to a verdict,
   * and `cause` is why.
   */
  | {
      readonly kind: 'bindings';
      readonly change: (chassis: ChassisPlan) => ChassisPlan;
      readonly cause: RegExp;
    }
  /** The same of the programs that plug ports: their calls are not those that were planned. */
  | {
      readonly kind: 'programs';
      readonly change: (calls: readonly ProgramCall[]) => readonly ProgramCall[];
    }
  /**
   * The source of a program that scenarios run is changed; `found` is what a run finds first, with
   * its vector.
   */
  | { readonly kind: 'program source'; readonly mutation: Mutation; readonly found: RegExp }
  /**
   * The control plane wants other northbound rows than it should, in every zone and whenever the
   * cluster changes.
   */
  | {
      readonly kind: 'northbound rows';
      /** @param before the rows that are there already, of all zones. */
      readonly rows: (
        wanted: readonly NorthboundRow[],
        before: readonly NorthboundRow[],
      ) => readonly NorthboundRow[];
      /** The first vector that diverges. */
      readonly shownBy: string;
    }
  /**
   * Whoever programs, or whoever promises, reads every selector of a policy differently from how it
   * is written.
   */
  | {
      readonly kind: 'selector';
      readonly readBy: 'kube' | 'intent';
      readonly read: (selector: LabelSelector) => LabelSelector;
    }
  /** The same of a group, as a line. */
  | {
      readonly kind: 'group compiler';
      readonly group: (group: string) => boolean;
      readonly change: (group: string) => string;
    };

export type Fault = {
  readonly name: string;
  /** The aspect that the first finding of some vector must be about. */
  readonly aspect: Aspect;
  /** The pass in which it must show, where it is one that only later ones do. */
  readonly pass?: PassName;
  /**
   * The table at which a run must report the divergence, of br-int by default; missing where no
   * flow is to blame.
   */
  readonly table?: number;
  readonly bridge?: string;
  /** The field that it must name, where one comes out wrong. */
  readonly field?: string;
} & Planted;
