/**
 * Goal: what real switches were seen to make of connections that are translated holds without one:
 * addresses and ports both ways, what happens to those whose port is taken, what is not specified
 * and how it is answered, and the bytes. Method: packets through pipelines that show ct_state;
 * nat.live.test.ts holds thousands of others to switches.
 */
import t from 'tap';
import { Unpredictable } from '../../base/errors/errors.js';
import type { SwitchStep } from '../../domain/switching.js';
import { describeFrame } from '../../packet/dissect/describe-frame.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { parseVersion } from '../behaviour.js';
import type { ModelNode } from '../model-node.js';
import { buildNode } from '../build-node.js';
import { applyCall } from '../apply-call.js';
import { stateOf } from '../state-of-node.js';
import { receiveFrame } from '../receive-frame.js';
import {
  resolveAmbiguity,
  firstCandidateOracle,
  AmbiguousOutcome,
  type Oracle,
} from '../ambiguity.js';

const [client, other, server] = ['10.0.0.1', '10.0.0.3', '10.0.0.2'];

const ip = (protocol: number, src: string, dst: string, payload: Uint8Array) =>
  encodeEthernet(
    { dst: '02:00:00:00:00:02', src: '02:00:00:00:00:01', etherType: etherTypes.ipv4 },
    encodeIpv4({ src, dst, ttl: 64, protocol }, payload),
  );
const udp = (src: string, srcPort: number, dst: string, dstPort: number) =>
  ip(ipProtocols.udp, src, dst, encodeUdp({ srcPort, dstPort }, new Uint8Array(2), { src, dst }));
const echo = (src: string, dst: string, identifier: number, type = 8) =>
  ip(
    ipProtocols.icmp,
    src,
    dst,
    encodeIcmp({ type, code: 0, identifier, sequence: 1 }, new Uint8Array(2)),
  );

/**
 * What enters at p1 is translated as `nat` says, what enters at p2 as its connection says; both
 * leave by a port that reports ct_state.
 */
function translating(nat: string, version = '4.0'): ModelNode {
  const flows = [
    `in_port=1,ip,actions=ct(commit,zone=5,${nat},table=1)`,
    'in_port=2,ip,actions=ct(zone=5,nat,table=1)',
    ...['-snat-dnat', '+snat-dnat', '-snat+dnat'].map(
      (bits, index) => `table=1,ip,ct_state=${bits}-inv,actions=output:${3 + index}`,
    ),
  ];
  const ports = ['p1', 'p2', 'plain', 'snat', 'dnat'].map((name, index) => ({
    kind: 'endpoint' as const,
    name,
    ofport: index + 1,
  }));
  return buildNode(
    { node: 'n', hosts: [], bridges: [{ name: 'br', mac: '02:00:00:00:00:fe', ports, flows }] },
    parseVersion(version),
  );
}

/** Where the packet goes, and as what. */
async function sent(
  node: ModelNode,
  port: string,
  frame: Uint8Array,
  oracle?: Oracle,
): Promise<string> {
  try {
    return inWords(receiveFrame(node, port, frame).step);
  } catch (error) {
    if (oracle === undefined || !(error instanceof AmbiguousOutcome)) throw error;
    await resolveAmbiguity(error, oracle);
    return inWords(receiveFrame(node, port, frame).step);
  }
}

function inWords({ outputs }: SwitchStep): string {
  return outputs
    .map(
      (output) =>
        `${output.port}: ${describeFrame(output.frame)
          .replace(/^.*?(?= 10)/, '')
          .replace(/ (length|seq).*/, '')
          .trim()}`,
    )
    .join();
}

const seeing = (original: string, reply: string, protocol: 'udp' | 'icmp' = 'udp'): Oracle => ({
  ...firstCandidateOracle,
  connections: () =>
    Promise.resolve([
      { node: 'n', zone: 5, protocol, original, reply, mark: 0, progress: '', timeoutS: 60 },
    ]),
});

void t.test('a source, and back', async (t) => {
  const node = translating('nat(src=10.9.9.9)');
  t.equal(
    await sent(node, 'p1', udp(client, 1000, server, 53)),
    'snat: 10.9.9.9 > 10.0.0.2 UDP 1000 > 53',
  );
  t.equal(
    await sent(node, 'p2', udp(server, 53, '10.9.9.9', 1000)),
    'dnat: 10.0.0.2 > 10.0.0.1 UDP 53 > 1000',
  );
  t.equal(
    await sent(node, 'p1', udp(client, 1000, server, 53)),
    'snat: 10.9.9.9 > 10.0.0.2 UDP 1000 > 53',
  );
  t.equal(
    await sent(node, 'p2', udp(server, 53, client, 1000)),
    'plain: 10.0.0.2 > 10.0.0.1 UDP 53 > 1000',
    'what nobody waits for',
  );
  t.strictSame(
    stateOf(node).connections.map(({ original, reply }) => `${original} ${reply}`),
    ['src=10.0.0.1,dst=10.0.0.2,sport=1000,dport=53 src=10.0.0.2,dst=10.9.9.9,sport=53,dport=1000'],
  );
});

void t.test('a destination, and back', async (t) => {
  const node = translating('nat(dst=10.9.9.9:80)');
  t.equal(
    await sent(node, 'p1', udp(client, 1000, server, 53)),
    'dnat: 10.0.0.1 > 10.9.9.9 UDP 1000 > 80',
  );
  t.equal(
    await sent(node, 'p2', udp('10.9.9.9', 80, client, 1000)),
    'snat: 10.0.0.2 > 10.0.0.1 UDP 53 > 1000',
  );
  t.equal(
    await sent(node, 'p1', udp(client, 1000, '10.0.0.7', 53)),
    'dnat: 10.0.0.1 > 10.9.9.9 UDP 1001 > 80',
    'from another port, where answers could not be distinguished',
  );
});

void t.test('ports that are taken', async (t) => {
  const node = translating('nat(src=10.9.9.9)');
  const next = async (port: number) =>
    (await sent(node, 'p1', udp(`10.0.1.${count++}`, port, server, 53))).replace(
      /.*UDP (\d+).*/,
      '$1',
    );
  let count = 1;
  t.strictSame(
    [
      await next(1000),
      await next(1000),
      await next(1023),
      await next(1023),
      await next(511),
      await next(511),
      await next(65535),
      await next(65535),
      await next(550),
      await next(550),
    ],
    [1000, 1001, 1023, 600, 511, 1, 65535, 1024, 550, 601].map(String),
  );
  const few = translating('nat(src=10.9.9.9:5000)');
  t.equal(
    await sent(few, 'p1', udp(client, 1000, server, 53)),
    'snat: 10.9.9.9 > 10.0.0.2 UDP 5000 > 53',
  );
  t.equal(
    await sent(few, 'p1', udp(other, 1000, server, 53)),
    'plain: 10.0.0.3 > 10.0.0.2 UDP 1000 > 53',
    'nothing is left: it continues as it is',
  );
  t.equal(stateOf(few).connections.length, 1);
});

void t.test('identifiers of ICMP', async (t) => {
  const before = translating('nat(src=10.9.9.9)', '3.5');
  t.equal(
    await sent(before, 'p1', echo(client, server, 7)),
    'snat: 10.9.9.9 > 10.0.0.2 ICMP echo request id 7',
  );
  t.equal(
    await sent(before, 'p1', echo(other, server, 7)),
    'plain: 10.0.0.3 > 10.0.0.2 ICMP echo request id 7',
  );
  const since = translating('nat(src=10.9.9.9)');
  await sent(since, 'p1', echo(client, server, 7));
  t.equal(
    await sent(since, 'p1', echo(other, server, 7)),
    'snat: 10.9.9.9 > 10.0.0.2 ICMP echo request id 8',
  );
  t.equal(
    await sent(since, 'p2', echo(server, '10.9.9.9', 8, 0)),
    'dnat: 10.0.0.2 > 10.0.0.3 ICMP echo reply id 7',
  );
});

void t.test(
  'errors that quote less than a whole header, whose checksum Open vSwitch writes all the ' +
    'same where ports are translated',
  async (t) => {
    const syn = (src: string, srcPort: number) =>
      encodeTcp(
        {
          srcPort,
          dstPort: 80,
          sequence: 1,
          acknowledgement: 0,
          flags: tcpFlags.SYN,
          window: 1000,
          urgentPointer: 0,
          options: new Uint8Array(),
        },
        new Uint8Array(),
        { src, dst: server },
      );
    const answered = (quoted: Uint8Array) =>
      ip(
        ipProtocols.icmp,
        server,
        '10.9.9.9',
        encodeIcmp(
          { type: 3, code: 1, identifier: 0, sequence: 0 },
          encodeIpv4({ src: '10.9.9.9', dst: server, ttl: 64, protocol: ipProtocols.tcp }, quoted),
        ),
      );
    const opened = async (nat: string) => {
      const node = translating(nat);
      await sent(node, 'p1', ip(ipProtocols.tcp, client, server, syn(client, 1000)));
      return node;
    };
    const [toPort, toAddress] = [
      await opened('nat(src=10.9.9.9:2000)'),
      await opened('nat(src=10.9.9.9)'),
    ];
    t.match(
      await sent(toPort, 'p2', answered(syn('10.9.9.9', 2000))),
      /^dnat: 10\.0\.0\.2 > 10\.0\.0\.1 /,
    );
    for (const quoted of [8, 19])
      await t.rejects(sent(toPort, 'p2', answered(syn('10.9.9.9', 2000).subarray(0, quoted))), {
        name: 'Unsupported',
        message: /may end itself at an error of ICMP that quotes less than a whole header/,
      });
    t.match(
      await sent(toAddress, 'p2', answered(syn('10.9.9.9', 1000).subarray(0, 8))),
      /^dnat: 10\.0\.0\.2 > 10\.0\.0\.1 /,
      'the port is the same',
    );
  },
);

void t.test('where nothing is asked for', async (t) => {
  const own = translating('nat(src)');
  t.equal(
    await sent(own, 'p1', udp(client, 1000, server, 53)),
    'snat: 10.0.0.1 > 10.0.0.2 UDP 1000 > 53',
    'its own address, and yet translated',
  );
  const none = translating('nat');
  t.equal(
    await sent(none, 'p1', udp(client, 1000, server, 53)),
    'plain: 10.0.0.1 > 10.0.0.2 UDP 1000 > 53',
  );
  t.equal(
    stateOf(none).connections[0]?.reply,
    'src=0.0.0.0,dst=10.0.0.1,sport=53,dport=0',
    'answers are waited for that nobody sends',
  );
});

void t.test('what is open, the switch is asked for', async (t) => {
  const range = 'nat(src=10.9.9.8-10.9.9.9:5000-5001)';
  await t.rejects(
    sent(translating(range), 'p1', udp(client, 1000, server, 53)),
    /chooses by a seed of its own/,
  );
  const original = 'src=10.0.0.1,dst=10.0.0.2,sport=1000,dport=53';
  const answered = (oracle: Oracle) =>
    sent(translating(range), 'p1', udp(client, 1000, server, 53), oracle);
  t.equal(
    await answered(seeing(original, 'src=10.0.0.2,dst=10.9.9.9,sport=53,dport=5001')),
    'snat: 10.9.9.9 > 10.0.0.2 UDP 5001 > 53',
  );
  t.equal(
    await answered(seeing(original, 'src=10.0.0.2,dst=10.9.9.7,sport=53,dport=5001')),
    'snat: 10.9.9.8 > 10.0.0.2 UDP 5000 > 53',
    'what it cannot have chosen is not taken over',
  );
  t.equal(
    await answered(firstCandidateOracle),
    'snat: 10.9.9.8 > 10.0.0.2 UDP 5000 > 53',
    'nor that there is no connection',
  );
  const full = translating('nat(src=10.9.9.9:5000-5001)');
  for (const [host, port] of [
    [1, 5001],
    [2, 5000],
  ] as const) {
    const seen = seeing(
      `src=10.0.1.${host},dst=10.0.0.2,sport=1000,dport=53`,
      `src=10.0.0.2,dst=10.9.9.9,sport=53,dport=${port}`,
    );
    t.equal(
      await sent(full, 'p1', udp(`10.0.1.${host}`, 1000, server, 53), seen),
      `snat: 10.9.9.9 > 10.0.0.2 UDP ${port} > 53`,
    );
  }
  t.equal(
    await sent(full, 'p1', udp('10.0.1.3', 1000, server, 53), firstCandidateOracle),
    'plain: 10.0.1.3 > 10.0.0.2 UDP 1000 > 53',
    'both are taken',
  );
  const icmp = translating('nat(src=10.9.9.8-10.9.9.9)', '3.5');
  const seenFor = (src: string, translated: string) =>
    seeing(
      `src=${src},dst=10.0.0.2,id=7,type=8,code=0`,
      `src=10.0.0.2,dst=${translated},id=7,type=0,code=0`,
      'icmp',
    );
  t.equal(
    await sent(icmp, 'p1', echo(client, server, 7), seenFor(client, '10.9.9.9')),
    'snat: 10.9.9.9 > 10.0.0.2 ICMP echo request id 7',
  );
  t.equal(
    await sent(icmp, 'p1', echo(other, server, 7), seenFor(other, other)),
    'plain: 10.0.0.3 > 10.0.0.2 ICMP echo request id 7',
    'what is there another flow has begun, for the address that was chosen is taken',
  );
});

void t.test('`persistent` depends on the client alone', async (t) => {
  const node = translating('nat(src=10.9.9.0-10.9.9.255,persistent)');
  const first = await sent(node, 'p1', udp(client, 1000, server, 53));
  t.equal(
    await sent(node, 'p1', udp(client, 2000, server, 54)),
    first.replace('1000 > 53', '2000 > 54'),
  );
  await t.rejects(
    sent(
      translating('nat(src=10.9.9.0-10.9.9.255,persistent)', '3.3'),
      'p1',
      udp(client, 1000, server, 53),
    ),
    /seed of its own/,
    'since 3.4',
  );
});

void t.test(
  'before 3.3, who asks by force behind its translation is taken for an answer',
  async (t) => {
    const forcing = (version: string, again = 'drop') => {
      const ports = ['p1', 'p2'].map((name, index) => ({
        kind: 'endpoint' as const,
        name,
        ofport: index + 1,
      }));
      const flows = [
        'in_port=1,ip,actions=ct(commit,zone=5,nat(src=10.0.0.9),table=1)',
        'in_port=2,ip,actions=ct(zone=5,nat,table=1)',
        'table=1,ip actions=ct(commit,force,zone=5,exec(set_field:7->ct_mark),table=2)',
        `table=2,ip actions=${again}`,
      ];
      return buildNode(
        { node: 'n', hosts: [], bridges: [{ name: 'br', mac: '02:00:00:00:00:fe', ports, flows }] },
        parseVersion(version),
      );
    };
    const after = async (
      version: string,
      frames: readonly (readonly [port: string, frame: Uint8Array])[],
    ) => {
      const node = forcing(version);
      for (const [port, frame] of frames) await sent(node, port, frame);
      return stateOf(node).connections.map(({ original, reply, mark, progress }) =>
        `${original} ${reply} ${mark} ${progress}`.trim(),
      );
    };
    const [go, back] = [
      ['p1', udp(client, 4000, server, 53)],
      ['p2', udp(server, 53, '10.0.0.9', 4000)],
    ] as const;
    const connection =
      'src=10.0.0.1,dst=10.0.0.2,sport=4000,dport=53 src=10.0.0.2,dst=10.0.0.9,sport=53,dport=4000';
    t.strictSame(await after('3.1', [go]), [`${connection} 7`]);
    t.strictSame(await after('3.1', [go, back]), [], 'an answer ends it, and begins none');
    t.strictSame(
      await after('3.5', [go, back]),
      [
        'src=10.0.0.2,dst=10.0.0.9,sport=53,dport=4000 ' +
          'src=10.0.0.9,dst=10.0.0.2,sport=4000,dport=53 7',
      ],
      'since then it begins one',
    );
    const again = forcing('3.1', 'ct(zone=5)');
    await sent(again, ...go);
    t.ok(
      (await sent(again, ...back).catch((error: unknown) => error)) instanceof Unpredictable,
      'Open vSwitch ends itself',
    );
  },
);

void t.test(
  'before 3.3, what has ended is in the way until Open vSwitch sweeps up, at a moment that ' +
    'nobody knows',
  async (t) => {
    const answer = udp(server, 53, '10.0.0.9', 4000);
    const ended = async (ms: number, version: string) => {
      const node = translating('nat(src=10.0.0.9)', version);
      await sent(node, 'p1', udp(client, 4000, server, 53));
      node.nowMs += ms;
      return await sent(node, 'p2', answer);
    };
    t.equal(
      await ended(59_999, '3.1'),
      'dnat: 10.0.0.2 > 10.0.0.1 UDP 53 > 4000',
      'it has not ended',
    );
    for (const ms of [60_000, 60_001])
      t.ok(
        (await ended(ms, '3.1').catch((error: unknown) => error)) instanceof Unpredictable,
        `${ms} ms`,
      );
    t.equal(
      await ended(60_000, '3.5'),
      'plain: 10.0.0.2 > 10.0.0.9 UDP 53 > 4000',
      'since then it is gone at once',
    );
  },
);

void t.test(
  'before 3.3, a connection translated into what it was ends, and the next packet ends Open ' +
    'vSwitch',
  async (t) => {
    const { SYN, RST, ACK } = tcpFlags;
    const segment = (src: string, srcPort: number, dst: string, dstPort: number, flags: number) =>
      ip(
        ipProtocols.tcp,
        src,
        dst,
        encodeTcp(
          {
            srcPort,
            dstPort,
            sequence: 1,
            acknowledgement: 2,
            flags,
            window: 1000,
            urgentPointer: 0,
            options: new Uint8Array(),
          },
          new Uint8Array(),
          { src, dst },
        ),
      );
    const node = translating(`nat(src=${client})`, '3.1');
    await sent(node, 'p1', segment(client, 4000, server, 80, SYN));
    await sent(node, 'p2', segment(server, 80, client, 4000, RST | ACK));
    await sent(node, 'p1', segment(client, 4000, server, 80, SYN));
    t.ok(
      (await sent(node, 'p2', segment(server, 80, client, 4000, SYN | ACK)).catch(
        (error: unknown) => error,
      )) instanceof Unpredictable,
    );
  },
);

void t.test('part of a tuple', (t) => {
  const flows = [
    'in_port=1,ip,actions=ct(commit,nat(src=10.0.0.9))',
    'in_port=2,ip,actions=ct(commit)',
  ];
  const node = buildNode({
    node: 'n',
    hosts: [],
    bridges: [
      {
        name: 'br',
        mac: '02:00:00:00:00:fe',
        ports: ['p1', 'p2'].map((name, index) => ({ kind: 'endpoint', name, ofport: index + 1 })),
        flows,
      },
    ],
  });
  const flush = (tuple: string) => {
    applyCall(node, { kind: 'flush', node: 'n', tuple });
  };
  receiveFrame(node, 'p1', udp(client, 4000, server, 53));
  receiveFrame(node, 'p1', udp(other, 4000, server, 53));
  receiveFrame(node, 'p2', udp(server, 53, client, 4000));
  t.throws(() => {
    flush(`ct_nw_src=${client}`);
  }, /which another connection covers/);
  flush(`ct_nw_src=${server}`);
  flush(`ct_nw_src=${client}`);
  t.strictSame(
    stateOf(node).connections.map(({ original }) => original),
    ['src=10.0.0.3,dst=10.0.0.2,sport=4000,dport=53'],
  );
  t.end();
});
