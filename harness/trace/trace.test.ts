/**
 * Goal: dumps of any version are the switch they were printed from, a packet takes the way that they say, and what is wrong is told with
 * its place. Method: one small switch as ovs-ofctl prints it in OpenFlow 1.0 and 1.5, with names and without.
 */
import t from 'tap';
import { encodeEthernet, etherTypes } from '../packet/ethernet.js';
import { switchOf } from './switch.js';
import { tracePacket } from './trace.js';

const shown = `OFPT_FEATURES_REPLY (xid=0x2): dpid:0000aabbccddeeff
n_tables:254, n_buffers:0
 1(p1): addr:aa:55:aa:55:00:01
     config:     0
     speed: 0 Mbps now, 0 Mbps max
 2(p2): addr:aa:55:aa:55:00:02
 LOCAL(br0): addr:aa:bb:cc:dd:ee:ff
`;
const version15 = `OFPST_FLOW reply (OF1.5) (xid=0x2):
 cookie=0x0, duration=3.1s, table=0, n_packets=5, n_bytes=70, idle_age=2, priority=7,in_port=1 actions=set_field:0x3->reg0,goto_table:9
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, reg0=0x3 actions=set_field:0a:00:00:00:00:09->eth_src,output:2
`;
const version10 = `NXST_FLOW reply (xid=0x4):
 cookie=0x0, duration=3.1s, table=0, n_packets=5, n_bytes=70, idle_age=2, priority=7,in_port=1 actions=load:0x3->NXM_NX_REG0[],resubmit(,9)
 cookie=0x0, duration=3.1s, table=9, n_packets=5, n_bytes=70, idle_age=2, reg0=0x3 actions=mod_dl_src:0a:00:00:00:00:09,output:2
`;
const frame = encodeEthernet({ src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 }, new Uint8Array(46));
const ports = { text: shown, file: 'ports' };
const trace = (flows: string, port: string, withPorts = true) => tracePacket(switchOf({ bridge: 'br0', flows: { text: flows, file: 'flows' }, ...(withPorts ? { ports } : {}) }), port, frame);

void t.test('the way of a packet', (t) => {
  for (const [what, flows] of [['OpenFlow 1.5', version15], ['OpenFlow 1.0', version10], ['names', version15.replace('in_port=1', 'in_port=p1').replace('output:2', 'output:p2')]] as const) {
    const { path, outputs } = trace(flows, 'p1');
    t.strictSame(path.map(({ table, flow }) => `${table} ${flow?.id.match}`), ['0 in_port=1', '9 reg0=0x3'], what);
    t.match(path.map(({ effects }) => effects), [[{ kind: 'write', field: 'reg0' }], [{ kind: 'write', field: 'eth_src' }, { kind: 'output', port: 'p2' }]], what);
    t.strictSame(outputs.map(({ port, frame: out }) => [port, out.subarray(6, 12)]), [['p2', Uint8Array.of(10, 0, 0, 0, 0, 9)]], what);
  }
  t.match(trace(version15, '1', false).outputs, [{ port: '2' }], 'numbers stand for themselves');
  t.match(trace(version15, '1').outputs, [{ port: 'p2' }], 'a port by its number');
  t.match(trace(version15, 'p2'), { path: [{ table: 0, effects: [{ kind: 'drop', why: 'no flow of table 0 matches' }] }], outputs: [] });
  t.end();
});

void t.test('what is wrong', (t) => {
  t.throws(() => trace(version15, 'p3'), { name: 'InputError', message: /unknown port "p3".*br0, p1, p2/ });
  t.throws(() => trace(version15.replace('goto_table', 'goto_tables'), 'p1'), { name: 'InputError', message: /^flows:2:\d+: / });
  t.throws(() => switchOf({ bridge: 'br0', flows: { text: version15, file: 'flows' }, ports: { text: 'nothing', file: 'ports' } }), { name: 'InputError', message: /^ports: expected what "ovs-ofctl show" prints/ });
  t.throws(() => switchOf({ bridge: 'br0', flows: { text: version15, file: 'flows' }, ports: { text: shown.replace('(p2)', '(p1)'), file: 'ports' } }), { name: 'InputError', message: 'ports:6: two ports are called p1' });
  t.end();
});
