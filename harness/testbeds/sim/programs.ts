/** Flows and groups of a node's bridges that calls, packets and time change, and that a reset brings back. */
import type { NodePlan } from '../../nouns/plan.js';
import { parseBridgeOptions } from '../../openflow/bridge-program.js';
import { parseFlow, printFlow } from '../../openflow/flow.js';
import { noNames, type Names } from '../../openflow/form.js';
import { parseGroups, printGroup } from '../../openflow/groups.js';
import type { Ofctl } from '../../ovs/ofctl.js';

export interface Programs {
  /** Takes note of what flows are made from. */
  note(texts: readonly string[]): void;
  /** Whether packets make flows, or make them expire sooner. */
  learns(): boolean;
  /** Whether what packets find depends on time: flows, and addresses that NORMAL has learned. */
  isTimed(): boolean;
  /** Whether flows come and go by themselves: those that are learned, and those that time is over for. */
  isVolatile(): boolean;
  /** What the bridges hold now, unless something was kept that has not been brought back. */
  keep(): Promise<void>;
  /** What was kept is held again, as if new. */
  restore(): Promise<void>;
  /** What is held from now on is to stay. */
  forget(): void;
}

export function programsOf({ node, bridges }: NodePlan, ofctl: Ofctl): Programs {
  let kept: ReadonlyMap<string, readonly (readonly string[])[]> | undefined;
  let [learns, expires, forwards] = [false, false, false];
  const note = (texts: readonly string[]) => {
    learns ||= texts.some((text) => /\b(learn|fin_timeout)\(/.test(text));
    expires ||= texts.some((text) => /_timeout=/.test(text));
    forwards ||= texts.some((text) => /\bnormal\b/i.test(text));
  };
  for (const { flows } of bridges) note(flows);
  return {
    note,
    learns: () => learns,
    isTimed: () => learns || expires || forwards,
    isVolatile: () => learns || expires,
    keep: async () => {
      kept ??= new Map(await Promise.all(bridges.map(async (bridge) => [bridge.name, await bundlesOf(bridge.name, { ...noNames, tunnelOptions: parseBridgeOptions(node, bridge) }, ofctl)] as const)));
    },
    restore: async () => {
      await Promise.all([...(kept ?? [])].map(async ([bridge, bundles]) => {
        for (const lines of bundles) await ofctl.bundle(bridge, lines);
      }));
      kept = undefined;
    },
    forget: () => (kept = undefined),
  };
}

/** The bundles that make a bridge hold what it holds now: two, for with a flow that learns those go that look as if it had made them, new ones as well. */
async function bundlesOf(bridge: string, names: Names, ofctl: Ofctl): Promise<readonly (readonly string[])[]> {
  const [flows, groups] = await Promise.all([ofctl.dumpFlows(bridge), ofctl.run(bridge, 'dump-groups')]);
  return [
    ['flow delete', 'group delete'],
    [...parseGroups(groups, `groups of ${bridge}`, names).map((group) => `group add ${printGroup(group)}`), ...flows.map((line) => `flow add ${printFlow(parseFlow(line, names))}`)],
  ];
}
