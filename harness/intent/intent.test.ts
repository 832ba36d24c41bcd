// Goal: L0 says what the seed promises, and changes its word when one thing in the stimulus or the
// cluster changes. Method: a table of stimuli with the answers worked out by hand; then truthful
// frames with one field planted wrong at a time; then changes in the cluster; then what L0 must
// refuse.
import t from 'tap';
import { antreaCluster } from '../../topologies/antrea/antrea-cluster.js';
import type { Topology } from '../domain/topology.js';
import type {
  FrameSpec,
  Interjection,
  PayloadSpec,
  Stimulus,
  TcpFlag,
} from '../domain/test-vector.js';
import { antreaIntent } from './antrea/antrea-intent.js';
import { intentOf } from './intent.js';

/** p1 10.10.1.2, p2 10.10.1.3 on n1; p3 10.10.2.2, p4 10.10.2.3 on n2; p5, p6 on n3. */
const cluster = antreaCluster({ nodes: 3, podsPerNode: 2, tunnel: 'geneve' });
const mac = {
  p1: '0a:00:0a:0a:01:02',
  p2: '0a:00:0a:0a:01:03',
  n1: '0a:00:0a:0a:01:01',
  global: 'aa:bb:cc:dd:ee:ff',
  nobody: '0e:00:00:00:00:99',
};

void t.test("datagrams by the hosts' own stacks", async (t) => {
  const cases: readonly (readonly [stimulus: Stimulus, expected: string])[] = [
    [ping('p1', '10.10.1.3'), 'round-trip p2 from 10.10.1.2'],
    [ping('p1', '10.10.1.3', 1), 'round-trip p2 from 10.10.1.2'],
    [ping('p1', '10.10.3.3'), 'round-trip p6 from 10.10.1.2'],
    [ping('p1', '10.10.1.1', 1), 'round-trip n1 from 10.10.1.2'],
    [ping('n1', '10.10.1.2', 1), 'round-trip p1 from 10.10.1.1'],
    [ping('n1', '10.10.2.2'), 'round-trip p3 from 10.10.1.1'],
    ...(['p1', 'n1'] as const).flatMap((from) => [
      [ping(from, '10.10.2.2', 1), 'denied'] as const,
      [ping(from, '10.10.2.2', 2), 'denied'] as const,
      [
        ping(from, '10.10.2.2', 3),
        `round-trip p3 from ${from === 'p1' ? '10.10.1.2' : '10.10.1.1'}`,
      ] as const,
      [ping(from, '10.10.2.1', 1), 'denied'] as const,
      [
        ping(from, '10.10.2.1', 2),
        `round-trip n2 from ${from === 'p1' ? '10.10.1.2' : '10.10.1.1'}`,
      ] as const,
      [ping(from, '10.10.1.77'), 'denied'] as const,
      [ping(from, '10.10.2.77'), 'denied'] as const,
      [ping(from, '198.51.100.1'), 'denied'] as const,
      [ping(from, '10.96.0.1'), 'denied'] as const,
    ]),
    [{ kind: 'udp', from: 'p1', to: '10.10.2.2', port: 7 }, 'round-trip p3 from 10.10.1.2'],
    [{ kind: 'udp', from: 'p1', to: '10.10.2.77', port: 9 }, 'denied'],
    [{ kind: 'udp', from: 'p1', to: '10.10.2.2', port: 9 }, 'delivered p3 from 10.10.1.2'],
  ];
  for (const [stimulus, expected] of cases)
    t.equal(inWords(stimulus), expected, JSON.stringify(stimulus));
});

void t.test('connections, and segments that do not belong', async (t) => {
  const tcp = (from: string, to: string, port = 7, interjection?: Interjection): Stimulus => ({
    kind: 'tcp',
    from,
    to,
    port,
    ...(interjection !== undefined && { interjection }),
  });
  const segment = (
    from: string,
    dst: string,
    flags: readonly TcpFlag[],
    checksum: 'right' | 'wrong' = 'right',
  ): Stimulus => {
    const addresses = {
      p1: { mac: mac.p1, ip: '10.10.1.2' },
      n1: { mac: mac.n1, ip: '10.10.1.1' },
    }[from] ?? { mac: '', ip: '' };
    return {
      kind: 'frame',
      from,
      what: '',
      frame: {
        src: addresses.mac,
        dst: dst === '10.10.1.1' ? mac.n1 : mac.p1,
        payload: {
          kind: 'tcp',
          src: addresses.ip,
          dst,
          ttl: 64,
          srcPort: 1,
          dstPort: 7,
          flags,
          checksum,
        },
      },
    };
  };
  const cases: readonly (readonly [stimulus: Stimulus, expected: string])[] = [
    [tcp('p1', '10.10.2.2'), 'round-trip p3 from 10.10.1.2'],
    [{ kind: 'probe', from: 'n1', to: '10.10.1.2', port: 7 }, 'round-trip p1 from 10.10.1.1'],
    [tcp('p1', '10.10.2.2', 9), 'refused p3 from 10.10.1.2'],
    [{ kind: 'probe', from: 'n1', to: '10.10.1.2', port: 9 }, 'refused p1 from 10.10.1.1'],
    [tcp('p1', '10.10.2.77'), 'denied'],
    [{ kind: 'tcp', from: 'p1', to: '10.10.2.2', port: 7, ttl: 2 }, 'denied'],
    [segment('p1', '10.10.1.1', ['ACK']), 'refused n1 from 10.10.1.2'],
    [segment('n1', '10.10.1.2', ['ACK']), 'refused p1 from 10.10.1.1'],
    [segment('p1', '10.10.1.1', ['SYN', 'ACK']), 'blocked'],
    [segment('n1', '10.10.1.2', ['FIN', 'SYN']), 'blocked'],
    [segment('p1', '10.10.1.1', ['SYN'], 'wrong'), 'blocked'],
    [segment('n1', '10.10.1.2', ['ACK'], 'wrong'), 'blocked'],
  ];
  for (const [stimulus, expected] of cases)
    t.equal(inWords(stimulus), expected, JSON.stringify(stimulus));
  const outcomeOf = (
    from: string,
    to: string,
    by: Interjection['by'],
    what: Interjection['segment'] = 'out-of-window',
  ) => {
    const intent = antreaIntent(cluster, tcp(from, to, 7, { by, segment: what }));
    return intent.kind === 'round-trip' ? intent.interjection?.kind : intent.kind;
  };
  t.strictSame(
    (['opener', 'answerer'] as const).map((by) => outcomeOf('p1', '10.10.1.1', by)),
    ['dropped', 'dropped'],
    'nothing marks what a pod opens',
  );
  t.strictSame(
    (['opener', 'answerer'] as const).map((by) => outcomeOf('n1', '10.10.1.2', by)),
    ['arrives', 'open'],
    'what comes in by the gateway is marked',
  );
  t.strictSame(
    (['opener', 'answerer'] as const).map((by) => outcomeOf('n1', '10.10.2.2', by)),
    ['dropped', 'dropped'],
    'but not over there',
  );
  t.strictSame(
    (['opener', 'answerer'] as const).map((by) => outcomeOf('n1', '10.10.1.2', by, 'bad-checksum')),
    ['dropped', 'dropped'],
  );
});

void t.test('ARP', async (t) => {
  const cases: readonly (readonly [from: string, target: string, expected: string])[] = [
    ['p1', '10.10.1.3', `resolves ${mac.p2}`],
    ['p1', '10.10.1.1', `resolves ${mac.n1}`],
    ['n1', '10.10.1.2', `resolves ${mac.p1}`],
    ['n1', '10.10.3.1', `resolves ${mac.global}`],
    ['p1', '10.10.2.1', `resolves ${mac.global}`],
    ['p1', '10.10.2.2', 'denied'],
    ['n1', '10.10.2.2', 'denied'],
    ['p1', '10.10.1.77', 'denied'],
  ];
  for (const [from, target, expected] of cases)
    t.equal(inWords({ kind: 'arp', from, target }), expected, `${from} asks for ${target}`);
});

void t.test('external hosts, and nodes by their own addresses', async (t) => {
  const outside = antreaCluster({ nodes: 2, podsPerNode: 1, tunnel: 'geneve', externalHosts: 2 });
  const [n1, x1, x2] = ['172.30.0.1', '172.30.255.1', '172.30.255.2'];
  const said = (stimulus: Stimulus) => {
    const intent = antreaIntent(outside, stimulus);
    return intent.kind === 'resolves'
      ? `resolves ${intent.mac}`
      : 'to' in intent
        ? `${intent.kind} ${intent.to} from ${intent.source}`
        : intent.kind;
  };
  for (const [stimulus, expected] of [
    [ping('n1', x1), `round-trip x1 from ${n1}`],
    [ping('x1', n1), `round-trip n1 from ${x1}`],
    [ping('n1', '172.30.0.2'), `round-trip n2 from ${n1}`],
    [{ kind: 'udp', from: 'x1', to: x2, port: 7 }, `round-trip x2 from ${x1}`],
    [{ kind: 'udp', from: 'x1', to: n1, port: 9 }, `delivered n1 from ${x1}`],
    [{ kind: 'tcp', from: 'n1', to: x1, port: 7 }, `round-trip x1 from ${n1}`],
    [{ kind: 'probe', from: 'x1', to: n1, port: 9 }, `refused n1 from ${x1}`],
    [{ kind: 'arp', from: 'x1', target: n1 }, 'resolves 0a:00:ac:1e:00:01'],
    [ping('x1', '172.30.77.77'), 'denied'],
    [ping('x1', '10.10.1.2'), 'denied'],
    [ping('x1', '10.96.0.1'), 'denied'],
  ] as const)
    t.equal(said(stimulus), expected, JSON.stringify(stimulus));
  t.equal(
    said(ping('p1', n1)),
    'round-trip n1 from 10.10.1.2',
    'a node takes what is for any of its addresses',
  );
  t.throws(() => said({ kind: 'arp', from: 'p1', target: n1 }), { name: 'Unsupported' });
  t.equal(
    said(ping('p1', '172.30.0.2')),
    'round-trip n2 from 172.30.0.1',
    'who leaves the cluster is seen as its node',
  );
  t.throws(() => said(ping('x1', x1)), /x1 itself holds/);
  t.throws(
    () => said({ kind: 'frame', from: 'x1', what: '', frame: udpFrame(mac.p1, mac.n1, x1, n1) }),
    { name: 'Unsupported' },
  );
});

void t.test(
  'a truthful frame passes, and a sibling that differs in one field does not',
  async (t) => {
    const toGateway = udpFrame(mac.p1, mac.n1, '10.10.1.2', '10.10.1.1');
    const toNeighbour = udpFrame(mac.p1, mac.p2, '10.10.1.2', '10.10.1.3');
    const toPeer = udpFrame(mac.p1, mac.n1, '10.10.1.2', '10.10.2.2');
    const arp = arpFrame(mac.p1, mac.p1, '10.10.1.2', '10.10.1.3');
    const cases: readonly (readonly [from: string, frame: FrameSpec, expected: string])[] = [
      ['p1', toGateway, 'round-trip n1 from 10.10.1.2'],
      ['p1', { ...toGateway, src: mac.p1.toUpperCase() }, 'round-trip n1 from 10.10.1.2'],
      ['p2', toGateway, 'blocked'],
      ['p1', { ...toGateway, src: mac.p2 }, 'blocked'],
      ['p1', udpFrame(mac.p1, mac.n1, '10.10.1.3', '10.10.1.1'), 'blocked'],
      ['p1', { ...toGateway, dst: mac.nobody }, 'blocked'],
      ['p1', { ...toGateway, dst: 'ff:ff:ff:ff:ff:ff' }, 'blocked'],
      ['p1', { ...toGateway, dst: '01:00:5e:00:00:01' }, 'blocked'],
      ['p1', udpFrame(mac.p1, 'ff:ff:ff:ff:ff:ff', '10.10.1.2', '10.10.1.255'), 'blocked'],
      ['p1', udpFrame(mac.p1, mac.n1, '10.10.1.2', '198.51.100.1'), 'denied'],
      ['p1', toNeighbour, 'round-trip p2 from 10.10.1.2'],
      ['p1', { ...toNeighbour, dst: mac.nobody }, 'blocked'],
      ['p1', toPeer, 'round-trip p3 from 10.10.1.2'],
      ['p1', { ...toPeer, dst: mac.nobody }, 'round-trip p3 from 10.10.1.2'],
      ['p1', { ...toPeer, src: mac.nobody }, 'blocked'],
      ['p1', { ...toPeer, dst: 'ff:ff:ff:ff:ff:ff' }, 'round-trip p3 from 10.10.1.2'],
      [
        'n1',
        udpFrame(mac.nobody, mac.p1, '10.10.1.1', '10.10.1.2'),
        'round-trip p1 from 10.10.1.1',
      ],
      ['p1', arp, `resolves ${mac.p2}`],
      ['p2', arp, 'blocked'],
      ['p1', arpFrame(mac.p1, mac.nobody, '10.10.1.2', '10.10.1.3'), 'blocked'],
      ['p1', arpFrame(mac.p1, mac.p1, '10.10.1.77', '10.10.1.3'), 'blocked'],
      ['n1', arpFrame(mac.n1, mac.n1, '10.10.1.1', '10.10.2.1'), `resolves ${mac.global}`],
      ['n1', arpFrame(mac.n1, mac.nobody, '10.10.1.1', '10.10.2.1'), 'blocked'],
      ['n1', arpFrame(mac.n1, mac.n1, '10.10.1.2', '10.10.2.1'), 'blocked'],
      [
        'p1',
        { src: mac.p1, dst: mac.n1, payload: { kind: 'other', etherType: 0x88b5, hex: '' } },
        'blocked',
      ],
      [
        'n1',
        { src: mac.n1, dst: mac.p1, payload: { kind: 'other', etherType: 0x86dd, hex: '' } },
        'blocked',
      ],
    ];
    for (const [from, frame, expected] of cases)
      t.equal(
        inWords({ kind: 'frame', from, what: '', frame }),
        expected,
        `${from} ${JSON.stringify(frame)}`,
      );
  },
);

void t.test('a change in the cluster changes the word', async (t) => {
  const renumbered: Topology = {
    ...cluster,
    nodes: cluster.nodes.map((node) => ({
      ...node,
      pods: node.pods.map((pod) => (pod.name === 'p3' ? { ...pod, ip: '10.10.2.99' } : pod)),
    })),
  };
  t.equal(antreaIntent(renumbered, ping('p1', '10.10.2.2')).kind, 'denied');
  t.match(antreaIntent(renumbered, ping('p1', '10.10.2.99')), { kind: 'round-trip', to: 'p3' });
  t.match(antreaIntent(renumbered, ping('p3', '10.10.1.2')), { source: '10.10.2.99' });
  t.equal(
    antreaIntent(
      { ...cluster, nodes: cluster.nodes.slice(0, 1) },
      { kind: 'arp', from: 'p1', target: '10.10.2.1' },
    ).kind,
    'denied',
  );
});

void t.test('what nothing was promised about is refused, not guessed', async (t) => {
  const unpromised: readonly Stimulus[] = [
    {
      kind: 'frame',
      from: 'p1',
      what: '',
      frame: {
        src: mac.p1,
        dst: mac.n1,
        payload: {
          kind: 'tcp',
          src: '10.10.1.2',
          dst: '10.10.1.1',
          ttl: 64,
          srcPort: 1,
          dstPort: 7,
          flags: ['SYN'],
          checksum: 'right',
        },
      },
    },
    { kind: 'arp', from: 'p1', target: '172.30.0.2' },
    {
      kind: 'frame',
      from: 'n1',
      interface: 'eth0',
      what: '',
      frame: udpFrame(mac.n1, mac.p1, '10.10.1.1', '10.10.1.2'),
    },
    {
      kind: 'frame',
      from: 'n1',
      what: '',
      frame: udpFrame(mac.n1, mac.p1, '10.10.1.3', '10.10.1.2'),
    },
    {
      kind: 'frame',
      from: 'p1',
      what: '',
      frame: udpFrame(mac.p1, mac.n1, '10.10.1.2', '10.10.1.3'),
    },
    {
      kind: 'frame',
      from: 'p1',
      what: '',
      frame: { ...arpFrame(mac.p1, mac.p1, '10.10.1.2', '10.10.1.3'), dst: mac.n1 },
    },
    {
      kind: 'frame',
      from: 'p1',
      what: '',
      frame: { ...arpFrame(mac.p1, mac.p1, '10.10.1.2', '10.10.1.3'), src: mac.nobody },
    },
    {
      kind: 'frame',
      from: 'p1',
      what: '',
      frame: { src: mac.p1, dst: mac.n1, payload: { kind: 'other', etherType: 0x0800, hex: '' } },
    },
  ];
  for (const stimulus of unpromised)
    t.throws(
      () => antreaIntent(cluster, stimulus),
      { name: 'Unsupported', message: /^nothing is promised about/ },
      JSON.stringify(stimulus),
    );
  t.throws(() => antreaIntent(cluster, ping('p9', '10.10.1.2')), {
    name: 'InputError',
    message: /unknown host "p9"/,
  });
  t.throws(() => antreaIntent(cluster, ping('p1', '10.10.1')), {
    name: 'InputError',
    message: /got "10.10.1"/,
  });
  t.throws(() => antreaIntent(cluster, ping('p1', '10.10.1.2')), {
    name: 'InputError',
    message: /p1 itself holds/,
  });
});

function ping(from: string, to: string, ttl?: number): Stimulus {
  return { kind: 'ping', from, to, ...(ttl !== undefined && { ttl }) };
}

function udpFrame(src: string, dst: string, srcIp: string, dstIp: string): FrameSpec {
  return {
    src,
    dst,
    payload: { kind: 'udp', src: srcIp, dst: dstIp, ttl: 64, srcPort: 49152, dstPort: 7 },
  };
}

function arpFrame(src: string, sha: string, spa: string, tpa: string): FrameSpec {
  const payload: PayloadSpec = {
    kind: 'arp',
    op: 'request',
    sha,
    spa,
    tha: '00:00:00:00:00:00',
    tpa,
  };
  return { src, dst: 'ff:ff:ff:ff:ff:ff', payload };
}

/** The intent without its reasons. */
function inWords(stimulus: Stimulus): string {
  const intent = antreaIntent(cluster, stimulus);
  switch (intent.kind) {
    case 'round-trip':
    case 'refused':
    case 'delivered':
      return `${intent.kind} ${intent.to} from ${intent.source}`;
    case 'resolves':
      return `resolves ${intent.mac}`;
    default:
      return intent.kind;
  }
}

void t.test('without the promises of a control plane it says where they come from', (t) => {
  t.throws(() => intentOf(cluster, ping('p1', '10.10.1.3'), undefined as never), {
    name: 'InputError',
    message: /controlPlane has "promises", and a scenario's intent\(topology, stimulus, promises\)/,
  });
  t.end();
});
