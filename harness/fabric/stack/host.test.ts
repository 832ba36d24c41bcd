// Goal: what a host knows from its plan and from before, and what it does beside what its
// protocols' own tests hold it to. Method: one host, one input at a time; what it
// does in words.
import t from 'tap';
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { arpOperations, encodeArp } from '../../packet/protocols/link/arp.js';
import {
  decodeEthernet,
  encodeEthernet,
  etherTypes,
} from '../../packet/protocols/link/ethernet.js';
import { describeFrame } from '../../packet/dissect/describe-frame.js';
import { encodeIcmp, icmpTypes } from '../../packet/protocols/ip/icmp.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import {
  createHost,
  forgetHostsOutside,
  listensOn,
  memoriesOf,
  memoryOf,
  noMemories,
  type VectorRandomness,
  type Effect,
  type Host,
} from './host.js';
import { isTimerPending, receive, fireTimer } from './host-stack.js';
import { startStimulus } from './start-stimulus.js';

const eth0: InterfacePlan = {
  name: 'eth0',
  port: 'a',
  mac: '02:00:00:00:00:0a',
  ip: '10.0.0.1',
  prefixLength: 24,
};
const eth1: InterfacePlan = {
  name: 'eth1',
  port: 'b',
  mac: '02:00:00:00:00:0b',
  ip: '192.168.0.1',
  prefixLength: 24,
};
const peer = { ip: '10.0.0.2', mac: '02:00:00:00:00:99' };
const plan: HostPlan = {
  name: 'a',
  kind: 'linux-node',
  interfaces: [eth0, eth1],
  routes: [],
  neighbours: [peer],
};
const draws: VectorRandomness = {
  identifier: 7,
  srcPort: 65_534,
  payload: Uint8Array.of(1, 2),
  sequences: { opener: 1, answerer: 2 },
};

function inWords(effects: readonly Effect[]): readonly string[] {
  return effects.map((effect) =>
    effect.kind === 'send'
      ? `${effect.via.name}: ${describeFrame(effect.frame).split('IPv4 ').at(-1)}`
      : effect.kind === 'wake'
        ? `wake after ${effect.delayUs} µs`
        : Object.values(effect.note).join(' '),
  );
}

void t.test('what is known from the plan, and from before', async (t) => {
  const ping: Stimulus = { kind: 'ping', from: 'a', to: peer.ip };
  const macOf = (host: Host) => {
    const [sent] = startStimulus(host, ping);
    return sent?.kind === 'send' ? decodeEthernet(sent.frame)?.header.dst : undefined;
  };
  t.equal(macOf(createHost(plan, draws)), peer.mac, 'nobody need be asked for');
  t.equal(macOf(createHost({ ...plan, neighbours: [] }, draws)), 'ff:ff:ff:ff:ff:ff');
  const memory = createHost(plan, draws);
  memory.neighbours.set(peer.ip, { kind: 'known', mac: eth1.mac });
  t.equal(
    macOf(createHost(plan, draws, { memory })),
    eth1.mac,
    'what it has learned since counts for more',
  );
  const forwarding = { destinations: [], sources: [] };
  const before = createHost({ ...plan, forwarding }, draws);
  startStimulus(before, ping);
  t.equal(before.nat?.connections.size, 2);
  const [kept, rules] = [
    createHost({ ...plan, forwarding: { ...forwarding } }, draws, { memory: before }),
    createHost({ ...plan, forwarding }, draws),
  ];
  t.equal(kept.nat?.connections, before.nat?.connections, 'connections outlast their rules');
  t.not(kept.nat?.plan, before.nat?.plan);
  t.equal(rules.nat?.connections.size, 0);
  t.same([createHost(plan, draws).clock, noMemories().clock], [{ nowUs: 0 }, { nowUs: 0 }]);
});

void t.test('who is gone from the cluster knows nothing when he comes again', async (t) => {
  const names = ['a', 'b', 'x1', 'x2'];
  const memories = memoriesOf(
    new Map(names.map((host) => [host, new Map([['10.0.0.9', '0a:00:00:00:00:09']])])),
  );
  const remembering = () =>
    names.filter((name) => memoryOf(memories, name)?.neighbours.has('10.0.0.9'));
  t.same(remembering(), names);
  t.not(memoryOf(memories, 'a'), memoryOf(memories, 'a'), 'as long as it took part in nothing');
  for (const name of ['a', 'b'])
    memories.hosts.set(name, createHost(plan, draws, { memory: memoryOf(memories, name) }));
  t.equal(memoryOf(memories, 'a'), memories.hosts.get('a'), 'once it took part');
  const node = { node: 'n1', hosts: [plan], bridges: [] };
  forgetHostsOutside(memories, { nodes: [node], externalHosts: [{ ...plan, name: 'x1' }] });
  t.same(remembering(), ['a', 'x1']);
  forgetHostsOutside(memories, { nodes: [node] });
  t.same(remembering(), ['a']);
});

void t.test('the echo service', async (t) => {
  const host = createHost({ ...plan, listens: [{ protocol: 'SCTP', port: 9000 }] }, draws);
  const listening = [
    ['TCP', 7],
    ['UDP', 7],
    ['SCTP', 7],
    ['SCTP', 9000],
    ['TCP', 9000],
    ['SCTP', 9001],
  ] as const;
  t.same(
    listening.map(([protocol, port]) => listensOn(host, protocol, port)),
    [true, true, false, true, false, false],
    'everybody has one, but none by SCTP',
  );
});

void t.test(
  'Windows answers for an address only where it holds it, Linux everywhere',
  async (t) => {
    const request = (ip: string) =>
      encodeEthernet(
        { dst: 'ff:ff:ff:ff:ff:ff', src: peer.mac, etherType: etherTypes.arp },
        encodeArp({
          op: arpOperations.request,
          sha: peer.mac,
          spa: peer.ip,
          tha: '00:00:00:00:00:00',
          tpa: ip,
        }),
      );
    const answers = (kind: HostPlan['kind']) =>
      [eth0.ip, eth1.ip, '10.0.0.3'].map(
        (ip) => receive(createHost({ ...plan, kind }, draws), eth0, request(ip)).length,
      );
    t.same(
      [answers('linux-node'), answers('windows-node')],
      [
        [1, 1, 0],
        [1, 0, 0],
      ],
    );
  },
);

void t.test('several calls, each from a port of its own, one behind the other', async (t) => {
  for (const [protocol, from, asks] of [
    ['UDP', 65_534, ''],
    ['TCP', 65_534, 'SYN'],
  ] as const) {
    const host = createHost(plan, { ...draws, srcPort: from });
    let effects = startStimulus(host, {
      kind: 'calls',
      protocol,
      from: 'a',
      to: peer.ip,
      port: 53,
      count: 3,
      everyMs: 5,
      ttl: 9,
    });
    const seen: string[] = [];
    for (let round = 1; round <= 4; round++) {
      const last = effects.at(-1);
      seen.push(
        ...inWords(effects).filter(
          (words) => words.includes('eth0') || words === 'wake after 5000 µs',
        ),
      );
      if (last?.kind !== 'wake' || last.timer.kind !== 'call') break;
      t.ok(isTimerPending(host, last.timer));
      effects = fireTimer(host, last.timer);
    }
    t.same(
      seen.map((words) =>
        words.replace(/.* > 10\.0\.0\.2 /, '').replace(/ (seq|length|ack|win).*/, ''),
      ),
      ['65534', '65535', '49152'].flatMap((port, index) => [
        `${protocol} ${port} > 53${asks === '' ? '' : ` ${asks}`}`,
        ...(index < 2 ? ['wake after 5000 µs'] : []),
      ]),
    );
    t.equal(host.connections.size, protocol === 'TCP' ? 3 : 0);
    t.ok([...host.connections.values()].every(({ purpose }) => purpose === 'echo'));
  }
});

void t.test('who is notified that what it sent goes no further', async (t) => {
  const errorOf = (
    type: number,
    code: number,
    quoted: (sent: Uint8Array) => Uint8Array = (sent) => sent,
    open = true,
  ) => {
    const host = createHost(plan, draws);
    const [sent] = open
      ? startStimulus(host, { kind: 'tcp', from: 'a', to: peer.ip, port: 80 })
      : [];
    const packet =
      sent?.kind === 'send'
        ? (decodeEthernet(sent.frame)?.payload ?? new Uint8Array())
        : new Uint8Array();
    const error = encodeIpv4(
      { src: '10.0.0.254', dst: eth0.ip, ttl: 64, protocol: ipProtocols.icmp },
      encodeIcmp({ type, code, identifier: 0, sequence: 0 }, quoted(packet)),
    );
    return [
      ...inWords(
        receive(
          host,
          eth0,
          encodeEthernet({ dst: eth0.mac, src: peer.mac, etherType: etherTypes.ipv4 }, error),
        ),
      ),
      `${host.connections.size} left`,
    ];
  };
  const { destinationUnreachable, timeExceeded } = icmpTypes;
  const reasons = {
    0: 'network unreachable',
    1: 'host unreachable',
    3: 'port unreachable',
    5: 'destination unreachable, code 5',
  };
  for (const [code, why] of Object.entries(reasons))
    t.same(
      errorOf(destinationUnreachable, Number(code)),
      [`unreachable 10.0.0.2 ${why}`, '0 left'],
      'a connection that does not stand yet is over',
    );
  t.same(errorOf(timeExceeded, 0), ['unreachable 10.0.0.2 time exceeded', '0 left']);
  t.same(
    errorOf(timeExceeded, 1),
    ['unreachable 10.0.0.2 time exceeded', '0 left'],
    'whatever the code',
  );
  t.same(
    errorOf(destinationUnreachable, 3, (sent) => sent.subarray(0, 20)),
    ['1 left'],
    'what quotes too little is about nothing',
  );
});
