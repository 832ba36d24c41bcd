/**
 * Goal: packets of IPv6 are whole where FLOW leaves something out, and a field that is given twice
 * is refused as ofproto/trace refuses it. Method: flows at one port, as the first table sees them.
 */
import t from 'tap';
import { complaint } from '../base/errors/errors.js';
import { dumpedSwitch } from '../dumps/dumped-switch.js';
import { printKey } from '../model/fields/match-of.js';
import { readFlow } from './packet-stimulus.js';
import { tracePackets } from './trace-packets.js';

const target = dumpedSwitch([{ bridge: 'br0', flows: { text: 'actions=drop', file: 'flows' } }]);
const read = (flow: string) => readFlow(flow, target, undefined, { payload: undefined });
const seen = (flow: string) =>
  printKey(tracePackets(target.plan, [read(flow)])[0]!.translations[0]!.start);

void t.test('fragments, and a packet without a protocol', (t) => {
  t.match(seen('udp6,in_port=1,nw_ttl=3,nw_frag=first,tp_dst=5'), 'nw_frag=first,tp_src=0');
  t.match(seen('ipv6,nw_proto=44,in_port=1,nw_ttl=3,nw_frag=later'), 'nw_ttl=3,nw_frag=later');
  t.match(seen('ipv6,in_port=1,nw_ttl=64'), 'nw_proto=59,nw_tos=0,nw_ecn=0,nw_ttl=64');
  t.match(read('ipv6,in_port=1').completion?.note, /nothing follows \(nw_proto=59\)/);
  t.equal(read('ip,in_port=1').completion, undefined);
  t.end();
});

void t.test('fields that are given twice', (t) => {
  for (const [flow, twice] of [
    ['in_port=1,in_port=1,ip', 'in_port'],
    ['in_port=1,ip,tcp', 'dl_type'],
    ['in_port=1,tcp,nw_proto=6', 'nw_proto'],
    ['in_port=1,tcp,tp_src=1,tcp_src=2', 'tp_src'],
    ['in_port=1,reg0=1,reg0=1', 'reg0'],
  ] as const)
    t.match(
      complaint(() => read(flow)),
      new RegExp(`^FLOW:1:\\d+: ${twice} is given twice$`),
    );
  t.match(seen('in_port=1,dl_vlan=5,dl_vlan_pcp=3,ip,xxreg0=1,reg0=1'), 'dl_vlan_pcp=3');
  t.end();
});
