/** What bridges are programmed with: flows, groups and meters, and settings of ports. */

import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import {
  knownFlows,
  parseBridgeGroups,
  parseOpenflow10Flows,
  parseBridgeMeters,
} from '../../../openflow/bridge-program.js';
import { printOpenflow10Flow } from '../../../openflow/flows/flow.js';
import { printGroup } from '../../../openflow/groups/print-group.js';
import { printMeter } from '../../../openflow/meters.js';
import type { Peer } from '../../../ovs/ovsdb/json-rpc.js';
import type { Ofctl } from '../../../ovs/openflow/ofctl.js';

/**
 * Gives a new bridge the plan's groups, which name its meters, and makes it hold the plan's flows
 * and no others.
 * @throws InputError naming what is not a flow, group or meter, or what the switch refuses.
 */
export async function program(
  { node, asDumped }: Pick<NodePlan, 'node' | 'asDumped'>,
  bridge: BridgePlan,
  ofctl: Ofctl,
  vswitchd: Peer,
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
  const groups =
    dumped?.groups ?? parseBridgeGroups(node, bridge).map((group) => printGroup(group));
  await ofctl.install(bridge.name, vswitchd, [
    'flow delete',
    ...groups.map((group) => `group add ${group}`),
    ...(dumped?.flows ?? knownFlows(node, bridge)).map((add) => ({ add })),
  ]);
  await ofctl.addOpenflow10(
    bridge.name,
    parseOpenflow10Flows(node, bridge).map(printOpenflow10Flow),
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
