/** Flows and groups that a bridge held, as bundles that bring them back. */
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import type { Action } from '../../../openflow/actions/action.js';
import { parseBridgeOptions } from '../../../openflow/bridge-program.js';
import {
  parseDumpedFlow,
  printFlow,
  printOpenflow10Flow,
  type Flow,
} from '../../../openflow/flows/flow.js';
import { parseDumpedGroup } from '../../../openflow/groups/parse-group.js';
import { printGroup } from '../../../openflow/groups/print-group.js';
import { noNames, type Names } from '../../../openflow/syntax/form.js';
import type { BridgeDump, Ofctl } from '../../../ovs/openflow/ofctl.js';

export interface SavedProgram {
  /**
   * Two bundles, for to delete a flow that learns also deletes the flows that it could have
   * learned, new ones as well.
   */
  readonly bundles: readonly (readonly string[])[];
  /** The flows that no bundle takes. */
  readonly openflow10: readonly string[];
  /**
   * What shows that it has changed, unless a call changed it: where flows expire, or learned ones
   * may replace them, a dump looks the same.
   */
  readonly detectedBy: 'by its flows' | 'by nothing';
}

/** What the bridges of a node hold now, by name. */
export async function saveProgram(
  node: string,
  bridges: readonly BridgePlan[],
  ofctl: Ofctl,
): Promise<ReadonlyMap<string, SavedProgram>> {
  const dumps = await ofctl.dump(bridges.map(({ name }) => name));
  return new Map(
    bridges.map((bridge, index) => [
      bridge.name,
      savedProgramOf(dumps[index] ?? emptyDump, {
        ...noNames,
        tunnelOptions: parseBridgeOptions(node, bridge),
      }),
    ]),
  );
}

export async function restoreProgram(
  saved: ReadonlyMap<string, SavedProgram>,
  ofctl: Ofctl,
): Promise<void> {
  await Promise.all(
    [...saved].map(async ([bridge, { bundles, openflow10 }]) => {
      for (const lines of bundles) await ofctl.bundle(bridge, lines);
      await ofctl.addOpenflow10(bridge, openflow10);
    }),
  );
}

const emptyDump: BridgeDump = { flows: [], groups: [], meters: [] };

function savedProgramOf(dump: BridgeDump, names: Names): SavedProgram {
  const dumped = dump.flows.map((line) => parseDumpedFlow(line, names));
  const flows = dumped.map(({ flow }) => flow);
  const bundled = dumped.filter(({ onlyBy }) => onlyBy === undefined);
  const groups = dump.groups.map((line, index) =>
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

/** Whether a flow has a timeout, or gets one, or a learned one may replace it. */
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
