// Goal: a proxy ends the client's connection and opens one of its own: every segment of both, and
// what happens when an endpoint is gone, refuses, dies or falls silent, and datagrams beside
// them on the same port. Method: a client, a host with a proxy between two wires, and two
// endpoints; each exchange written packet by packet; planted faults at the end.
import t from 'tap';
import { assert } from '../../base/errors/errors.js';
import type { Observation } from '../../domain/observation.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import type { FabricCall } from '../../domain/switching.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { decodeEthernet } from '../../packet/protocols/link/ethernet.js';
import { decodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { decodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { decodeUdp } from '../../packet/protocols/transport/udp.js';
import { runStimulus } from '../fabric.js';
import { noMemories, type HostMemories } from '../stack/host.js';

const [client, outside, inside, first, second] = [
  '10.1.0.9',
  '10.1.0.1',
  '10.2.0.1',
  '10.2.0.2',
  '10.2.0.3',
];
const names: Readonly<Record<string, string>> = {
  [client]: 'c',
  [outside]: 'w',
  [inside]: 'w',
  [first]: 'e1',
  [second]: 'e2',
};
const macs: Readonly<Record<string, string>> = {
  c: '02:00:00:00:00:09',
  out: '02:00:00:00:00:01',
  in: '02:00:00:00:00:02',
  e1: '02:00:00:00:00:03',
  e2: '02:00:00:00:00:04',
};
const host = (name: string, ip: string, listens: HostPlan['listens']): HostPlan => ({
  name,
  kind: 'pod',
  routes: [],
  interfaces: [{ name: 'eth0', port: name, mac: macs[name] ?? '', ip, prefixLength: 24 }],
  ...(listens === undefined ? {} : { listens }),
});
const both = (port: number) =>
  [
    { protocol: 'TCP', port },
    { protocol: 'UDP', port },
  ] as const;
const proxy = (protocol: 'TCP' | 'UDP', more: Partial<ProxyPlan> = {}): ProxyPlan => ({
  at: { protocol, port: 30_080 },
  to: [{ ip: first, port: 80 }],
  dialMs: [250, 500, 1000, 2000],
  udpIdleMs: 250,
  ...more,
});

/** `wire`: whether what a host sends to another arrives. */
interface Setting {
  readonly more?: Partial<ProxyPlan>;
  readonly endpoints?: readonly {
    readonly name: string;
    readonly ip: string;
    readonly listens?: HostPlan['listens'];
  }[];
  readonly arrives?: (packet: string) => boolean;
  readonly memories?: HostMemories;
}

const draws = {
  identifier: 7,
  srcPort: 50_000,
  payload: Uint8Array.of(1, 2, 3, 4),
  sequences: { opener: 1000, answerer: 5000 },
};
const sound = [
  { name: 'e1', ip: first, listens: both(80) },
  { name: 'e2', ip: second, listens: both(80) },
];

function play(
  stimulus: Stimulus,
  { more = {}, endpoints = sound, arrives = () => true, memories = noMemories() }: Setting = {},
): {
  readonly packets: readonly string[];
  readonly notes: readonly string[];
  readonly seen: Observation;
} {
  const w: HostPlan = {
    name: 'w',
    kind: 'windows-node',
    routes: [],
    proxies: [proxy('TCP', more), proxy('UDP', more)],
    interfaces: [
      { name: 'out', port: 'out', mac: macs['out'] ?? '', ip: outside, prefixLength: 24 },
      { name: 'in', port: 'in', mac: macs['in'] ?? '', ip: inside, prefixLength: 24 },
    ],
  };
  const plan: ClusterPlan = {
    nodes: [
      {
        node: 'n',
        bridges: [],
        hosts: [
          host('c', client, undefined),
          w,
          ...endpoints.map(({ name, ip, listens }) => host(name, ip, listens)),
        ],
      },
    ],
  };
  const wires = [
    ['c', 'out'],
    ['in', 'e1', 'e2'],
  ];
  const carry = (call: FabricCall) => {
    if (call.kind !== 'receive') return { outputs: [] };
    const [frame] = call.frames;
    assert(frame !== undefined, 'a frame a call');
    const packet = inWords(frame);
    const isThere = (port: string) =>
      port !== call.port &&
      (port.startsWith('e') ? endpoints.some(({ name }) => name === port) : true);
    return {
      outputs:
        packet !== undefined && !arrives(packet)
          ? []
          : (wires.find((wire) => wire.includes(call.port)) ?? [])
              .filter(isThere)
              .map((port) => ({ port, frame })),
    };
  };
  const fabric = runStimulus(plan, stimulus, draws, memories);
  for (let asked = fabric.next(); ; asked = fabric.next(asked.value.map(carry))) {
    if (asked.done !== true) continue;
    const seen = asked.value;
    const notes = seen.notes
      .filter(({ kind }) => kind !== 'resolved')
      .map(({ host: name, timeUs: _, ...note }) => `${name}: ${Object.values(note).join(' ')}`);
    return {
      packets: seen.frames
        .filter(({ direction }) => direction === 'in')
        .flatMap(({ frame }) => inWords(frame) ?? []),
      notes,
      seen,
    };
  }
}

/** `w>e1 SYN`, `c>w PSH+ACK 4`, `w>e1 udp 4`. */
function inWords(frame: Uint8Array): string | undefined {
  const ip = decodeIpv4(decodeEthernet(frame)?.payload ?? new Uint8Array());
  if (ip === undefined) return undefined;
  const ends = `${names[ip.header.src]}>${names[ip.header.dst]}`;
  if (ip.header.protocol === ipProtocols.udp)
    return `${ends} udp ${decodeUdp(ip.payload, ip.header)?.payload.length}`;
  const tcp = decodeTcp(ip.payload, ip.header);
  if (tcp === undefined) return undefined;
  const flags = Object.entries(tcpFlags)
    .filter(([, bit]) => (tcp.header.flags & bit) !== 0)
    .map(([name]) => name)
    .join('+');
  return `${ends} ${flags}${tcp.payload.length === 0 ? '' : ` ${tcp.payload.length}`}`;
}

const tcp: Stimulus = { kind: 'tcp', from: 'c', to: outside, port: 30_080 };
const udp: Stimulus = { kind: 'udp', from: 'c', to: outside, port: 30_080 };
const between = (packets: readonly string[], one: string, other: string) =>
  packets.filter(
    (packet) => packet.startsWith(`${one}>${other} `) || packet.startsWith(`${other}>${one} `),
  );

void t.test('two connections, each whole, and the endpoint sees the host', async (t) => {
  const { packets, notes } = play(tcp);
  t.same(between(packets, 'c', 'w'), [
    'c>w SYN',
    'w>c SYN+ACK',
    'c>w ACK',
    'c>w PSH+ACK 4',
    'w>c ACK',
    'w>c PSH+ACK 4',
    'c>w FIN+ACK',
    'w>c ACK',
    'w>c FIN+ACK',
    'c>w ACK',
  ]);
  t.same(between(packets, 'w', 'e1'), [
    'w>e1 SYN',
    'e1>w SYN+ACK',
    'w>e1 ACK',
    'w>e1 PSH+ACK 4',
    'e1>w PSH+ACK 4',
    'w>e1 ACK',
    'w>e1 FIN+ACK',
    'e1>w FIN+ACK',
    'w>e1 ACK',
  ]);
  t.same(notes, [
    `c: connected opener ${outside}`,
    `w: relayed ${client} ${first}`,
    `e1: connected answerer ${inside}`,
    `e1: received tcp ${inside} ${first} 64`,
    `c: received tcp ${outside} ${client} 64`,
    `c: closed ${outside}`,
    `e1: closed ${inside}`,
  ]);
});

void t.test(
  'what a client sends and closes before its endpoint is there waits for it',
  async (t) => {
    const { packets, notes } = play({ kind: 'probe', from: 'c', to: outside, port: 30_080 });
    t.same(between(packets, 'w', 'e1'), [
      'w>e1 SYN',
      'e1>w SYN+ACK',
      'w>e1 ACK',
      'w>e1 FIN+ACK',
      'e1>w FIN+ACK',
      'w>e1 ACK',
    ]);
    t.same(between(packets, 'c', 'w').slice(3), [
      'c>w FIN+ACK',
      'w>c ACK',
      'w>c FIN+ACK',
      'c>w ACK',
    ]);
    t.same(notes.filter((note) => / closed /.test(note)).length, 2);
    t.ok(
      packets.indexOf('w>c FIN+ACK') > packets.indexOf('w>e1 ACK'),
      "the client's is closed when the endpoint has taken its own",
    );
  },
);

void t.test(
  'an endpoint that is gone, or refuses, is followed by the next; when all are, the client ' +
    'is reset',
  async (t) => {
    const to = [
      { ip: first, port: 80 },
      { ip: second, port: 80 },
    ];
    const [e1, e2] = sound;
    assert(e1 !== undefined && e2 !== undefined, 'two endpoints');
    const tried = [to, to.toReversed()].map((order) => {
      const gone = play(tcp, { more: { to: order }, endpoints: [e2] });
      const refusing = play(tcp, {
        more: { to: order },
        endpoints: [{ name: 'e1', ip: first }, e2],
      });
      for (const { notes } of [gone, refusing])
        t.same(
          notes.filter((note) => /relayed|^c: /.test(note)),
          [
            `c: connected opener ${outside}`,
            `w: relayed ${client} ${second}`,
            `c: received tcp ${outside} ${client} 64`,
            `c: closed ${outside}`,
          ],
        );
      const goneAfterUs = gone.seen.notes.find(({ kind }) => kind === 'relayed')?.timeUs ?? 0;
      return [goneAfterUs > 250_000, refusing.packets.includes('e1>w RST+ACK')];
    });
    t.same(
      tried.toSorted(),
      [
        [false, false],
        [true, true],
      ],
      'in one order the bad one is tried first: 250 ms if it is gone, and not for long if it ' +
        'refuses',
    );
    const nobody = play(tcp, { more: { to }, endpoints: [] });
    t.same(between(nobody.packets, 'c', 'w'), [
      'c>w SYN',
      'w>c SYN+ACK',
      'c>w ACK',
      'c>w PSH+ACK 4',
      'w>c ACK',
      'w>c RST+ACK',
    ]);
    t.same(
      nobody.notes.filter((note) => !note.includes('dropped') && !note.includes('unresolved')),
      [`c: connected opener ${outside}`, `c: reset ${outside}`],
    );
    t.equal(
      nobody.seen.notes.find(({ kind }) => kind === 'reset')?.timeUs,
      3_750_120,
      '250, 500, 1000 and 2000 ms',
    );
    const none = play(tcp, { more: { to: [] } });
    t.same(
      none.packets,
      ['c>w SYN', 'w>c SYN+ACK', 'c>w ACK', 'c>w PSH+ACK 4', 'w>c FIN+ACK', 'w>c RST'],
      'without endpoints it is closed at once',
    );
  },
);

void t.test(
  "an endpoint that dies: its reset, and its silence, end the client's connection",
  async (t) => {
    const memories = noMemories();
    const open: Stimulus = { kind: 'open', from: 'c', to: outside, port: 30_080, connection: 'k' };
    const talk: Stimulus = { kind: 'talk', from: 'c', to: outside, port: 30_080, connection: 'k' };
    t.ok(play(open, { memories }).notes.includes(`w: relayed ${client} ${first}`));
    t.ok(
      play(talk, { memories }).notes.includes(`c: received tcp ${outside} ${client} 64`),
      'it carries data later as well',
    );
    memories.hosts.delete('e1');
    const { packets, notes } = play(talk, { memories });
    t.same(
      between(packets, 'w', 'e1'),
      ['w>e1 PSH+ACK 4', 'e1>w RST'],
      'one that has restarted knows nothing of it',
    );
    t.same(
      notes.filter((note) => note.startsWith('w:')),
      [],
      'which the host does not answer: it is no party',
    );
    t.same(between(packets, 'c', 'w'), [
      'c>w PSH+ACK 4',
      'w>c ACK',
      'w>c FIN+ACK',
      'c>w FIN+ACK',
      'w>c ACK',
    ]);
    const silent = noMemories();
    play(open, { memories: silent });
    const left = play(talk, { memories: silent, endpoints: [] });
    t.equal(
      left.packets.filter((packet) => packet === 'w>e1 PSH+ACK 4').length,
      7,
      'it is notified seven times',
    );
    t.equal(
      left.packets.filter((packet) => packet === 'w>c FIN+ACK').length,
      1,
      "then the client's is closed",
    );
  },
);

void t.test("a client that resets: the endpoint's connection is closed", async (t) => {
  const memories = noMemories();
  play({ kind: 'open', from: 'c', to: outside, port: 30_080, connection: 'k' }, { memories });
  const w = memories.hosts.get('w');
  const [toClient] = [...(w?.connections.values() ?? [])].filter(
    ({ remote }) => remote.ip === client,
  );
  assert(toClient !== undefined, 'the proxy has a connection with the client');
  const frame = {
    src: macs['c'] ?? '',
    dst: macs['out'] ?? '',
    payload: {
      kind: 'tcp',
      src: client,
      dst: outside,
      ttl: 64,
      srcPort: 50_000,
      dstPort: 30_080,
      flags: ['RST'],
      checksum: 'right',
    },
  } as const;
  w?.connections.set(`${outside}:30080 ${client}:50000`, {
    ...toClient,
    receiveNext: draws.sequences.opener,
  });
  const { packets } = play({ kind: 'frame', from: 'c', what: 'a reset', frame }, { memories });
  t.same(packets, ['c>w RST', 'w>e1 FIN+ACK', 'e1>w FIN+ACK', 'w>e1 ACK']);
});

void t.test(
  'datagrams on the same port: answers find back, each client has a port, and an idle one is ' +
    'forgotten',
  async (t) => {
    const memories = noMemories();
    const { packets, notes } = play(udp, { memories });
    t.same(packets, ['c>w udp 4', 'w>e1 udp 4', 'e1>w udp 4', 'w>c udp 4']);
    t.same(notes, [
      `w: relayed ${client} ${first}`,
      `e1: received udp ${inside} ${first} 64`,
      `c: received udp ${outside} ${client} 64`,
    ]);
    t.same(
      play(udp, { memories }).notes.filter((note) => note.includes('relayed')),
      [],
      'a client is met once',
    );
    memories.clock.nowUs += 250_000;
    t.equal(
      play(udp, { memories }).notes.filter((note) => note.includes('relayed')).length,
      1,
      'and again after its time',
    );
  },
);

void t.test('affinity, and every endpoint has its turn without', async (t) => {
  const to = [
    { ip: first, port: 80 },
    { ip: second, port: 80 },
  ];
  const chosen = (more: Partial<ProxyPlan>) => {
    const memories = noMemories();
    const many: Stimulus = {
      kind: 'calls',
      protocol: 'TCP',
      from: 'c',
      to: outside,
      port: 30_080,
      count: 24,
      everyMs: 10,
    };
    return new Set(
      play(many, { more: { to, ...more }, memories }).notes.filter((note) =>
        note.includes('relayed'),
      ),
    );
  };
  t.equal(chosen({}).size, 2);
  t.equal(chosen({ affinityS: 100 }).size, 1);
});
