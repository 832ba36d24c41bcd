/** What bridges are programmed with: flows, groups and meters, and settings of ports. */

import { Unavailable } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import {
  knownFlows,
  parseBridgeFlows,
  parseBridgeGroups,
  parseOpenflow10Flows,
  parseBridgeMeters,
} from '../../../openflow/bridge-program.js';
import { printFlowKey, printOpenflow10Flow } from '../../../openflow/flows/flow.js';
import { printGroup } from '../../../openflow/groups/print-group.js';
import { printMeter } from '../../../openflow/meters.js';
import type { Peer } from '../../../ovs/ovsdb/json-rpc.js';
import type { Ofctl } from '../../../ovs/openflow/ofctl.js';

/**
 * Gives a new bridge the plan's groups, which name its meters, and makes it hold the plan's flows
 * and no others.
 * @throws InputError naming what is not a flow, group or meter, or what the switch refuses;
 *   Unavailable where it does not hold as many flows then.
 */
export async function program(
  { node, asDumped }: Pick<NodePlan, 'node' | 'asDumped'>,
  bridge: BridgePlan,
  ofctl: Ofctl,
  vswitchd: Peer,
): Promise<void> {
  const dumped = asDumped?.programs[bridge.name];
  await setBridge(asDumped, bridge, ofctl);
  const groups =
    dumped?.groups ?? parseBridgeGroups(node, bridge).map((group) => printGroup(group));
  const flows = dumped?.flows ?? knownFlows(node, bridge);
  const held = await ofctl.install(bridge.name, vswitchd, [
    'flow delete',
    ...groups.map((group) => `group add ${group}`),
    ...flows.map((add) => ({ add })),
  ]);
  if (dumped === undefined && held !== flows.length) checkCount(node, bridge, held);
  await ofctl.addOpenflow10(
    bridge.name,
    parseOpenflow10Flows(node, bridge).map(printOpenflow10Flow),
  );
}

/**
 * Settings that a bridge gets by OpenFlow, and forgets when its daemon ends: options of tunnels,
 * those of ports, and how fragments are handled.
 */
async function setBridge(
  asDumped: NodePlan['asDumped'],
  bridge: BridgePlan,
  ofctl: Ofctl,
): Promise<void> {
  const dumped = asDumped?.programs[bridge.name];
  const tunnelOptions = dumped?.tunnelOptions ?? bridge.tunnelOptions ?? [];
  if (tunnelOptions.length > 0)
    await ofctl.run(bridge.name, 'add-tlv-map', tunnelOptions.join(','));
  for (const [port, action] of dumped?.portChanges ?? plannedPortChanges(bridge))
    await ofctl.run(bridge.name, 'mod-port', port, action, '-O', 'OpenFlow10');
  const fragments = dumped === undefined ? bridge.fragments : dumped.fragments;
  if (fragments !== undefined)
    await ofctl.run(bridge.name, 'set-frags', fragments, '-O', 'OpenFlow10');
}

/**
 * The same again for bridges that no others program, of a switch that has restarted: without flows
 * it shows in nothing until it is programmed.
 */
export async function setBridgesAgain(
  { asDumped, bridges }: NodePlan,
  ofctl: Ofctl,
): Promise<void> {
  for (const bridge of bridges)
    if (bridge.origin !== 'dumped') await setBridge(asDumped, bridge, ofctl);
}

/**
 * Flows that differ in nothing but their actions are one. @throws Unavailable where the switch has
 *   taken all flows of the plan, and holds more or fewer.
 */
function checkCount(node: string, bridge: BridgePlan, held: number): void {
  const planned = new Set(parseBridgeFlows(node, bridge).map(printFlowKey)).size;
  if (held !== planned)
    throw new Unavailable(
      `${bridge.name} on ${node} holds ${held} flows where its plan has ${planned}, and has ` +
        'refused none',
    );
}

/** In the words of OpenFlow 1.0, the only version that knows of OFPPC_NO_FLOOD. */
function plannedPortChanges({
  ports,
}: BridgePlan): readonly (readonly [port: string, action: string])[] {
  return ports.flatMap(({ flood, forward, receive, ofport }) =>
    (
      [
        [flood, 'no-flood'],
        [forward, 'no-forward'],
        [receive, 'no-receive'],
      ] as const
    ).flatMap(([setting, word]) => (setting === 'never' ? [[String(ofport), word] as const] : [])),
  );
}

/** Makes the plan's meters, or makes them again: then they are full. */
export async function setMeters(
  command: 'add-meter' | 'mod-meter',
  { node, asDumped }: Pick<NodePlan, 'node' | 'asDumped'>,
  bridge: BridgePlan,
  ofctl: Ofctl,
): Promise<void> {
  const meters =
    asDumped?.programs[bridge.name]?.meters ??
    parseBridgeMeters(node, bridge).map((meter) => printMeter(meter).replaceAll('\n', ' '));
  for (const meter of meters) await ofctl.run(bridge.name, command, meter);
}
