/**
 * Goal: what the watcher has written is what the API server's objects ask for, whatever happens to
 * watcher, server, and what they say to each other. Method: watchers as processes on a real
 * northbound database, beside a real kube-apiserver where one has been built (a stand-in is named);
 * objects change, the watcher is killed, a second one waits, the server lies in each of many ways.
 */
import t, { type Test } from 'tap';
import { openImage } from '../../../images/images.js';
import { kubeApiserver } from '../../../images/kube-apiserver.js';
import scenario from '../../../scenarios/ovn-cni/lifecycle.js';
import { Unavailable } from '../../base/errors/errors.js';
import { connectReplica } from '../../ovs/ovsdb/replica.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { openKubeApi } from './testkit/kube-api.js';
import { lies, say } from './testkit/lies.js';
import { startLyingProxy } from './testkit/lying-proxy.js';
import { columns, policyState, untilPolicies, type PolicyState } from './testkit/policy-state.js';
import { startWatcher } from './testkit/watcher-process.js';

/** Of two cores, and others' work on them. */
const timeout = 300_000;
const image = await openImage('trixie', (line) => t.comment(line));
const plan = scenario.controlPlane.plan(scenario.topology({ nodes: '1' }));
const switches = await openSim(plan, image);
t.teardown(() => switches.close());
const api = await openKubeApi(`${switches.dir}/~api`, await kubeApiserver());
t.teardown(() => api.close());
t.comment(`the API server is ${api.name}`);
const proxy = await startLyingProxy(api);
t.teardown(() => proxy.close());
const northbound = `${switches.dir}/global~nb/db.sock`;
const peer = { name: 'a database', whyEnded: async () => new Unavailable('it has gone') };
const rows = await connectReplica(northbound, 'OVN_Northbound', peer, columns);
t.teardown(() => rows.close());

const start = (t: Test, ...more: readonly string[]) => {
  const server = ['--api', proxy.url, '--token', api.token];
  const watcher = startWatcher(['--northbound', `unix:${northbound}`, ...server, ...more]);
  t.teardown(() => watcher.kill());
  return watcher;
};
const policies = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const takes = (app: string) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'takes' },
  spec: {
    podSelector: { matchLabels: { app: 'p1' } },
    policyTypes: ['Ingress', 'Egress'],
    ingress: [{ from: [{ podSelector: { matchLabels: { app } } }], ports: [{ port: 'http' }] }],
    egress: [{ to: [{ podSelector: { matchLabels: { app: 'p2' } } }] }],
  },
});
const [open, isolated] = [
  { pass: ['p1', 'p2'], policies: {} },
  (addresses: string): PolicyState => ({
    pass: ['p2'],
    policies: { 'default/takes': ['p1', ingressFrom(addresses)] },
  }),
];
/** The name `http` is a port of p1: its logical port is named. */
function ingressFrom(addresses: string): string {
  const port = String(plan.northbound?.zones[0]?.chassis[0]?.bindings[0]?.logicalPort);
  return (
    `to-lport outport == @own && ip4 && (ip4.src == {${addresses}}) && ` +
    `outport == "${port}" && tcp.dst == 80`
  );
}
async function ask(t: Test, method: string, path: string, body?: object): Promise<unknown> {
  const { code, body: answer } = await api.ask(method, path, body);
  t.ok(code === 200 || code === 201, `${method} ${path}: ${code}`);
  return answer;
}
const annotate = (t: Test, value: string | null) =>
  ask(t, 'PATCH', '/api/v1/namespaces/default', {
    metadata: { annotations: { 'net.alpha.kubernetes.io/network-isolation': value } },
  });

void t.test('pods are made known', { timeout }, async (t) => {
  for (const name of ['p1', 'p2'])
    await ask(t, 'POST', '/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: { app: name } },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'c', image: 'x', ports: [{ name: 'http', containerPort: 80 }] }],
      },
    });
});

void t.test('objects come, change and go', { timeout }, async (t) => {
  const watcher = start(t);
  await untilPolicies(rows, open);
  await ask(t, 'POST', policies, takes('p2'));
  await untilPolicies(rows, isolated('10.10.1.3'));
  await watcher.says(/NetworkPolicy default\/takes: it has Egress/);
  await watcher.says(/synchronized/);
  await annotate(t, 'off');
  await untilPolicies(rows, open);
  await annotate(t, 'on');
  await untilPolicies(rows, { ...isolated('10.10.1.3'), pass: [] });
  await annotate(t, null);
  await ask(t, 'PATCH', `${policies}/takes`, { spec: takes('p1').spec });
  await untilPolicies(rows, isolated('10.10.1.2'));
  const { body } = await api.ask('GET', '/api/v1/namespaces/default/events');
  const events = (body as { items: { reason: string; involvedObject: object }[] }).items;
  t.match(
    events.filter(({ reason }) => reason === 'EgressNotEnforced'),
    [{ involvedObject: { kind: 'NetworkPolicy', name: 'takes' }, type: 'Warning' }],
  );
});

void t.test(
  'with --egress what goes out is restricted as well, and then again not',
  { timeout },
  async (t) => {
    const watcher = start(t, '--egress');
    const [own = ''] = isolated('10.10.1.2').policies['default/takes']?.slice(1) ?? [];
    await untilPolicies(rows, {
      pass: ['p2'],
      dropOut: ['p1', 'p2'],
      policies: {
        'default/takes': [
          'p1',
          'from-lport inport == @own && ip4 && (ip4.dst == {10.10.1.3})',
          own,
        ],
      },
    });
    t.notMatch(watcher.lines.join(' '), /Egress/, 'nothing is refused');
    await watcher.kill();
    start(t);
    await untilPolicies(rows, isolated('10.10.1.2'));
  },
);

void t.test('killed at any point: the next begins with all there is', { timeout }, async (t) => {
  for (const [app, address] of [
    ['p2', '10.10.1.3'],
    ['p1', '10.10.1.2'],
  ] as const) {
    const watcher = start(t);
    await watcher.says(/holds the lock/);
    await watcher.kill();
    await ask(t, 'PATCH', `${policies}/takes`, { spec: takes(app).spec });
    const next = start(t);
    await untilPolicies(rows, isolated(address));
    await next.kill();
  }
});

void t.test('of two watchers one waits for the other', { timeout }, async (t) => {
  const first = start(t);
  await first.says(/holds the lock/);
  const second = start(t);
  await second.says(/waits for the lock/);
  await ask(t, 'PATCH', `${policies}/takes`, { spec: takes('p2').spec });
  await untilPolicies(rows, isolated('10.10.1.3'));
  t.notMatch(second.lines.join(' '), /holds the lock/);
  await first.kill();
  await second.says(/holds the lock/);
  await ask(t, 'PATCH', `${policies}/takes`, { spec: takes('p1').spec });
  await untilPolicies(rows, isolated('10.10.1.2'));
});

void t.test(
  'a server that lies: what is written stays, until there is better news',
  { timeout },
  async (t) => {
    const watcher = start(t);
    await untilPolicies(rows, isolated('10.10.1.2'));
    let from = ['p2', 'p1'];
    for (const [what, watches, lists, reported] of lies) {
      proxy.lie('watch', 'networkpolicies', watches);
      proxy.lie('list', 'networkpolicies', lists);
      proxy.hangUp();
      const [app = ''] = from;
      from = from.toReversed();
      await ask(t, 'PATCH', `${policies}/takes`, { spec: takes(app).spec });
      await untilPolicies(rows, isolated(app === 'p2' ? '10.10.1.3' : '10.10.1.2'));
      await watcher.says(reported);
      t.pass(what);
    }
  },
);

void t.test(
  'a slow server: what is written stays until it has answered',
  { timeout },
  async (t) => {
    const before = policyState(rows);
    const [app, address] = JSON.stringify(before).includes('10.10.1.3')
      ? ['p1', '10.10.1.2']
      : ['p2', '10.10.1.3'];
    start(t);
    const held: (() => void)[] = [];
    const asked = new Promise<void>((resolve) => {
      proxy.lie('watch', 'networkpolicies', [say(410, '{}')]);
      proxy.lie('list', 'networkpolicies', [
        (_, truth) => {
          held.push(truth);
          resolve();
        },
      ]);
    });
    await asked;
    await ask(t, 'PATCH', `${policies}/takes`, { spec: takes(app).spec });
    t.same(policyState(rows), before, 'it has not answered, and nothing is written');
    for (const truth of held) truth();
    await untilPolicies(rows, isolated(address));
    await ask(t, 'PATCH', `${policies}/takes`, { spec: takes('p1').spec });
    await untilPolicies(rows, isolated('10.10.1.2'));
  },
);

void t.test(
  'a server that is down: nothing is opened, and then what is to be',
  { timeout },
  async (t) => {
    const watcher = start(t);
    await watcher.says(/synchronized/);
    proxy.serve('down');
    await ask(t, 'DELETE', `${policies}/takes`);
    await watcher.says(/answers a watch 503/);
    await untilPolicies(rows, isolated('10.10.1.2'));
    proxy.serve('up');
    await untilPolicies(rows, open);
  },
);
