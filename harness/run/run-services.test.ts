// Goal: who promises and who programs read Services alike: every vector of both scenarios comes out
// of model and hosts as L0 says. Method: the vectors, once each, on the model with what the control
// plane compiles, judged by L0. Faults planted in what the control plane is given must show.
import t from 'tap';
import kubeProxy from '../../scenarios/antrea/services-kube-proxy.js';
import antreaProxy from '../../scenarios/antrea/services-antrea-proxy.js';
import { judgeIntent } from '../compare/judge-intent.js';
import { antrea } from '../control/antrea/index.js';
import { antreaIntent } from '../intent/antrea/antrea-intent.js';
import type { Cluster, KubeObjects } from '../kube/objects.js';
import { firstCandidateOracle } from '../model/ambiguity.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { TestVector } from '../domain/test-vector.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';

const seed = 1;
const cluster = kubeProxy.topology({ tunnel: 'geneve' }) as Cluster;

for (const scenario of [kubeProxy, antreaProxy]) {
  void t.test(scenario.name, async (t) => {
    const { broken, kinds } = await play(
      scenario.controlPlane.plan(cluster),
      scenario.vectors(cluster),
    );
    t.same(broken, []);
    t.ok(kinds.has('balanced') && kinds.has('denied') && kinds.has('rejected'), [...kinds].join());
  });
}

void t.test('faults in what the control plane is given show', async (t) => {
  const faults: readonly (readonly [
    what: string,
    ids: RegExp,
    change: (objects: KubeObjects) => Partial<KubeObjects>,
  ])[] = [
    [
      'a slice is missing',
      /^spread\/.*web:http/,
      ({ endpointSlices }) => ({ endpointSlices: endpointSlices.slice(1) }),
    ],
    [
      'an endpoint counts that is not ready',
      /^spread\/.*web:http/,
      ({ endpointSlices }) => ({
        endpointSlices: endpointSlices.map((slice) => ({
          ...slice,
          endpoints: slice.endpoints.map(({ conditions: _, ...endpoint }) => endpoint),
        })),
      }),
    ],
    [
      'ports have no names',
      /^service\/asker1\/default\/dns/,
      ({ pods }) => ({
        pods: pods.map((pod) => ({ ...pod, spec: { ...pod.spec, containers: [] } })),
      }),
    ],
    [
      'nobody keeps an endpoint',
      /^kept\//,
      ({ services }) => ({
        services: services.map((service) => ({
          ...service,
          spec: { ...service.spec, sessionAffinity: 'None' as const },
        })),
      }),
    ],
    [
      'labels are others',
      /^spread\/.*default\/admin/,
      ({ pods }) => ({
        pods: pods.map((pod, index) =>
          index === 3 ? { ...pod, metadata: { ...pod.metadata, labels: {} } } : pod,
        ),
      }),
    ],
    [
      'nodes have other ports',
      /^node-port\/x1\/n1\/default\/web:http/,
      ({ services }) => ({
        services: services.map((service) => ({
          ...service,
          spec: {
            ...service.spec,
            ports: service.spec.ports.map(({ nodePort: _, ...port }) => port),
          },
        })),
      }),
    ],
    [
      'who comes from outside is hidden though it should not be',
      /^node-port\/x1\/n1\/default\/admin/,
      ({ services }) => ({
        services: services.map(({ spec: { externalTrafficPolicy: _, ...spec }, ...service }) => ({
          ...service,
          spec,
        })),
      }),
    ],
    [
      'who comes from outside is not hidden though it should be',
      /^node-port\/x1\/n1\/default\/web:http/,
      ({ services }) => ({
        services: services.map((service) => ({
          ...service,
          spec: { ...service.spec, externalTrafficPolicy: 'Local' as const },
        })),
      }),
    ],
    [
      'nobody knows which node an endpoint is on',
      /^node-port\/x1\/n1\/default\/lonely/,
      ({ endpointSlices }) => ({
        endpointSlices: endpointSlices.map((slice) => ({
          ...slice,
          endpoints: slice.endpoints.map(({ nodeName: _, ...endpoint }) => endpoint),
        })),
      }),
    ],
    [
      "a load balancer's addresses are not served",
      /^address\/(x1|asker1)\/192\.0\.2\.12/,
      ({ services }) => ({
        services: services.map(({ status: _, ...service }) => ({ ...service, status: {} })),
      }),
    ],
    [
      'external addresses are not served',
      /^address\/x2\/192\.0\.2\.16/,
      ({ services }) => ({
        services: services.map((service) => ({
          ...service,
          spec: { ...service.spec, externalIPs: [] },
        })),
      }),
    ],
    [
      'a Service has another address',
      /^service\/asker1\/default\/lonely/,
      ({ services }) => ({
        services: services.map((service) =>
          service.metadata.name === 'lonely'
            ? { ...service, spec: { ...service.spec, clusterIP: '10.96.0.200' } }
            : service,
        ),
      }),
    ],
  ];
  for (const version of ['0.8', '1.3'] as const) {
    for (const [what, ids, change] of faults) {
      const vectors = antreaProxy.vectors(cluster).filter(({ id }) => ids.test(id));
      const { broken } = await play(
        antrea(version).plan({
          ...cluster,
          objects: { ...cluster.objects, ...change(cluster.objects) },
        }),
        vectors,
      );
      t.not(broken.length, 0, `${what}, ${version}`);
    }
  }
});

void t.test(
  'before 3.3, it is nondeterministic whether a connection that has ended is in the way of ' +
    'the next',
  async (t) => {
    const plan = antrea('1.3').plan(cluster);
    const vector = antreaProxy
      .vectors(cluster)
      .find(({ id }) => id === 'service/asker1/default/exporter');
    if (vector === undefined) throw new Error('no such vector');
    const { id, stimulus } = vector;
    /**
     * The port that answers go to after the third time, each on the same ports, where the switch is
     * seen to have chosen one that is `above` the client's.
     */
    const third = async (above: number) => {
      const model = openModel(plan, { 'ovs-vswitchd': '3.1.0' });
      const answered = async () =>
        (await model.state()).connections.find(({ original }) =>
          original.includes('dst=10.96.0.15'),
        );
      const portOf = (reply: string | undefined) => Number(/dport=(\d+)/.exec(reply ?? '')?.[1]);
      let client = 0;
      const ports: number[] = [];
      let before: Awaited<ReturnType<typeof answered>>;
      const seen = () =>
        Promise.resolve(
          before === undefined
            ? []
            : [{ ...before, reply: before.reply.replace(/dport=\d+/, `dport=${client + above}`) }],
        );
      for (const _ of ['cold', 'again', 'cached']) {
        await withEmulatedHosts(
          {
            ...model,
            call: (calls) => model.call(calls, { ...firstCandidateOracle, connections: seen }),
          },
          plan,
          { seed, hosts: 'start afresh' },
        ).play(id, stimulus);
        before = await answered();
        const port = portOf(before?.reply);
        client ||= port;
        ports.push(port - client);
      }
      return ports;
    };
    t.same(await third(0), [0, 0, 0], 'each time it is forgotten');
    t.same(await third(1), [0, 1, 1], 'the first is not, the second is');
    t.same(
      await third(9),
      [0, 1, 0],
      'what it cannot have chosen is not believed: what has just ended is in the way, what ' +
        'did before is not',
    );
  },
);

/** What L0 says, and where it is not so. */
async function play(
  plan: ReturnType<typeof kubeProxy.controlPlane.plan>,
  vectors: readonly TestVector[],
): Promise<{ readonly broken: readonly string[]; readonly kinds: ReadonlySet<string> }> {
  const model = openModel(plan);
  const broken: string[] = [];
  const kinds = new Set<string>();
  for (const { id, stimulus } of vectors) {
    await model.reset();
    const intent = antreaIntent(cluster, stimulus);
    kinds.add(intent.kind);
    const seen = await withEmulatedHosts(
      { ...model, call: (calls) => model.call(calls, firstCandidateOracle) },
      plan,
      { seed, hosts: 'start afresh' },
    ).play(id, stimulus);
    const wrong = judgeIntent(intent, stimulus, seen);
    if (wrong !== undefined) broken.push(`${id}: ${wrong.expected}: ${wrong.actual}`);
  }
  return { broken, kinds };
}
