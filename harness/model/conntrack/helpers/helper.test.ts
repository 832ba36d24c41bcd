/**
 * Goal: what FTP and TFTP report is expected from then on, with the mark of its parent, and what
 * the model does not know of it is refused by name. Method: single packets between two hosts, and
 * the connections that are there afterwards; helper.live.test.ts holds hundreds of others to
 * switches.
 */
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { encodeTcp } from '../../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { ipv4Number } from '../../../base/addresses/mac-and-ipv4.js';
import { Unpredictable, Unsupported } from '../../../base/errors/errors.js';
import { ipv6Number } from '../../../base/addresses/ipv6.js';
import { behaviourOf, type Version } from '../../behaviour.js';
import type { ModelNode } from '../../model-node.js';
import { buildNode } from '../../build-node.js';
import { applyCall } from '../../apply-call.js';
import { stateOf } from '../../state-of-node.js';
import { receiveFrame } from '../../receive-frame.js';
import type { Connection } from '../connection.js';
import { readFtp } from './ftp.js';
import { timeoutsOf } from '../timeouts.js';
import { addressFrom, reversed, type Endpoint, type Tuple } from '../tuple.js';

const flows = [
  'tcp,tp_dst=21 actions=ct(commit,alg=ftp,exec(set_field:5->ct_mark))',
  'tcp,tp_src=21 actions=ct(table=1)',
  'udp,tp_dst=70 actions=ct(commit,alg=tftp,exec(set_field:6->ct_mark))',
  'priority=1,ip actions=ct(commit,exec(set_field:9->ct_mark))',
];

function nodeOf(version?: Version, own: readonly string[] = flows): ModelNode {
  return buildNode(
    {
      node: 'n',
      hosts: [],
      bridges: [
        {
          name: 'br',
          mac: '02:00:00:00:00:fe',
          ports: [{ kind: 'endpoint', name: 'p1', ofport: 1 }],
          flows: own,
        },
      ],
    },
    version,
  );
}

type Ends = readonly [src: string, srcPort: number, dst: string, dstPort: number];
const [client, server] = ['10.0.0.1', '10.0.0.2'];
const [asked, answered]: readonly [Ends, Ends] = [
  [client, 4000, server, 21],
  [server, 21, client, 4000],
];

function send(
  node: ModelNode,
  protocol: 'tcp' | 'udp',
  [src, srcPort, dst, dstPort]: Ends,
  text = '',
): readonly string[] {
  const ends = { src, dst };
  const tcp = {
    srcPort,
    dstPort,
    sequence: 1000,
    acknowledgement: 1000,
    flags: 0x10,
    window: 60_000,
    urgentPointer: 0,
    options: new Uint8Array(),
  };
  const transport =
    protocol === 'tcp'
      ? encodeTcp(tcp, Buffer.from(text), ends)
      : encodeUdp({ srcPort, dstPort }, Buffer.from(text), ends);
  const { step } = receiveFrame(
    node,
    'p1',
    encodeEthernet(
      { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
      encodeIpv4({ ...ends, protocol: ipProtocols[protocol], ttl: 64 }, transport),
    ),
  );
  return step.outputs.map(({ frame }) => Buffer.from(frame).toString('latin1'));
}

const related = (node: ModelNode) =>
  stateOf(node).connections.flatMap(({ original, mark, parent }) =>
    parent === undefined ? [] : [`${original} mark=${mark} of ${parent}`],
  );
const parent = 'src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=21';

void t.test('FTP, active and passive', async (t) => {
  const node = nodeOf();
  send(node, 'tcp', asked, 'PORT 10,0,0,1,16,2\r\n');
  send(node, 'tcp', answered, '227 Entering Passive Mode (10,0,0,2,16,3).\r\n');
  send(node, 'tcp', [server, 20, client, 4098]);
  send(node, 'tcp', [client, 4001, server, 4099]);
  send(node, 'tcp', [client, 4001, server, 4098]);
  t.strictSame(related(node), [
    `src=10.0.0.2,dst=10.0.0.1,sport=20,dport=4098 mark=5 of ${parent}`,
    `src=10.0.0.1,dst=10.0.0.2,sport=4001,dport=4099 mark=5 of ${parent}`,
  ]);
});

void t.test('TFTP from another port than its own', async (t) => {
  const readBy = (version: Version) => {
    const node = nodeOf(version);
    send(node, 'udp', [client, 4000, server, 70]);
    send(node, 'udp', [server, 4001, client, 4000]);
    return related(node);
  };
  for (const version of [
    [3, 1],
    [4, 0],
  ] as const)
    t.strictSame(readBy(version), [
      'src=10.0.0.2,dst=10.0.0.1,sport=4001,dport=4000 mark=6 of ' +
        'src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=70',
    ]);
});

void t.test('what was expected is forgotten with the connection', async (t) => {
  const node = nodeOf();
  send(node, 'tcp', asked, 'PORT 10,0,0,1,16,2\r\n');
  applyCall(node, { kind: 'flush', node: 'n' });
  send(node, 'tcp', [server, 20, client, 4098]);
  t.strictSame(related(node), []);
});

void t.test('words of FTP over both families', (t) => {
  const [v4, v6] = ['10.0.0.1', 'fd00::1'].map((near): Connection => {
    const [src, dst] = [near, near.replace(/1$/, '2')].map((text) => ({
      address: near.includes(':')
        ? addressFrom(ipv6Number(text), 'ipv6')
        : addressFrom(BigInt(ipv4Number(text)), 'ipv4'),
      port: 21,
      type: 0,
    })) as [Endpoint, Endpoint];
    const original: Tuple = {
      zone: 0,
      family: near.includes(':') ? 'ipv6' : 'ipv4',
      protocol: ipProtocols.tcp,
      src,
      dst,
    };
    return {
      original,
      reply: reversed(original),
      progress: { kind: 'icmp', answered: false },
      timeouts: timeoutsOf({}),
      expiredBefore: 0,
      mark: 0,
      label: 0n,
      expiresAtMs: 0,
    };
  }) as [Connection, Connection];
  const readBy = (connection: Connection, text: string, version: Version = [4, 0]) => {
    const read = readFtp(Buffer.from(`${text}\r\n`), connection, behaviourOf(version));
    return read.kind === 'port' ? read.port : read.kind;
  };
  const words: readonly (readonly [
    connection: Connection,
    text: string,
    gives: number | string,
  ])[] = [
    [v4, 'PORT 10,0,0,1,16,2', 4098],
    [v4, 'port 10,0,0,2,16,2', 'invalid'],
    [v4, 'PORT 10,0,0,1,256,2', 'invalid'],
    [v4, 'PORT 10,0,0,1,16', 'invalid'],
    [v4, 'PORT 10,0,0', 'invalid'],
    [v4, 'PORT', 'invalid'],
    [v4, 'PORT x', 'invalid'],
    [v4, 'PORT 10,00,0,1,16,2', 'invalid'],
    [v4, '227 Entering Passive Mode (10,0,0,2,16,3).', 4099],
    [v4, 'EPRT |1|10.0.0.1|4098|', 4098],
    [v4, 'EPRT |2|10.0.0.1|4098|', 'invalid'],
    [v4, 'EPRT |11|10.0.0.1|4098|', 'invalid'],
    [v4, 'EPRT |1|10.0.0.9|4098|', 'invalid'],
    [v4, 'EPRT |1|10.0.0.1|65536|', 'invalid'],
    [v4, '229 Entering Extended Passive Mode (|||6446|)', 6446],
    [v4, '229 none', 'invalid'],
    [v4, '226 Done.', 'nothing'],
    [v4, '', 'nothing'],
    [v6, 'EPRT |2|fd00::1|4098|', 4098],
    [v6, 'EPRT |1|fd00::1|4098|', 'invalid'],
    [v6, 'EPRT |2|fd00::9|4098|', 'invalid'],
    [v6, 'EPRT |2|fd00:::1|4098|', 'invalid'],
    [v6, '229 Entering Extended Passive Mode (|||6446|)', 6446],
    [v6, '229 (|||6446|)', 'nothing'],
    [v6, 'extended passive', 'invalid'],
    [v6, 'PORT 10,0,0,1,16,2', 'nothing'],
  ];
  for (const [connection, text, gives] of words) t.equal(readBy(connection, text), gives, text);
  t.equal(
    readBy(v4, 'EPRT |1|10.0.0.1|4098|', [3, 5]),
    'nothing',
    'over IPv4, only newer versions read it',
  );
  t.end();
});

const translating = 'ct(commit,alg=ftp,nat(src=10.0.0.9),exec(set_field:5->ct_mark)),LOCAL';
const words = 'PORT 10,0,0,1,16,2\r\n';

void t.test('words of FTP that need another address, for which the buffer has no room', (t) => {
  const node = nodeOf(undefined, [
    `tcp,tp_dst=21 actions=${translating}`,
    'priority=1,ip actions=ct(commit,exec(set_field:9->ct_mark))',
  ]);
  const [left] = send(node, 'tcp', asked, words);
  t.ok(
    left?.includes('\x0a\x00\x00\x09') && left.endsWith(words),
    'the header has the other address, and what FTP says has not',
  );
  send(node, 'tcp', [server, 20, '10.0.0.9', 4098]);
  t.strictSame(related(node), [
    `src=10.0.0.2,dst=10.0.0.9,sport=20,dport=4098 mark=5 of ${parent}`,
  ]);
  t.end();
});

void t.test('refused by name', async (t) => {
  const refuses = (why: RegExp, as: typeof Unsupported, work: () => void) => {
    t.equal((t.throws(work, why) as Error).constructor, as);
  };
  const tagged = nodeOf(undefined, [`tcp actions=push_vlan:0x8100,LOCAL,pop_vlan,${translating}`]);
  refuses(/whose headers have come or gone has room/, Unpredictable, () => {
    send(tagged, 'tcp', asked, words);
  });
  refuses(/whether src=10.0.0.2.*is still expected/, Unsupported, () => {
    const node = nodeOf();
    send(node, 'tcp', asked, 'PORT 10,0,0,1,16,2\r\n');
    applyCall(node, { kind: 'advance', node: 'n', ms: 100_000_000 });
    send(node, 'tcp', [server, 20, client, 4098]);
  });
});
