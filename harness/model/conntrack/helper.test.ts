/**
 * Goal: what FTP and TFTP tell of is expected from then on, with the mark of who told, and what the model does not know of it is refused by name. Method: single
 * packets between two hosts, and the connections that are there afterwards; helper.live.test.ts holds hundreds of others to switches.
 */
import t from 'tap';
import { encodeEthernet, etherTypes } from '../../packet/ethernet.js';
import { encodeIpv4, ipProtocols } from '../../packet/ipv4.js';
import { encodeTcp } from '../../packet/tcp.js';
import { encodeUdp } from '../../packet/udp.js';
import type { Version } from '../behaviour.js';
import { buildNode, type ModelNode } from '../node.js';
import { operate } from '../operations.js';
import { stateOf } from '../state.js';
import { receiveFrame } from '../switch.js';

const flows = ['tcp,tp_dst=21 actions=ct(commit,alg=ftp,exec(set_field:5->ct_mark))', 'tcp,tp_src=21 actions=ct(table=1)', 'udp,tp_dst=70 actions=ct(commit,alg=tftp,exec(set_field:6->ct_mark))', 'priority=1,ip actions=ct(commit,exec(set_field:9->ct_mark))'];

function nodeOf(version?: Version, own: readonly string[] = flows): ModelNode {
  return buildNode({ node: 'n', hosts: [], bridges: [{ name: 'br', mac: '02:00:00:00:00:fe', ports: [{ kind: 'endpoint', name: 'p1', ofport: 1 }], flows: own }] }, version);
}

type Ends = readonly [src: string, srcPort: number, dst: string, dstPort: number];
const [client, server] = ['10.0.0.1', '10.0.0.2'];
const [asked, answered]: readonly [Ends, Ends] = [[client, 4000, server, 21], [server, 21, client, 4000]];

function send(node: ModelNode, protocol: 'tcp' | 'udp', [src, srcPort, dst, dstPort]: Ends, text = ''): void {
  const ends = { src, dst };
  const tcp = { srcPort, dstPort, sequence: 1000, acknowledgement: 1000, flags: 0x10, window: 60_000, urgentPointer: 0, options: new Uint8Array() };
  const transport = protocol === 'tcp' ? encodeTcp(tcp, Buffer.from(text), ends) : encodeUdp({ srcPort, dstPort }, Buffer.from(text), ends);
  receiveFrame(node, 'p1', encodeEthernet({ dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 }, encodeIpv4({ ...ends, protocol: ipProtocols[protocol], ttl: 64 }, transport)));
}

const related = (node: ModelNode) => stateOf(node).connections.flatMap(({ original, mark, parent }) => (parent === undefined ? [] : [`${original} mark=${mark} of ${parent}`]));
const parent = 'src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=21';

void t.test('FTP, active and passive', async (t) => {
  const node = nodeOf();
  send(node, 'tcp', asked, 'PORT 10,0,0,1,16,2\r\n');
  send(node, 'tcp', answered, '227 Entering Passive Mode (10,0,0,2,16,3).\r\n');
  send(node, 'tcp', [server, 20, client, 4098]);
  send(node, 'tcp', [client, 4001, server, 4099]);
  send(node, 'tcp', [client, 4001, server, 4098]);
  t.strictSame(related(node), [`src=10.0.0.2,dst=10.0.0.1,sport=20,dport=4098 mark=5 of ${parent}`, `src=10.0.0.1,dst=10.0.0.2,sport=4001,dport=4099 mark=5 of ${parent}`]);
});

void t.test('TFTP from another port than its own', async (t) => {
  const told = (version: Version) => {
    const node = nodeOf(version);
    send(node, 'udp', [client, 4000, server, 70]);
    send(node, 'udp', [server, 4001, client, 4000]);
    return related(node);
  };
  for (const version of [[3, 1], [4, 0]] as const) t.strictSame(told(version), ['src=10.0.0.2,dst=10.0.0.1,sport=4001,dport=4000 mark=6 of src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=70']);
});

void t.test('what was told is forgotten with the connection', async (t) => {
  const node = nodeOf();
  send(node, 'tcp', asked, 'PORT 10,0,0,1,16,2\r\n');
  operate(node, { kind: 'flush', node: 'n' });
  send(node, 'tcp', [server, 20, client, 4098]);
  t.strictSame(related(node), []);
});

void t.test('refused by name', async (t) => {
  const refuses = (why: RegExp, work: () => void) => t.throws(work, { name: 'Unsupported', message: why });
  const tells = (text: string, version?: Version, own?: readonly string[]) => { send(nodeOf(version, own), 'tcp', asked, text); };
  refuses(/does not read EPRT and EPSV/, () => { tells('EPRT |1|10.0.0.1|4098|\r\n', [4, 0]); });
  t.doesNotThrow(() => { tells('EPRT |1|10.0.0.1|4098|\r\n', [3, 5]); }, 'not read over IPv4');
  refuses(/does not know what Open vSwitch makes of FTP's "PORT 10,0,0"/, () => { tells('PORT 10,0,0\r'); });
  refuses(/does not translate addresses that FTP tells of/, () => { tells('PORT 10,0,0,1,16,2\r\n', [4, 0], ['tcp actions=ct(commit,alg=ftp,nat(src=10.0.0.9))']); });
  refuses(/whether src=10.0.0.2.*is still expected/, () => {
    const node = nodeOf();
    send(node, 'tcp', asked, 'PORT 10,0,0,1,16,2\r\n');
    operate(node, { kind: 'advance', node: 'n', ms: 100_000_000 });
    send(node, 'tcp', [server, 20, client, 4098]);
  });
});
