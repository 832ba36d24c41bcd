/** What the flows and groups of a bridge can do over time, read from their text. */
import { transientTexts } from '../../../base/text/transient-texts.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';

const traits = {
  learns: /\blearn\(/,
  ends: /\bfin_timeout\(/,
  expires: /^(?:(?!action).)*_timeout=/s,
  forwards: /\bnormal\b/i,
  meters: /meter|pause/,
} as const;
export type Trait = keyof typeof traits;

/** The traits of every bridge of a node. */
export interface BridgeTraits {
  has(trait: Trait): boolean;
  hasAt(bridge: string, trait: Trait): boolean;
  groupsHaveAt(bridge: string, trait: Trait): boolean;
  /** Flows and groups are added to those that the bridge has, or may be. */
  add(bridge: string, texts: readonly string[]): void;
  /**
   * Lines of a bundle were applied: where they delete all flows, or all groups, only theirs stay.
   */
  replace(bridge: string, lines: readonly string[]): void;
}

interface TraitsOfBridge {
  readonly flows: ReadonlySet<Trait>;
  readonly groups: ReadonlySet<Trait>;
}

export function bridgeTraitsOf(bridges: readonly BridgePlan[]): BridgeTraits {
  const byBridge = new Map<string, TraitsOfBridge>(
    bridges.map(({ name, flows, groups = [] }) => [
      name,
      { flows: traitsIn(flows), groups: traitsIn(groups) },
    ]),
  );
  const traitsOf = (bridge: string): TraitsOfBridge =>
    byBridge.get(bridge) ?? { flows: traitsIn([]), groups: traitsIn([]) };
  const hasAt = (bridge: string, trait: Trait) =>
    traitsOf(bridge).flows.has(trait) || traitsOf(bridge).groups.has(trait);
  return {
    hasAt,
    has: (trait) => bridges.some(({ name }) => hasAt(name, trait)),
    groupsHaveAt: (bridge, trait) => traitsOf(bridge).groups.has(trait),
    add: (bridge, texts) => {
      const { flows, groups } = traitsOf(bridge);
      const added = traitsIn(texts);
      byBridge.set(bridge, {
        flows: new Set([...flows, ...added]),
        groups: new Set([...groups, ...added]),
      });
    },
    replace: (bridge, lines) => {
      const { flows, groups } = traitsOf(bridge);
      byBridge.set(bridge, {
        flows: lines.includes('flow delete')
          ? traitsIn(lines.filter((line) => !isGroup(line)))
          : flows,
        groups: lines.includes('group delete') ? traitsIn(lines.filter(isGroup)) : groups,
      });
    },
  };
}

const isGroup = (text: string) => text.startsWith('group');

export function traitsIn(texts: readonly string[]): ReadonlySet<Trait> {
  const names = Object.keys(traits) as Trait[];
  const read = transientTexts(texts);
  return new Set(names.filter((name) => read.some((text) => traits[name].test(text))));
}
