// Goal: ports of a Windows node for Services are two connections, and the endpoint sees the node;
// what does not is caught. Method: the scenario on the model alone; then faults in the node's
// stack.
import { ok } from 'node:assert/strict';
import t from 'tap';
import { antreaPromises } from '../../intent/antrea/promises.js';
import nodePorts from '../../../scenarios/antrea/windows-node-ports.js';
import { windowsNodePorts } from '../../../topologies/antrea/windows-services.js';
import { freshHost } from '../../control/windows/host.js';
import { prepareServiceAdapter, serveServices } from '../../control/windows/kube-proxy.js';
import { antreaIntent } from '../../intent/antrea/antrea-intent.js';
import { servicePortsOf } from '../../kube/services/service-endpoints.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { Switches } from '../../testbeds/testbed.js';
import { runScenario } from '../run-scenario.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const cluster = windowsNodePorts('encap');
const sound = nodePorts.controlPlane.plan(cluster);
const node = sound.nodes[0]?.hosts.find(({ name }) => name === 'n1');

/** Ids of vectors that do not conform with the node's stack changed. */
async function failing(
  change: (host: HostPlan) => HostPlan,
  ids: RegExp,
): Promise<readonly string[]> {
  const openReal = (opened: ClusterPlan): Promise<Switches> =>
    Promise.resolve(openModelSwitches(opened));
  const plan = {
    ...sound,
    nodes: sound.nodes.map((each) => ({
      ...each,
      hosts: each.hosts.map((host) => (host.name === 'n1' ? change(host) : host)),
    })),
  };
  const { report } = await runScenario(
    { ...nodePorts, controlPlane: { name: 'given', promises: antreaPromises, plan: () => plan } },
    { mode: 'encap' },
    { seed: 1, nowMs: () => 0, depth: 'cold', openReal, only: ({ id }) => ids.test(id) },
  );
  ok(report.vectors.length > 0);
  return report.vectors.filter(({ verdict }) => verdict !== 'conforms').map(({ id }) => id);
}

void t.test(
  'the node: addresses of Services on the adapter for them, one port for TCP and UDP',
  async (t) => {
    t.same(
      node?.interfaces
        .map(({ name, ip, prefixLength }) => `${name} ${ip}/${prefixLength}`)
        .slice(2),
      ['10.96.0.20', '10.96.0.21', '10.96.0.22', '10.96.0.23', '10.96.0.24'].map(
        (ip) => `HNS Internal NIC ${ip}/32`,
      ),
    );
    t.same(
      node?.proxies
        ?.filter(({ at }) => at.port === 30_080 || at.ip === '10.96.0.20')
        .map(({ at }) => `${at.protocol} ${at.ip ?? 'any'}:${at.port}`),
      ['TCP 10.96.0.20:80', 'TCP any:30080', 'UDP 10.96.0.20:80', 'UDP any:30080'],
    );
    const services = servicePortsOf(cluster.objects);
    t.same(serveServices(freshHost('n1', []), services), {
      kind: 'refused',
      why: 'kube-proxy of n1 has no adapter "HNS Internal NIC" to put addresses of Services on',
    });
    const prepared = prepareServiceAdapter(freshHost('n1', []));
    t.equal(prepared.kind === 'done' ? serveServices(prepared.host, services).kind : '', 'done');
  },
);

void t.test('it conforms, and what is promised in either mode', async (t) => {
  t.same(await failing((host) => host, /^(tcp|udp)\/(x1|asker)\/(both|other-node|half-gone)$/), []);
  for (const mode of ['encap', 'noEncap'] as const) {
    const network = windowsNodePorts(mode);
    const seen = (from: string, port: number) =>
      antreaIntent(network, { kind: 'tcp', from, to: '172.30.0.1', port });
    t.match(seen('x1', 30_081), {
      kind: 'round-trip',
      to: 'web1',
      source: '10.10.1.1',
      relay: { by: 'n1', client: '172.30.255.1' },
    });
    t.match(seen('asker', 30_082), {
      kind: 'round-trip',
      to: 'web2',
      source: mode === 'encap' ? '10.10.1.1' : '172.30.0.1',
      relay: { client: '172.30.0.3' },
    });
  }
  t.throws(
    () => antreaIntent(cluster, { kind: 'tcp', from: 'web1', to: '172.30.0.1', port: 30_082 }),
    {
      name: 'Unsupported',
    },
  );
  t.throws(
    () => antreaIntent(cluster, { kind: 'tcp', from: 'web2', to: '172.30.0.1', port: 30_082 }),
    {
      name: 'Unsupported',
    },
  );
  t.throws(() => antreaIntent(cluster, { kind: 'tcp', from: 'n1', to: '10.96.0.20', port: 80 }), {
    name: 'Unsupported',
    message: /HNS Internal NIC/,
  });
});

void t.test('faults are seen', async (t) => {
  const rules = (node?.proxies ?? [])
    .filter(({ at }) => at.ip === undefined)
    .map(({ at, to }) => ({
      match: { ip: '172.30.0.1', protocol: at.protocol, port: at.port },
      to,
      keepsSenders: ['0.0.0.0/0'],
    }));
  const { proxies: _, ...silent } = node ?? { name: '', kind: 'pod', interfaces: [], routes: [] };
  t.same(
    await failing(
      (host) => ({
        ...host,
        proxies: [],
        forwarding: { sources: [], ...host.forwarding, destinations: rules },
        forwardsFrom: ['antrea-gw0', 'br-int'],
      }),
      /^(tcp|udp)\/x1\/same-node$/,
    ),
    ['tcp/x1/same-node', 'udp/x1/same-node'],
    "a proxy that leaks the client's address",
  );
  t.same(
    await failing(() => silent, /^(tcp|udp)\/x1\/both$/),
    ['tcp/x1/both', 'udp/x1/both'],
    'nobody listens',
  );
  const tcpAlone = (host: HostPlan): HostPlan => ({
    ...host,
    proxies: (host.proxies ?? []).filter(({ at }) => at.protocol === 'TCP'),
  });
  t.same(
    await failing(tcpAlone, /^(tcp|udp)\/x1\/both$/),
    ['udp/x1/both'],
    "the port is TCP's alone",
  );
  const once = (host: HostPlan): HostPlan => ({
    ...host,
    proxies: (host.proxies ?? []).map((proxy) => ({ ...proxy, dialMs: proxy.dialMs.slice(0, 1) })),
  });
  t.same(
    await failing(once, /^calls\/x1\/half-gone$/),
    ['calls/x1/half-gone'],
    'an endpoint that is gone is not followed by the next',
  );
  const stuck = (host: HostPlan): HostPlan => ({
    ...host,
    proxies: (host.proxies ?? []).map((proxy) => ({ ...proxy, to: proxy.to.slice(0, 1) })),
  });
  t.same(
    await failing(stuck, /^calls\/x1\/both$/),
    ['calls/x1/both'],
    'an endpoint never has its turn',
  );
});
