// Goal: the agent prepares a Windows node in any order that the seed allows and in no other, finds
// the right adapter, and may die anywhere. Method: random orders of all steps, each refusal naming
// a step that was indeed missing; every prefix applied before it begins again; adapters that are
// not there.
import fc from 'fast-check';
import t from 'tap';
import {
  changedHost,
  freshHost,
  type Adapter,
  type HostChange,
  type WindowsHost,
} from '../../windows/host.js';
import {
  runStep,
  initialize,
  isDone,
  afterProcessCrash,
  steps,
  type NodeSpec,
  type Step,
} from './initialization.js';
import { nodeJoined, nodeLeft, type Peer } from './routes.js';

const spec: NodeSpec = {
  internalIp: '172.30.0.2',
  podCidr: '10.10.2.0/24',
  serviceCidr: '10.96.0.0/12',
  bridge: 'br-int',
  gateway: 'antrea-gw0',
  tunnel: 'antrea-tun0',
  virtualService: { ip: '169.254.0.253', mac: '0a:00:a9:fe:00:fd' },
};
const adapters: readonly Adapter[] = [
  {
    name: 'Ethernet0',
    kind: 'physical',
    mac: '0a:00:c0:a8:00:02',
    address: { ip: '192.168.0.2', prefixLength: 24 },
  },
  {
    name: 'Ethernet1',
    kind: 'physical',
    mac: '0a:00:ac:1e:00:02',
    address: { ip: '172.30.0.2', prefixLength: 16 },
  },
];
const fresh = freshHost('n2', adapters);

function hostOf(change: HostChange): WindowsHost {
  if (change.kind === 'refused') throw new Error(change.why);
  return change.host;
}
const ready = hostOf(initialize(fresh, spec));

void t.test('what the node holds when all is done', async (t) => {
  t.same(
    ready.network,
    {
      name: 'antrea-hnsnetwork',
      type: 'Transparent',
      adapter: 'Ethernet1',
      virtualAdapter: 'br-int',
      subnet: '10.10.2.0/24',
      extension: 'enabled',
    },
    'the adapter is the one with the internal IP',
  );
  t.same(
    ready.adapters,
    [
      adapters[0],
      { name: 'Ethernet1', kind: 'physical', mac: '0a:00:ac:1e:00:02' },
      {
        name: 'br-int',
        kind: 'virtual',
        mac: '0a:00:ac:1e:00:02',
        address: { ip: '172.30.0.2', prefixLength: 16 },
      },
    ],
    'its settings are on the virtual adapter, which is called as the bridge',
  );
  t.same(ready.bridge?.ports, [
    { kind: 'local', name: 'br-int' },
    { kind: 'uplink', name: 'Ethernet1' },
    { kind: 'tunnel', name: 'antrea-tun0', localIp: '172.30.0.2' },
    { kind: 'gateway', name: 'antrea-gw0' },
  ]);
  t.same(
    ready.routes.map(({ destination, via, interface: name }) => `${destination} ${via} ${name}`),
    [
      '10.10.2.0/24 on-link antrea-gw0',
      '169.254.0.253/32 on-link antrea-gw0',
      '10.96.0.0/12 169.254.0.253 antrea-gw0',
    ],
  );
  t.same(
    ready.neighbours,
    [{ interface: 'antrea-gw0', ip: '169.254.0.253', mac: '0a:00:a9:fe:00:fd' }],
    'one neighbour for all Services',
  );
  t.same(
    [ready.netNat, ready.forwarding, ready.processes],
    [{ name: 'antrea-nat', internalPrefix: '10.10.2.0/24' }, ['antrea-gw0'], 'running'],
  );
});

void t.test('a wrong order is refused by the step that it misses', async (t) => {
  const refusal = (before: readonly Step[], step: Step) =>
    runStep(
      before.reduce((host, earlier) => hostOf(runStep(host, earlier, spec)), fresh),
      step,
      spec,
    );
  const wrong: readonly (readonly [before: readonly Step[], step: Step, missed: Step])[] = [
    [[], 'OVS extension', 'HNS network'],
    [[], 'bridge', 'HNS network'],
    [['HNS network'], 'OVS daemons', 'OVS extension'],
    [['HNS network', 'OVS extension', 'OVS daemons'], 'bridge', 'rename of the virtual adapter'],
    [['HNS network', 'OVS extension', 'rename of the virtual adapter'], 'bridge', 'OVS daemons'],
    [
      ['HNS network', 'OVS extension', 'OVS daemons', 'rename of the virtual adapter'],
      'uplink',
      'bridge',
    ],
    [steps.slice(0, 5), 'NetNat', 'gateway'],
    [steps.slice(0, 8), 'service routes', 'virtual service address'],
  ];
  for (const [before, step, missed] of wrong) {
    t.same(refusal(before, step), {
      kind: 'refused',
      missed,
      why: `"${step}" comes after "${missed}", which was not done on n2`,
    });
  }
});

void t.test(
  'any order ends in the same node or is refused for what is indeed missing',
  async () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...steps], { minLength: steps.length }), (order) => {
        const waiting = [...order];
        let host = fresh;
        for (let refusals = 0; waiting.length > 0 && refusals < steps.length ** 2; ) {
          const step = waiting.shift() as Step;
          const change = runStep(host, step, spec);
          if (change.kind === 'done') host = change.host;
          else {
            refusals++;
            if (change.missed === undefined || isDone(host, change.missed as Step, spec))
              throw new Error(`${step}: ${change.why}`);
            waiting.push(step);
          }
        }
        const sorted = ({ routes, bridge, ...rest }: WindowsHost) =>
          JSON.stringify({
            ...rest,
            routes: routes.map((route) => JSON.stringify(route)).sort(),
            ports: bridge?.ports.map((port) => JSON.stringify(port)).sort(),
          });
        return sorted(host) === sorted(ready);
      }),
    );
  },
);

void t.test('agent and daemons die together at any step, and come back to the same', async (t) => {
  for (let count = 0; count <= steps.length; count++) {
    const before = steps
      .slice(0, count)
      .reduce((host, step) => hostOf(runStep(host, step, spec)), fresh);
    const dead = afterProcessCrash(before);
    t.equal(dead.processes, count > steps.indexOf('OVS daemons') ? 'dead' : 'not started');
    if (dead.processes === 'dead')
      t.match(runStep(dead, 'bridge', spec), { kind: 'refused', missed: 'OVS daemons' });
    t.same(hostOf(initialize(dead, spec)), ready, `dead after ${count} steps`);
  }
});

void t.test('the adapter: by the internal IP, and a physical one', async (t) => {
  t.match(initialize(freshHost('n2', adapters.slice(0, 1)), spec), {
    kind: 'refused',
    why: "no adapter of n2 has the node's internal IP 172.30.0.2: Ethernet0 has 192.168.0.2",
  });
  t.match(
    initialize(
      freshHost(
        'n2',
        adapters.map((adapter) => ({ ...adapter, kind: 'virtual' as const })),
      ),
      spec,
    ),
    {
      kind: 'refused',
      why: /needs a physical adapter, and Ethernet1, which has 172\.30\.0\.2, is virtual/,
    },
  );
});

void t.test('nodes join and leave in any order, and nothing of them stays', async (t) => {
  const interfaces = { gateway: spec.gateway, bridge: spec.bridge };
  const peers: readonly Peer[] = [1, 3, 4].flatMap((number) =>
    (['tunnel', 'direct', 'routed'] as const).map((reach) => ({
      name: `n${number}`,
      podCidr: `10.10.${number}.0/24`,
      gatewayIp: `10.10.${number}.1`,
      underlayIp: `172.30.0.${number}`,
      reach,
    })),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom(...peers), fc.constantFrom('n1', 'n3', 'n4'))),
      (events) => {
        const host = events.reduce<HostChange>(
          (change, event) =>
            change.kind !== 'done'
              ? change
              : typeof event === 'string'
                ? nodeLeft(change.host, event)
                : nodeJoined(change.host, event, interfaces),
          changedHost(ready),
        );
        const last = new Map(
          events.map((event) =>
            typeof event === 'string' ? [event, undefined] : [event.name, event],
          ),
        );
        const wanted = [...last.values()]
          .filter((peer) => peer !== undefined && peer.reach !== 'routed')
          .map((peer) =>
            peer?.reach === 'tunnel'
              ? `${peer.podCidr} ${peer.gatewayIp} antrea-gw0`
              : `${peer?.podCidr} ${peer?.underlayIp} br-int`,
          );
        const got = hostOf(host)
          .routes.slice(ready.routes.length)
          .map(({ destination, via, interface: name }) => `${destination} ${via} ${name}`);
        return JSON.stringify(got.sort()) === JSON.stringify(wanted.sort());
      },
    ),
  );
  t.match(nodeJoined(fresh, peers[0] as Peer, interfaces), { kind: 'refused', missed: 'gateway' });
});
