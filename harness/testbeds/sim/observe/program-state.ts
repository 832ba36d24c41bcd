/**
 * Flows and groups of a node's bridges that calls, packets and time change, and that a reset brings
 * back.
 */
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { parseBridgeOptions } from '../../../openflow/bridge-program.js';
import type { Action } from '../../../openflow/actions/action.js';
import {
  parseDumpedFlow,
  printFlow,
  printOpenflow10Flow,
  type Flow,
} from '../../../openflow/flows/flow.js';
import { noNames, type Names } from '../../../openflow/syntax/form.js';
import { parseDumpedGroup } from '../../../openflow/groups/parse-group.js';
import { printGroup } from '../../../openflow/groups/print-group.js';
import type { BridgeDump, Ofctl } from '../../../ovs/openflow/ofctl.js';
import type { ProgramUse } from '../../ovs-switches.js';

export interface ProgramState {
  /**
   * Takes note of what flows and groups of a bridge are to be made from, beside those that it has.
   */
  noteChange(bridge: string, texts: readonly string[]): void;
  /**
   * The same once lines of a bundle are carried out: what they deleted, all flows or all groups, is
   * no more.
   */
  noteApplied(bridge: string, lines: readonly string[]): void;
  /** Whether packets make flows, or make them expire sooner. */
  learns(): boolean;
  /** Whether flows of a bridge learn, and no group does. */
  learnsAt(bridge: string): 'never' | 'by flows' | 'by groups';
  /**
   * Packets have met what learns, or may have: until what was kept is held again. Where nothing is
   * kept, they always may.
   */
  noteLearnHit(): void;
  /** Whether packets make flows expire sooner, or at once. */
  hasFinTimeouts(): boolean;
  /** Whether what packets find depends on time: flows, and addresses that NORMAL has learned. */
  isTimed(): boolean;
  /**
   * Whether flows come and go by themselves: those that are learned, once packets may have met what
   * learns, and those that time is over for.
   */
  isVolatile(): boolean;
  /** Whether meters of a bridge may have taken note of packets. */
  meters(bridge: string): boolean;
  /** Those of a bridge are as new. */
  metersRenewed(bridge: string): void;
  /**
   * What the bridges hold now is what they are to hold again, unless that is kept already, or
   * nothing is to be.
   */
  save(): Promise<void>;
  /**
   * What was kept is held again, as if new. @param flows what `bridge/dump-flows` tells beside what
   * it told when it was kept, or held again.
   * @returns whether there was something to bring back.
   */
  restore(flows: 'the same' | 'others'): Promise<boolean>;
  /** What is held from now on is to stay. */
  discardSaved(): void;
}

export function programStateOf(
  { node, bridges }: NodePlan,
  ofctl: Ofctl,
  use: ProgramUse,
): ProgramState {
  let kept: ReadonlyMap<string, SavedProgram> | undefined;
  /**
   * Whether it was to be changed since it was kept, or held again: what packets and time do to
   * flows is no change.
   */
  let isChanged = false;
  let isMet = use === 'replaced';
  const held = new Map(
    bridges.map(({ name, flows, groups = [] }) => [
      name,
      { flows: traitsOf(flows), groups: traitsOf(groups) },
    ]),
  );
  const hasAt = (bridge: string, trait: Trait) =>
    held.get(bridge)?.flows.has(trait) === true || held.get(bridge)?.groups.has(trait) === true;
  const has = (trait: Trait) => bridges.some(({ name }) => hasAt(name, trait));
  const metered = new Set(bridges.map(({ name }) => name).filter((name) => hasAt(name, 'meters')));
  const isGroup = (text: string) => text.startsWith('group');
  const note = (bridge: string, texts: readonly string[]) => {
    isChanged = true;
    const { flows, groups } = held.get(bridge) ?? { flows: traitsOf([]), groups: traitsOf([]) };
    const noted = traitsOf(texts);
    if (noted.has('meters')) metered.add(bridge);
    held.set(bridge, {
      flows: new Set([...flows, ...noted]),
      groups: new Set([...groups, ...noted]),
    });
  };
  return {
    noteChange: note,
    noteApplied: (bridge, lines) => {
      const { flows, groups } = held.get(bridge) ?? { flows: traitsOf([]), groups: traitsOf([]) };
      held.set(bridge, {
        flows: lines.includes('flow delete')
          ? traitsOf(lines.filter((line) => !isGroup(line)))
          : flows,
        groups: lines.includes('group delete') ? traitsOf(lines.filter(isGroup)) : groups,
      });
    },
    learns: () => has('learns') || has('ends'),
    learnsAt: (bridge) =>
      held.get(bridge)?.groups.has('learns') === true
        ? 'by groups'
        : hasAt(bridge, 'learns')
          ? 'by flows'
          : 'never',
    noteLearnHit: () => {
      isMet = true;
    },
    hasFinTimeouts: () => has('ends'),
    isTimed: () => has('learns') || has('ends') || has('expires') || has('forwards'),
    isVolatile: () => (has('learns') && isMet) || has('ends') || has('expires'),
    meters: (bridge) => metered.has(bridge),
    metersRenewed: (bridge) => void (hasAt(bridge, 'meters') || metered.delete(bridge)),
    save: async () => {
      if (use === 'replaced') return;
      if (kept !== undefined) return;
      const held = await ofctl.dump(bridges.map(({ name }) => name));
      kept = new Map(
        bridges.map(
          (bridge, index) =>
            [
              bridge.name,
              savedProgramOf(held[index] ?? nothing, {
                ...noNames,
                tunnelOptions: parseBridgeOptions(node, bridge),
              }),
            ] as const,
        ),
      );
    },
    restore: async (flows) => {
      isMet = use === 'replaced';
      if (
        kept === undefined ||
        (flows === 'the same' &&
          !isChanged &&
          [...kept.values()].every(({ detectedBy }) => detectedBy === 'by its flows'))
      )
        return false;
      await Promise.all(
        [...kept].map(async ([bridge, { bundles, openflow10 }]) => {
          for (const lines of bundles) await ofctl.bundle(bridge, lines);
          await ofctl.addOpenflow10(bridge, openflow10);
        }),
      );
      isChanged = false;
      return true;
    },
    discardSaved: () => {
      kept = undefined;
      isChanged = false;
    },
  };
}

/** What a bridge held. */
interface SavedProgram {
  /**
   * What makes it hold that again: two, for with a flow that learns those go that look as if it had
   * made them, new ones as well.
   */
  readonly bundles: readonly (readonly string[])[];
  /** The flows that no bundle takes. */
  readonly openflow10: readonly string[];
  /**
   * How it tells that something has become of it, unless it was told to: where flows grow old, or
   * others may take their place, they look the same.
   */
  readonly detectedBy: 'by its flows' | 'by nothing';
}

const traits = {
  learns: /\blearn\(/,
  ends: /\bfin_timeout\(/,
  expires: /^(?:(?!action).)*_timeout=/s,
  forwards: /\bnormal\b/i,
  meters: /meter|pause/,
} as const;
type Trait = keyof typeof traits;

function traitsOf(texts: readonly string[]): ReadonlySet<Trait> {
  const names = Object.keys(traits) as Trait[];
  return new Set(names.filter((name) => texts.some((text) => traits[name].test(text))));
}

const nothing: BridgeDump = { flows: [], groups: [], meters: [] };

function savedProgramOf(held: BridgeDump, names: Names): SavedProgram {
  const dumped = held.flows.map((line) => parseDumpedFlow(line, names));
  const flows = dumped.map(({ flow }) => flow);
  const bundled = dumped.filter(({ onlyBy }) => onlyBy === undefined);
  const groups = held.groups.map((line, index) =>
    parseDumpedGroup(line, names, { file: 'groups', line: index + 1 }),
  );
  return {
    bundles: [
      ['flow delete', 'group delete'],
      [
        ...groups.map((group) => `group add ${printGroup(group)}`),
        ...bundled.map(({ flow }) => `flow add ${printFlow(flow)}`),
      ],
    ],
    openflow10: dumped
      .filter(({ onlyBy }) => onlyBy === 'OpenFlow10')
      .map(({ flow }) => printOpenflow10Flow(flow)),
    detectedBy: canExpireOrRelearn(flows, [...actionsIn([flows, groups])])
      ? 'by nothing'
      : 'by its flows',
  };
}

/** Whether a flow has its time, or is given one, or one that is learned may take its place. */
function canExpireOrRelearn(flows: readonly Flow[], actions: readonly Action[]): boolean {
  return (
    flows.some(({ idleTimeout, hardTimeout }) => idleTimeout > 0 || hardTimeout > 0) ||
    actions.some(
      (action) =>
        action.kind === 'fin_timeout' ||
        (action.kind === 'learn' &&
          flows.some(
            ({ table, priority }) => table === action.table && priority === action.priority,
          )),
    )
  );
}

/** Every action, however deep. */
function* actionsIn(value: unknown): Generator<Action> {
  if (typeof value !== 'object' || value === null) return;
  if ('kind' in value) yield value as Action;
  for (const part of Object.values(value)) yield* actionsIn(part);
}
