/** Flows and groups of a node's bridges that calls change, and that a reset brings back. */
import type { NodePlan } from '../../nouns/plan.js';
import { parseBridgeOptions } from '../../openflow/bridge-program.js';
import { parseFlow, printFlow } from '../../openflow/flow.js';
import { noNames, type Names } from '../../openflow/form.js';
import { parseGroups, printGroup } from '../../openflow/groups.js';
import type { Ofctl } from '../../ovs/ofctl.js';

export interface Programs {
  /** What the bridges hold now, unless something was kept that has not been brought back. */
  keep(): Promise<void>;
  /** What was kept is held again, as if new. */
  restore(): Promise<void>;
  /** What is held from now on is to stay. */
  forget(): void;
}

export function programsOf({ node, bridges }: NodePlan, ofctl: Ofctl): Programs {
  let kept: ReadonlyMap<string, readonly string[]> | undefined;
  return {
    keep: async () => {
      kept ??= new Map(await Promise.all(bridges.map(async (bridge) => [bridge.name, await linesOf(bridge.name, { ...noNames, tunnelOptions: parseBridgeOptions(node, bridge) }, ofctl)] as const)));
    },
    restore: async () => {
      await Promise.all([...(kept ?? [])].map(([bridge, lines]) => ofctl.bundle(bridge, lines)));
      kept = undefined;
    },
    forget: () => (kept = undefined),
  };
}

/** The bundle that makes a bridge hold what it holds now. */
async function linesOf(bridge: string, names: Names, ofctl: Ofctl): Promise<readonly string[]> {
  const [flows, groups] = await Promise.all([ofctl.dumpFlows(bridge), ofctl.run(bridge, 'dump-groups')]);
  return [
    'flow delete', 'group delete',
    ...parseGroups(groups, `groups of ${bridge}`, names).map((group) => `group add ${printGroup(group)}`),
    ...flows.map((line) => `flow add ${printFlow(parseFlow(line, names))}`),
  ];
}
