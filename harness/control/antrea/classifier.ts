import { gatewayPort, tunnelPort, uplinkPort, type NodeView } from './node-view.js';

/**
 * ClassifierTable (0): where the packet comes from, in reg0[0..15]: 0 a tunnel, 1 the local
 * gateway, 2 a local pod, 4 the uplink. `fromTunnel`: actions on what comes from one.
 */
export function classifier(view: NodeView, fromTunnel: readonly string[] = []): readonly string[] {
  return [
    ...(view.node.os === 'windows' ? uplinkClassifier(view) : []),
    `table=0,priority=200,in_port=${gatewayPort.name} ` +
      'actions=load:0x1->NXM_NX_REG0[0..15],goto_table:10',
    ...(view.mode === 'noEncap'
      ? []
      : [
          `table=0,priority=200,in_port=${tunnelPort.name} ` +
            `actions=${['load:0->NXM_NX_REG0[0..15]', ...fromTunnel, 'goto_table:30'].join()}`,
        ]),
    ...view.pods.map(
      (pod) =>
        `table=0,priority=190,in_port="${pod.port.name}" ` +
        'actions=load:0x2->NXM_NX_REG0[0..15],goto_table:10',
    ),
    'table=0,priority=0 actions=drop',
  ];
}

/**
 * The Windows design, "OVS uplink interface configuration": the host's own traffic goes past the
 * pipeline. Where the network between nodes brings pods' packets as they are, they are recognised
 * by their destination, come from port 4, and need new MAC addresses.
 */
function uplinkClassifier({ node, peers }: NodeView): readonly string[] {
  const isRouted = peers.some(({ reach }) => reach !== 'tunnel');
  return [
    ...(isRouted
      ? [
          `table=0,priority=210,ip,in_port=${uplinkPort.name},nw_dst=${node.podCidr} ` +
            'actions=load:0x4->NXM_NX_REG0[0..15],load:0x1->NXM_NX_REG0[19],resubmit(,29)',
        ]
      : []),
    `table=0,priority=200,in_port=${uplinkPort.name} actions=LOCAL`,
    `table=0,priority=200,in_port=LOCAL actions=output:${uplinkPort.name}`,
  ];
}

/**
 * SpoofGuardTable (10): local pods send with their own addresses only; the gateway is free with IP,
 * not with ARP. `next`: the table that IP continues in.
 */
export function spoofGuard({ node: { gateway }, pods }: NodeView, next = 30): readonly string[] {
  return [
    `table=10,priority=200,ip,in_port=${gatewayPort.name} actions=goto_table:${next}`,
    `table=10,priority=200,arp,in_port=${gatewayPort.name},arp_spa=${gateway.ip},` +
      `arp_sha=${gateway.mac} actions=goto_table:20`,
    ...pods.map(
      (pod) =>
        `table=10,priority=200,ip,in_port="${pod.port.name}",dl_src=${pod.mac},nw_src=${pod.ip} ` +
        `actions=goto_table:${next}`,
    ),
    ...pods.map(
      (pod) =>
        `table=10,priority=200,arp,in_port="${pod.port.name}",arp_spa=${pod.ip},` +
        `arp_sha=${pod.mac} actions=goto_table:20`,
    ),
    'table=10,priority=0 actions=drop',
  ];
}
