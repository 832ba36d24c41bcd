/** What is done wrong on purpose, so that it is seen to be found. */
import { assert } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { StreamPoint } from './stream-scenario.js';

export const streamFaults = {
  'wrong-mtu': 'pods have an MTU 50 bytes less than the tunnel leaves them',
  'header-more': 'the tunnel carries an option of Geneve that nobody asked for',
  'super-packets': 'stacks of pods hand on super-packets, so that a rate counts headers once',
  policer: 'half of the rate gets past the port of the sender',
} as const;
export type StreamFault = keyof typeof streamFaults;

/** The network as the fault makes it; the prediction is from the network as it should be. */
export function faultyPoint(point: StreamPoint, fault: StreamFault | undefined): StreamPoint {
  switch (fault) {
    case 'wrong-mtu':
      return { ...point, podMtu: point.podMtu - 50 };
    case 'header-more':
      return { ...point, plan: withTunnelOption(point.plan) };
    case 'super-packets':
    case 'policer':
    case undefined:
      return point;
  }
}

function withTunnelOption(plan: ClusterPlan): ClusterPlan {
  let found = 0;
  const nodes = plan.nodes.map((node) => ({
    ...node,
    bridges: node.bridges.map((bridge) => ({
      ...bridge,
      tunnelOptions: ['{class=0x102,type=0x80,len=4}->tun_metadata0'],
      flows: bridge.flows.map((flow) =>
        flow.replaceAll(/load:0x[0-9a-f]+->NXM_NX_TUN_IPV4_DST\[\]/g, (set) => {
          found++;
          return `${set},set_field:0x1->tun_metadata0`;
        }),
      ),
    })),
  }));
  assert(found > 0, 'some flow names the other end of a tunnel');
  return { ...plan, nodes };
}
