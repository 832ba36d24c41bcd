/** Connections, learned MACs and multicast groups of one node, as its daemon lists them. */
import { staticMacsOf } from '../../../domain/plan/static-macs.js';
import type { SwitchState } from '../../../domain/switch-state.js';
import type { NodeInstruments } from '../node-instruments.js';
import { parseMacs, parseMulticast } from './parse-switch-state.js';

export async function switchStateOf(node: NodeInstruments): Promise<SwitchState> {
  const { plan, snooping, connections } = node;
  if (node.touched === 'no')
    return {
      connections: [],
      macs: staticMacsOf(plan),
      ...(snooping.length === 0 ? {} : { multicast: [] }),
    };
  const { call } = node.vswitch.vswitchd.unixctl;
  const [tracked, macs, multicast] = await Promise.all([
    connections.list(),
    Promise.all(
      plan.bridges.map(async (bridge) =>
        parseMacs(plan.node, bridge, await call('fdb/show', bridge.name)),
      ),
    ),
    Promise.all(
      snooping.map(async (bridge) =>
        parseMulticast(plan.node, bridge, await call('mdb/show', bridge.name)),
      ),
    ),
  ]);
  return {
    connections: tracked,
    macs: macs.flat(),
    ...(snooping.length === 0 ? {} : { multicast: multicast.flat() }),
  };
}
