/**
 * ClusterIPs for the host of a Windows node (the Windows design, "Service Traffic"): what the host
 * sends to Services comes in by antrea-gw0, and where the endpoint is not a pod's it goes out there
 * again, from the virtual address, so that answers find back into the pipeline. The second
 * translation stands in a zone of its own, as Antrea has it (SNATCtZone).
 */
import { gatewayPort, type NodeView } from '../node-view.js';
import { virtualService } from './virtual-service.js';

const zone = 65521;

/** reg0[18]: back to where it came from. */
const hairpin = 'load:0x1->NXM_NX_REG0[18]';

export function hostServices({ node: { gateway } }: NodeView): readonly string[] {
  const out = gatewayPort.ofport.toString(16);
  const throughGateway = `ip,ct_mark=0x21,reg0=0x1/0xffff,reg1=0x${out}`;
  return [
    `table=29,priority=210,ip,in_port=${gatewayPort.name},nw_dst=${virtualService.ip} ` +
      `actions=ct(table=30,zone=${zone},nat)`,
    'table=70,priority=190,ip,ct_mark=0x21,reg0=0x80001/0x8ffff ' +
      `actions=mod_dl_dst:${gateway.mac},goto_table:80`,
    'table=105,priority=210,ct_state=+new+trk,ct_mark=0x21,ip,reg0=0x1/0xffff ' +
      'actions=goto_table:106',
    `table=106,priority=210,ct_state=-rpl+trk,${throughGateway} actions=${hairpin},ct(commit,` +
      `table=110,zone=${zone},nat(src=${virtualService.ip}))`,
    `table=106,priority=210,ct_state=+rpl+trk,${throughGateway} actions=${hairpin},goto_table:110`,
  ];
}
