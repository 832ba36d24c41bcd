import { oncePer } from '../../base/once-per.js';
import { hexOfIpv4, hexOfMac } from './hex.js';
import { globalVirtualMac, type NodeView, type Peer } from './node-view.js';

/**
 * ARPResponderTable (20): answers for the peers' gateways with the Global Virtual MAC; other ARP as
 * a learning switch.
 */
export function arpResponder({ peers }: NodeView): readonly string[] {
  return [
    ...peers.filter(({ reach }) => reach === 'tunnel').map(answerFor),
    'table=20,priority=190,arp actions=NORMAL',
    'table=20,priority=0 actions=drop',
  ];
}

/** The same on all nodes. */
const answerFor = oncePer(
  ({ gateway }: Peer) =>
    `table=20,priority=200,arp,arp_tpa=${gateway.ip},arp_op=1 actions=` +
    `move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[],mod_dl_src:${globalVirtualMac},` +
    'load:0x2->NXM_OF_ARP_OP[],' +
    'move:NXM_NX_ARP_SHA[]->NXM_NX_ARP_THA[],' +
    `load:${hexOfMac(globalVirtualMac)}->NXM_NX_ARP_SHA[],` +
    'move:NXM_OF_ARP_SPA[]->NXM_OF_ARP_TPA[],' +
    `load:${hexOfIpv4(gateway.ip)}->NXM_OF_ARP_SPA[],IN_PORT`,
);
