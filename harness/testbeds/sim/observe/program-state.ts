/**
 * Flows and groups of a node's bridges that calls, packets and time change, and that a reset brings
 * back.
 */
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { Ofctl } from '../../../ovs/openflow/ofctl.js';
import type { ProgramUse } from '../../ovs-switches.js';
import { bridgeTraitsOf, traitsIn } from './bridge-traits.js';
import { restoreProgram, saveProgram, type SavedProgram } from './saved-program.js';

export interface ProgramState {
  /** Records what is about to be added to the flows and groups of a bridge. */
  noteChange(bridge: string, texts: readonly string[]): void;
  /** Records that the lines of a bundle were applied: all that they deleted is gone. */
  noteApplied(bridge: string, lines: readonly string[]): void;
  /** Whether packets add flows, or make them expire sooner. */
  learns(): boolean;
  /** Whether flows of a bridge learn, and no group does. */
  learnsAt(bridge: string): 'never' | 'by flows' | 'by groups';
  /**
   * Packets have met a flow that learns, or may have: true until the next restore. Where nothing is
   * saved, they always may have.
   */
  noteLearnHit(): void;
  /** Whether packets make flows expire sooner, or at once. */
  hasFinTimeouts(): boolean;
  /** Whether what packets meet depends on time: flows, and addresses that NORMAL has learned. */
  isTimed(): boolean;
  /** Whether flows of a bridge forward by addresses that it learns. */
  forwardsAt(bridge: string): boolean;
  /**
   * Whether flows come and go by themselves: learned ones, once packets may have met a flow that
   * learns, and those with a timeout.
   */
  isVolatile(): boolean;
  /** Whether meters of a bridge may have metered packets. */
  meters(bridge: string): boolean;
  /** The meters of a bridge are new. */
  metersRenewed(bridge: string): void;
  /** Saves what the bridges hold now, for the next restore, unless that is saved already. */
  save(): Promise<void>;
  /**
   * Brings back what was saved. @param flows those of `bridge/dump-flows`, beside those when it was
   * saved, or restored last.
   * @returns whether there was something to bring back.
   */
  restore(flows: 'the same' | 'others'): Promise<boolean>;
  /** What the bridges hold from now on is to stay. */
  discardSaved(): void;
}

export function programStateOf(
  { node, bridges }: NodePlan,
  ofctl: Ofctl,
  use: ProgramUse,
): ProgramState {
  const traits = bridgeTraitsOf(bridges);
  const metered = new Set(
    bridges.map(({ name }) => name).filter((name) => traits.hasAt(name, 'meters')),
  );
  let saved: ReadonlyMap<string, SavedProgram> | undefined;
  /** Whether a call changed it since it was saved, or restored: not by packets or time. */
  let isChanged = false;
  let isLearnHit = use !== 'brought back';
  const isAsSaved = (programs: ReadonlyMap<string, SavedProgram>, flows: 'the same' | 'others') =>
    flows === 'the same' &&
    !isChanged &&
    [...programs.values()].every(({ detectedBy }) => detectedBy === 'by its flows');
  return {
    noteChange: (bridge, texts) => {
      isChanged = true;
      if (traitsIn(texts).has('meters')) metered.add(bridge);
      traits.add(bridge, texts);
    },
    noteApplied: (bridge, lines) => {
      traits.replace(bridge, lines);
    },
    learns: () => traits.has('learns') || traits.has('ends'),
    learnsAt: (bridge) => {
      if (traits.groupsHaveAt(bridge, 'learns')) return 'by groups';
      return traits.hasAt(bridge, 'learns') ? 'by flows' : 'never';
    },
    noteLearnHit: () => {
      isLearnHit = true;
    },
    hasFinTimeouts: () => traits.has('ends'),
    isTimed: () => (['learns', 'ends', 'expires', 'forwards'] as const).some(traits.has),
    forwardsAt: (bridge) => traits.hasAt(bridge, 'forwards'),
    isVolatile: () =>
      (traits.has('learns') && isLearnHit) || traits.has('ends') || traits.has('expires'),
    meters: (bridge) => metered.has(bridge),
    metersRenewed: (bridge) => void (traits.hasAt(bridge, 'meters') || metered.delete(bridge)),
    save: async () => {
      if (use === 'brought back') saved ??= await saveProgram(node, bridges, ofctl);
    },
    restore: async (flows) => {
      isLearnHit = use !== 'brought back';
      if (saved === undefined || isAsSaved(saved, flows)) return false;
      await restoreProgram(saved, ofctl);
      isChanged = false;
      return true;
    },
    discardSaved: () => {
      saved = undefined;
      isChanged = false;
    },
  };
}
