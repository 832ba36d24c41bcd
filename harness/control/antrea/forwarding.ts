import { oncePer } from '../../base/once-per.js';
import { hexOfIpv4 } from './hex.js';
import {
  gatewayPort,
  globalVirtualMac,
  tunnelPort,
  type NodeView,
  type Peer,
} from './node-view.js';

/**
 * DNATTable (40): what is for a Service goes to kube-proxy behind the gateway, past the egress
 * policies.
 */
export function dnat({ serviceCidr }: NodeView): readonly string[] {
  return [
    `table=40,priority=200,ip,nw_dst=${serviceCidr} ` +
      `actions=${egress(gatewayPort.ofport)},goto_table:105`,
    'table=40,priority=0 actions=goto_table:45',
  ];
}

/**
 * L3ForwardingTable (70): from tunnels to local pods and the gateway, from here to the peers'
 * subnets.
 */
export function l3Forwarding({ node: { gateway }, pods, peers }: NodeView): readonly string[] {
  const tunnelled = peers.filter(({ reach }) => reach === 'tunnel');
  return [
    ...pods.map(
      (pod) =>
        `table=70,priority=200,ip,dl_dst=${globalVirtualMac},nw_dst=${pod.ip} actions=` +
        `mod_dl_src:${gateway.mac},mod_dl_dst:${pod.mac},dec_ttl,goto_table:80`,
    ),
    `table=70,priority=200,ip,dl_dst=${globalVirtualMac},nw_dst=${gateway.ip} ` +
      `actions=mod_dl_dst:${gateway.mac},goto_table:80`,
    ...tunnelled.map((peer) => {
      const { before, behind } = intoTunnelTo(peer);
      return `${before}${gateway.mac}${behind}`;
    }),
    ...toRemoteHost(peers, gateway.mac),
    'table=70,priority=0 actions=goto_table:80',
  ];
}

/** What stands around the MAC address of a node's gateway is the same on all nodes. */
const intoTunnelTo = oncePer(({ podCidr, underlay }: Peer) => ({
  before: `table=70,priority=200,ip,nw_dst=${podCidr} actions=dec_ttl,mod_dl_src:`,
  behind:
    `,mod_dl_dst:${globalVirtualMac},${egress(tunnelPort.ofport)},` +
    `load:${hexOfIpv4(underlay.ip)}->NXM_NX_TUN_IPV4_DST[],goto_table:105`,
}));

/**
 * What the network between nodes carries as it is leaves by the gateway: the node's own stack
 * routes it (Antrea, "noEncap").
 */
export function toRemoteHost(peers: readonly Peer[], gatewayMac: string): readonly string[] {
  return peers
    .filter(({ reach }) => reach !== 'tunnel')
    .map(
      (peer) =>
        `table=70,priority=200,ip,nw_dst=${peer.podCidr} ` +
        `actions=mod_dl_dst:${gatewayMac},goto_table:80`,
    );
}

/** L2ForwardingCalcTable (80): the dmac table. */
export function l2ForwardingCalc({ node: { gateway }, pods, mode }: NodeView): readonly string[] {
  return [
    `table=80,priority=200,dl_dst=${gateway.mac} ` +
      `actions=${egress(gatewayPort.ofport)},goto_table:85`,
    ...(mode === 'noEncap'
      ? []
      : [
          `table=80,priority=200,dl_dst=${globalVirtualMac} ` +
            `actions=${egress(tunnelPort.ofport)},goto_table:85`,
        ]),
    ...pods.map(
      (pod) =>
        `table=80,priority=200,dl_dst=${pod.mac} actions=${egress(pod.port.ofport)},goto_table:85`,
    ),
    'table=80,priority=0 actions=goto_table:85',
  ];
}

/** L2ForwardingOutTable (110): out at the port in reg1, if reg0[16] says that there is one. */
export function l2ForwardingOut(): readonly string[] {
  return [
    'table=110,priority=200,ip,reg0=0x10000/0x10000 actions=output:NXM_NX_REG1[]',
    'table=110,priority=0 actions=drop',
  ];
}

/** The egress port into reg1, and into reg0[16] that it is known; the seed's "Registers". */
export function egress(ofport: number): string {
  return `load:0x${ofport.toString(16)}->NXM_NX_REG1[],load:0x1->NXM_NX_REG0[16]`;
}
