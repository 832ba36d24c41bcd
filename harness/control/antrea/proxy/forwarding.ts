import { egress, toRemoteHost } from '../forwarding.js';
import { hexOfIpv4 } from '../hex.js';
import {
  gatewayPort,
  globalVirtualMac,
  tunnelPort,
  uplinkPort,
  type NodeView,
  type Peer,
} from '../node-view.js';

/**
 * L3ForwardingTable (70): what asks for new MAC addresses gets them, what is for a peer's pods gets
 * its tunnel.
 */
export function l3Forwarding({ node: { os, gateway }, pods, peers }: NodeView): readonly string[] {
  const tunnelled = peers.filter(({ reach }) => reach === 'tunnel');
  return [
    'table=70,priority=210,ct_state=+rpl+trk,ct_mark=0x20,ip ' +
      `actions=mod_dl_dst:${gateway.mac},goto_table:80`,
    ...pods.map(
      (pod) =>
        `table=70,priority=200,ip,reg0=0x80000/0x80000,nw_dst=${pod.ip} ` +
        `actions=mod_dl_src:${gateway.mac},mod_dl_dst:${pod.mac},goto_table:72`,
    ),
    `table=70,priority=200,ip,reg0=0x80000/0x80000,nw_dst=${gateway.ip} ` +
      `actions=mod_dl_dst:${gateway.mac},goto_table:80`,
    ...tunnelled.map(
      (peer) =>
        `table=70,priority=200,ip,nw_dst=${peer.podCidr} ` +
        `actions=mod_dl_src:${gateway.mac},mod_dl_dst:${globalVirtualMac},` +
        `load:${hexOfIpv4(peer.underlay.ip)}->NXM_NX_TUN_IPV4_DST[],goto_table:72`,
    ),
    ...(os === 'windows' ? toNeighbours(peers) : toRemoteHost(peers, gateway.mac)),
    'table=70,priority=0 actions=goto_table:80',
  ];
}

/**
 * The Windows design, "OVS uplink interface configuration": to the pods of a neighbour, and in
 * answer to that node itself, straight to its MAC address. What a router has to carry goes by the
 * node's own stack, which knows the router.
 */
function toNeighbours(peers: readonly Peer[]): readonly string[] {
  return peers
    .filter(({ reach }) => reach === 'direct')
    .flatMap(({ podCidr, underlay }) => [
      `table=70,priority=200,ip,nw_dst=${podCidr} actions=mod_dl_dst:${underlay.mac},resubmit(,80)`,
      `table=70,priority=200,ct_state=+rpl+trk,ip,nw_dst=${underlay.ip} ` +
        `actions=mod_dl_dst:${underlay.mac},resubmit(,80)`,
    ]);
}

/**
 * L3DecTTLTable (72): the TTL of what was routed goes down, but for what the node's own stack has
 * routed.
 */
export function l3DecTtl(): readonly string[] {
  return [
    'table=72,priority=210,ip,reg0=0x1/0xffff actions=goto_table:80',
    'table=72,priority=200,ip actions=dec_ttl,goto_table:80',
    'table=72,priority=0 actions=goto_table:80',
  ];
}

/** L2ForwardingCalcTable (80): the dmac table. Policies of ingress are for pods alone. */
export function l2ForwardingCalc({
  node: { os, gateway },
  pods,
  peers,
  mode,
}: NodeView): readonly string[] {
  const neighbours = os === 'windows' ? peers.filter(({ reach }) => reach === 'direct') : [];
  return [
    `table=80,priority=200,dl_dst=${gateway.mac} ` +
      `actions=${egress(gatewayPort.ofport)},goto_table:105`,
    ...(mode === 'noEncap'
      ? []
      : [
          `table=80,priority=200,dl_dst=${globalVirtualMac} ` +
            `actions=${egress(tunnelPort.ofport)},goto_table:105`,
        ]),
    ...neighbours.map(
      ({ underlay }) =>
        `table=80,priority=200,dl_dst=${underlay.mac} ` +
        `actions=load:0x${uplinkPort.ofport.toString(16)}->NXM_NX_REG1[],` +
        'set_field:0x10000/0x10000->reg0,resubmit(,105)',
    ),
    ...pods.map(
      (pod) =>
        `table=80,priority=200,dl_dst=${pod.mac} actions=${egress(pod.port.ofport)},goto_table:85`,
    ),
    'table=80,priority=0 actions=goto_table:105',
  ];
}

/**
 * L2ForwardingOutTable (110): as in 0.8, and back to where it came from for a pod that reaches
 * itself through a Service.
 */
export function l2ForwardingOut(): readonly string[] {
  return [
    'table=110,priority=210,ip,reg0=0x40000/0x40000 actions=IN_PORT',
    'table=110,priority=200,ip,reg0=0x10000/0x10000 actions=output:NXM_NX_REG1[]',
    'table=110,priority=0 actions=drop',
  ];
}
