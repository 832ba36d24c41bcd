/**
 * Goal: a switch remembers what dumps hold when a script begins, in the model as in reality:
 * connections and learned addresses with their ages. Method: dumps with everything that can be
 * given, scripts that go by them, all three versions. SUITE=trixie for one version.
 */
import t from 'tap';
import { openImage } from '../../../images/images.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { withControllers } from '../check-packets.js';
import { dumpedSwitch } from '../../dumps/dumped-switch.js';
import { checkScript } from './check-script.js';
import { playScript } from './play-script.js';
import { prepareSwitch } from './prepare-switch.js';
import { readScript } from './read-script.js';
import { reportStep } from './report-step.js';

const suites = (process.env['SUITE'] ?? 'bookworm,trixie,sid').split(',');
const flows = `table=0,priority=9,arp actions=NORMAL
table=0,ip actions=ct(table=1,zone=7)
table=1,priority=40000,ct_state=+est+rpl,ct_mark=5 actions=output:1
table=1,ct_state=+est actions=output:3
table=1,ct_state=+new actions=output:2
table=1,ct_state=+inv actions=LOCAL
`;
const shown =
  ' 1(p1): addr:aa:55:aa:55:00:01\n 2(p2): addr:aa:55:aa:55:00:02\n 3(p3): ' +
  'addr:aa:55:aa:55:00:03\n LOCAL(br0): addr:aa:bb:cc:dd:ee:ff\n';
const into = dumpedSwitch([
  { bridge: 'br0', flows: { text: flows, file: 'flows' }, ports: { text: shown, file: 'ports' } },
]);
const connections = `udp,orig=(src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=7),reply=(src=10.0.0.2,dst=10.0.0.1,sport=7,dport=4000),id=0,zone=7,status=0,timeout=12,mark=5,labels=0x77
udp,orig=(src=10.0.0.3,dst=10.0.0.2,sport=4000,dport=7),reply=(src=10.0.0.2,dst=10.0.0.3,sport=7,dport=4000),zone=7,timeout=50

tcp,orig=(src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=80),reply=(src=10.0.0.2,dst=10.0.0.1,sport=80,dport=4000),zone=7,timeout=86000,protoinfo=(state_orig=ESTABLISHED,state_reply=ESTABLISHED,flags_orig=0,flags_reply=0)
udp,orig=(src=fc00::1,dst=fc00::2,sport=4000,dport=7),reply=(src=fc00::2,dst=fc00::1,sport=7,dport=4000)
`;
const macs =
  ' port  VLAN  MAC                Age\n    1     0  0a:00:00:00:00:01   12\n   p2     6  ' +
  '0a:00:00:00:00:02\n   p2     7  0a:00:00:00:00:02\nLOCAL     0  0a:00:00:00:00:0f  100\n';
const script = readScript(
  {
    file: 'script',
    text: `dump-conntrack
dump-fdb
inject p2 udp,nw_src=10.0.0.2,nw_dst=10.0.0.1,nw_ttl=64,tp_src=7,tp_dst=4000
inject p1 udp,nw_src=10.0.0.3,nw_dst=10.0.0.2,nw_ttl=64,tp_src=4000,tp_dst=7
inject p1 tcp,nw_src=10.0.0.1,nw_dst=10.0.0.2,nw_ttl=64,tp_src=4000,tp_dst=80,tcp_flags=ack
inject p3 arp,dl_src=0a:00:00:00:00:03,dl_dst=0a:00:00:00:00:01
advance 20s
dump-fdb
dump-flows
dump-conntrack
inject p2 udp,nw_src=10.0.0.2,nw_dst=10.0.0.1,nw_ttl=64,tp_src=7,tp_dst=4000
`,
  },
  into,
  {
    connections: { text: connections, file: 'ct' },
    macs: [{ bridge: 'br0', source: { text: macs, file: 'fdb' } }],
  },
);

void t.test('in the model', (t) => {
  const reported = playScript(script)
    .map(reportStep)
    .map(({ result }) =>
      result.kind === 'packet'
        ? result.packet.outputs.map(({ port }) => port).join(' ')
        : result.kind === 'dump'
          ? result.lines
          : result.kind,
    );
  t.strictSame(reported.slice(1, 7), [
    [
      ' port  VLAN  MAC',
      '   p1     0  0a:00:00:00:00:01',
      '  br0     0  0a:00:00:00:00:0f',
      '   p2     6  0a:00:00:00:00:02',
      '   p2     7  0a:00:00:00:00:02',
    ],
    'p1',
    'p2',
    'p3',
    'p1',
    'done',
  ]);
  t.match(reported[0], [
    /^udp,orig=\(src=fc00::1,.*timeout=30$/,
    /^tcp,.*zone=7,status=0,timeout=86000,protoinfo=\(state_orig=ESTABLISHED,state_reply=ESTABLISHED/,
    /^udp,orig=\(src=10\.0\.0\.1,.*timeout=12,mark=5,labels=0x77$/,
    /^udp,orig=\(src=10\.0\.0\.3,.*timeout=50$/,
  ]);
  t.end();
});

for (const suite of suites) {
  void t.test(`on ${suite}`, async (t) => {
    const prepared = prepareSwitch(
      { ...into, plan: withControllers(into.plan) },
      script.initialState,
    );
    const sim = await openSim(
      { nodes: [prepared.plan] },
      await openImage(suite, (line) => t.comment(line)),
    );
    t.teardown(() => sim.close());
    t.strictSame((await checkScript(prepared, sim, script)).divergence, undefined);
  });
}

void t.test('what cannot be given', (t) => {
  const read = (ct: string, fdb = '') =>
    playScript(
      readScript({ text: '', file: 's' }, into, {
        connections: { text: ct, file: 'ct' },
        macs: [{ bridge: 'br0', source: { text: fdb, file: 'fdb' } }],
      }),
    );
  const [udp = '', , , tcp = ''] = connections.split('\n');
  for (const [ct, fdb, message] of [
    ['\nnonsense', '', /^ct:2: expected a line of "dpctl\/dump-conntrack -m -s"/],
    [
      udp.replace('udp', 'sctp'),
      '',
      'ct:1: connections of sctp cannot be given to begin with: tcp, udp, icmp, icmpv6 can',
    ],
    [
      udp.replace('dst=10.0.0.1', 'dst=10.0.0.9'),
      '',
      /^ct:1: connections with translated addresses/,
    ],
    [tcp.replace('ESTABLISHED', 'FIN_WAIT_2'), '', /^ct:1: of TCP, only connections that stand/],
    [
      udp.replace('timeout=12', 'timeout=90'),
      '',
      'ct:1: timeout=90: a connection of udp lives for 60 s at most',
    ],
    ['', 'what', /^fdb:1: expected a line of "fdb\/show br0"/],
    [
      '',
      '  9  0 0a:00:00:00:00:01 1',
      'fdb:1: bridge br0 has no port "9": it has p1, p2, p3, LOCAL',
    ],
    [
      '',
      '  1  0 0a:00:00:00:00:01 301',
      'fdb:1: an address is forgotten 300 s after it was seen last; its age here is 301',
    ],
  ] as const)
    t.throws(() => read(ct, fdb), { name: 'InputError', message });
  t.end();
});
