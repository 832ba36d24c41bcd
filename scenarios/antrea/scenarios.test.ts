// Goal: the scenarios send what they say, and L0 promises for each vector what the vector's id
// says. Method: the vectors of three sizes, counted by formula, each judged by L0 and held against
// a table by subject.
import t from 'tap';
import connections from './connections.js';
import encap from './encap.js';
import externalHosts from './external-hosts.js';
import generatedPolicies from './generated-policies.js';
import networkPolicy from './network-policy.js';
import servicesAntreaProxy from './services-antrea-proxy.js';
import servicesKubeProxy from './services-kube-proxy.js';

void t.test('every vector is there once, and is promised what its id says', async (t) => {
  const promised: Readonly<Record<string, string>> = {
    ping: 'round-trip',
    udp: 'round-trip',
    tcp: 'round-trip',
    probe: 'round-trip',
    refused: 'refused',
    invalid: 'blocked',
    'picked-up': 'refused',
    amid: 'round-trip',
    'ttl-1': 'denied',
    'ttl-2': 'denied',
    'ttl-3': 'round-trip',
    arp: 'resolves',
    'spoof-ip': 'blocked',
    'spoof-mac': 'blocked',
    'spoof-arp-ip': 'blocked',
    'spoof-arp-mac': 'blocked',
    broadcast: 'blocked',
    'non-ip': 'blocked',
    'unknown/own-subnet': 'denied',
    'unknown/peer-subnet': 'denied',
    'unknown/mac': 'blocked',
  };
  // With n nodes: 6n(3n-1) between pods, 6n to gateways, 3n² from nodes, 3n by TTL, 9n + 2n(n-1) by
  // ARP, 11n forbidden; by TCP 3n(3n-1) between pods, 3n+3n² with gateways, 3n probes, of 4n
  // encounters one to a closed port and 4 segments of no connection, and 24 amid a connection.
  for (const [nodes, count] of [
    ['2', 252],
    ['3', 471],
    ['5', 1119],
  ] as const) {
    const topology = encap.topology({ nodes, tunnel: 'geneve' });
    const vectors = [...encap.vectors(topology), ...connections.vectors(topology)];
    t.equal(vectors.length, count, `${nodes} nodes`);
    t.equal(new Set(vectors.map(({ id }) => id)).size, count, 'ids are unique');
    const subjects = new Set<string>();
    for (const { id, stimulus } of vectors) {
      const [first = ''] = id.split('/');
      const last = id.split('/').at(-1);
      const subject = first === 'unknown' ? `unknown/${last}` : first;
      subjects.add(subject);
      const intent = encap.intent(topology, stimulus, encap.controlPlane.promises);
      if (intent.kind !== promised[subject]) t.fail(`${id}: ${JSON.stringify(intent)}`);
      if ((intent.kind === 'round-trip' || intent.kind === 'refused') && intent.to !== last)
        t.fail(`${id} reaches ${intent.to}`);
    }
    t.same([...subjects].sort(), Object.keys(promised).sort(), 'every subject is met');
  }
});

void t.test('external hosts: every node and every one of them, both ways', async (t) => {
  const topology = externalHosts.topology({ nodes: '3', tunnel: 'geneve' });
  const promised = externalHosts.vectors(topology).map(({ id, stimulus }) => ({
    id,
    kind: externalHosts.intent(topology, stimulus, externalHosts.controlPlane.promises).kind,
  }));
  t.equal(new Set(promised.map(({ id }) => id)).size, 3 * 2 * 2 * 5);
  const kinds: Readonly<Record<string, string>> = {
    arp: 'resolves',
    ping: 'round-trip',
    udp: 'round-trip',
    tcp: 'round-trip',
    closed: 'refused',
  };
  t.same(
    promised.filter(({ id, kind }) => kinds[id.split('/')[0] ?? ''] !== kind),
    [],
  );
});

void t.test(
  'policies: something is promised about every cell, and who lies gets nowhere',
  async (t) => {
    for (const { name, topology, vectors } of [
      {
        name: 'network-policy',
        topology: networkPolicy.topology({ tunnel: 'geneve' }),
        vectors: networkPolicy.vectors,
      },
      ...generatedPolicies.axes.policies.values.map((policies) => ({
        name: `generated-policies ${policies}`,
        topology: generatedPolicies.topology({ policies }),
        vectors: generatedPolicies.vectors,
      })),
    ]) {
      const all = vectors(topology);
      t.equal(new Set(all.map(({ id }) => id)).size, all.length, `${name}: ids are unique`);
      const promised = all.map(({ id, stimulus }) => ({
        subject: id.split('/')[0] ?? '',
        kind: encap.intent(topology, stimulus, encap.controlPlane.promises).kind,
      }));
      const kinds = (of: (subject: string) => boolean) => [
        ...new Set(promised.filter(({ subject }) => of(subject)).map(({ kind }) => kind)),
      ];
      t.ok(
        kinds((subject) => /^(tcp|udp)-|^icmp/.test(subject)).includes('denied'),
        `${name}: something is kept back`,
      );
      t.same(
        kinds((subject) => /^(wrong-ip|stolen-addresses|unasked-tcp)$/.test(subject)).filter(
          (kind) => kind !== 'denied' && kind !== 'blocked',
        ),
        [],
        `${name}: lies`,
      );
    }
  },
);

void t.test(
  'Services: everybody to every port of each, and calls enough that no endpoint is left out ' +
    'by chance',
  async (t) => {
    const topology = servicesKubeProxy.topology({ tunnel: 'geneve' });
    const promised = servicesKubeProxy.vectors(topology).map(({ id, stimulus }) => ({
      id,
      intent: servicesKubeProxy.intent(topology, stimulus, servicesKubeProxy.controlPlane.promises),
    }));
    t.same(
      servicesAntreaProxy.vectors(topology),
      servicesKubeProxy.vectors(topology),
      'the same for both versions',
    );
    // Twelve ports for eight pods and two nodes, but for the node that an endpoint is on, and
    // nobody's Service, which nodes are refused without a packet.
    t.equal(promised.filter(({ id }) => id.startsWith('service/')).length, 12 * 10 - 1 - 2);
    t.equal(new Set(promised.map(({ id }) => id)).size, promised.length, 'ids are unique');
    const spreads = promised.flatMap(({ id, intent }) =>
      intent.kind === 'balanced' && intent.spread !== 'any' ? [`${id} ${intent.spread}`] : [],
    );
    t.same([...spreads].sort(), [
      'anew/asker1/default/fickle every one',
      'kept/asker1/default/sticky the same',
      'kept/x1/192.0.2.12/default/sticky the same',
      'spread/asker1/default/admin every one',
      'spread/asker1/default/web:admin every one',
      'spread/asker1/default/web:http every one',
      'spread/x1/n2/default/admin every one',
    ]);
    t.same(
      [
        ...new Set(
          promised.filter(({ id }) => id.startsWith('no-')).map(({ intent }) => intent.kind),
        ),
      ],
      ['denied'],
    );
    // By ten ports of both nodes x1, and of the other n2; asker1, but for what nobody is behind, at
    // n2; x2 by two of both, picky as well; by three addresses all but picky, who asks by one.
    t.equal(
      promised.filter(({ id }) => id.startsWith('node-port/')).length,
      20 + (10 - 1) + (20 - 1) + 4 + 4,
    );
    t.equal(promised.filter(({ id }) => id.startsWith('address/')).length, 4 * 3 + 1);
  },
);
