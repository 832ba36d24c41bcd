/**
 * Goal: a flow that is there twice is one flow or an error, named with both lines; what a switch is
 * given is what ovs-ofctl reads. Method: a dump with one line more, and flows that people wrote.
 */
import t from 'tap';
import { complaint } from '../base/errors/errors.js';
import { printFlow } from '../openflow/flows/flow.js';
import { noNames } from '../openflow/syntax/form.js';
import { readFlowDump } from './read-flow-dump.js';

const dump = [
  'OFPST_FLOW reply (OF1.5) (xid=0x2):',
  ' cookie=0x0, duration=3.2s, table=0, n_packets=0, n_bytes=0, ip actions=output:1,output:2',
  ' cookie=0x7, duration=3.2s, table=0, n_packets=10, n_bytes=100, in_port=1 actions=drop',
  ' cookie=0x0, duration=3.2s, table=9, n_packets=0, n_bytes=0, actions=drop',
];
const read = (text: string) => readFlowDump({ text, file: 'flows' }, noNames);

void t.test('a flow that is there twice', (t) => {
  const line = dump[1] ?? '';
  const again = read([...dump, line].join('\n'));
  t.equal(again.flows.length, 3);
  t.equal(again.texts.length, 3);
  t.match(again.notes, ['flows: the flow of line 5 is that of line 2 again']);
  t.match(
    complaint(() => read([...dump, line.replace('output:2', 'output:3')].join('\n'))),
    /^flows:5: this flow has the table, priority and match of that of line 2, and other actions/,
  );
  const added = read('ip,actions=1\nip,actions=2');
  t.strictSame(
    added.flows.map(({ flow }) => printFlow(flow)),
    ['table=0, priority=32768,ip actions=output:2'],
    'flows that are added take the place of those before',
  );
  t.match(added.notes, ['flows: the flow of line 2 takes the place of line 1']);
  t.end();
});

void t.test('masks that ovs-ofctl prints and does not read', (t) => {
  t.strictSame(read('ip,actions=set_field:48/0x3f->ip_dscp,set_field:1/0x3->nw_ecn').texts, [
    'ip,actions=set_field:48->ip_dscp,set_field:1->nw_ecn',
  ]);
  t.strictSame(read('ip,actions=set_field:2/0x2->nw_ecn,set_field:0x9/0x19->nw_ttl').texts, [
    'ip,actions=load:0x1->NXM_NX_IP_ECN[1..1],' +
      'load:0x1->NXM_NX_IP_TTL[0..0],load:0x1->NXM_NX_IP_TTL[3..4]',
  ]);
  const masked =
    'ip,actions=set_field:0x1/0xff->reg0,set_field:00:00:00:00:00:01/00:00:00:00:00:ff->eth_src';
  t.strictSame(read(masked).texts, [masked]);
  t.end();
});

void t.test('an action is enough', (t) => {
  t.equal(read(dump.join('\n').replaceAll('actions=', 'action=')).flows.length, 3);
  t.match(
    complaint(() => read('in_port=1,ip\n  actions=output:2')),
    /^flows:1:1: .*this one is broken, or none/,
  );
  t.end();
});
