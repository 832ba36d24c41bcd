/**
 * Goal: what switches remember is read as they report it, whatever the protocol, and what is not
 * understood is never taken for nothing. Method: answers of real switches (Open vSwitch 3.1.0,
 * 3.5.0 and 4.0.0), letter by letter.
 */
import t from 'tap';
import { parseConnections, parseMacs, parseMulticast } from './parse-switch-state.js';

void t.test('connections', async (t) => {
  const tcp =
    'tcp,orig=(src=10.10.1.1,dst=10.10.2.2,sport=50001,dport=7),reply=(src=10.10.2.2,' +
    'dst=10.10.1.1,sport=7,dport=50001),id=0,zone=65520,status=0,timeout=30,mark=32,' +
    'protoinfo=(state_orig=FIN_WAIT_2,state_reply=FIN_WAIT_2,flags_orig=0,flags_reply=0)';
  const icmp =
    'icmp,orig=(src=10.10.1.2,dst=10.10.2.2,id=77,type=8,code=0),reply=(src=10.10.2.2,' +
    'dst=10.10.1.2,id=77,type=0,code=0),id=0,status=0,timeout=60';
  t.strictSame(parseConnections('n1', `${tcp}\n${icmp}\n`), [
    {
      node: 'n1',
      zone: 65520,
      protocol: 'tcp',
      original: 'src=10.10.1.1,dst=10.10.2.2,sport=50001,dport=7',
      reply: 'src=10.10.2.2,dst=10.10.1.1,sport=7,dport=50001',
      mark: 32,
      progress: 'state_orig=FIN_WAIT_2,state_reply=FIN_WAIT_2,flags_orig=0,flags_reply=0',
      timeoutS: 30,
    },
    {
      node: 'n1',
      zone: 0,
      protocol: 'icmp',
      original: 'src=10.10.1.2,dst=10.10.2.2,id=77,type=8,code=0',
      reply: 'src=10.10.2.2,dst=10.10.1.2,id=77,type=0,code=0',
      mark: 0,
      progress: '',
      timeoutS: 60,
    },
  ]);
  t.match(
    parseConnections('n1', icmp.replace('timeout=60', 'timeout=0')),
    [{ timeoutS: 0 }],
    'in its last second it is still there',
  );
  t.strictSame(parseConnections('n1', '\n'), []);
  t.throws(() => parseConnections('n1', 'no such datapath'), {
    name: 'Unavailable',
    message: /node n1 .* "no such datapath"/,
  });
  t.throws(
    () => parseConnections('n1', icmp.replace(',timeout=60', '')),
    { name: 'Unavailable' },
    'without a timeout',
  );
});

void t.test('learned MACs', async (t) => {
  const bridge = {
    name: 'br-phys',
    mac: '02:00:00:00:00:fe',
    flows: [],
    ports: [{ kind: 'uplink', name: 'eth0', ofport: 1, mac: '0a:00:ac:1e:00:01' }],
  } as const;
  const header = ' port  VLAN  MAC                Age\n';
  t.strictSame(
    parseMacs(
      'n1',
      bridge,
      `${header}LOCAL     0  0a:00:ac:1e:00:01    0\n    1     5  0a:00:ac:1e:00:02  299\n    ` +
        '9     0  0a:00:ac:1e:00:03  static\n',
    ),
    [
      { node: 'n1', bridge: 'br-phys', port: 'br-phys', vlan: 0, mac: '0a:00:ac:1e:00:01' },
      { node: 'n1', bridge: 'br-phys', port: 'eth0', vlan: 5, mac: '0a:00:ac:1e:00:02' },
      { node: 'n1', bridge: 'br-phys', port: '9', vlan: 0, mac: '0a:00:ac:1e:00:03' },
    ],
  );
  t.strictSame(parseMacs('n1', bridge, header), []);
  t.throws(() => parseMacs('n1', bridge, `${header}what is this`), {
    name: 'Unavailable',
    message: /"what is this"/,
  });
});

void t.test('who asked for multicast', async (t) => {
  const bridge = {
    name: 'br0',
    mac: '02:00:00:00:00:fe',
    flows: [],
    ports: [
      { kind: 'endpoint', name: 'p1', ofport: 1 },
      { kind: 'endpoint', name: 'p2', ofport: 2 },
    ],
  } as const;
  const before =
    ' port  VLAN  GROUP                Age\n    1     5  239.1.1.1           3\nLOCAL     0  ' +
    'ff15::2           3\n    2     0  querier               3\n';
  const since =
    ' port  VLAN  protocol  GROUP                Age\n    1     5  IGMPv2    239.1.1.1        ' +
    '   3\nLOCAL     0  MLDv1     ff15::2           3\n    2     0  UNKNOWN   querier         ' +
    '      3\n';
  const shown = [
    { port: 'p1', vlan: 5, group: '239.1.1.1' },
    { port: 'br0', vlan: 0, group: 'ff15::2' },
    { port: 'p2', vlan: 0, group: 'querier' },
  ].map((each) => ({ node: 'n1', bridge: 'br0', ...each, ageS: 3 }));
  t.strictSame(parseMulticast('n1', bridge, before), shown, 'before 3.2');
  t.strictSame(parseMulticast('n1', bridge, since), shown);
  t.throws(() => parseMulticast('n1', bridge, `${since}what is this`), {
    name: 'Unavailable',
    message: /"what is this"/,
  });
});
