// Goal: histories with Services are drawn in both pipelines, meet what there is to be met, and what goes wrong with endpoints, affinity and groups does not pass and is made short. Method: a second
// model in the place of switches; then one fault planted at a time, in a history of the seed in which it shows.
import t from 'tap';
import { generatedHistory } from '../../topologies/generated-history.js';
import type { Manifest } from '../../topologies/changing-cluster.js';
import { historyOf, type Happening } from '../../topologies/happenings.js';
import { antrea } from '../control/antrea/index.js';
import type { KubeObjects, Network } from '../kube/objects.js';
import type { EndpointSlice, Service } from '../kube/services.js';
import type { KubePod } from '../kube/workloads.js';
import type { BridgePlan, ControlPlane } from '../nouns/plan.js';
import { playHistory, type HistoryStage } from '../run/history/play.js';
import { openModel } from '../testbeds/model/model.js';
import { runEvents, type Drawn } from '../fuzz/events.js';

const seed = 1;
const stage: HistoryStage = {
  controlPlane: antrea('1.3'), seed,
  openReal: (plan) => {
    const model = openModel(plan);
    return Promise.resolve({ ...model, call: (calls) => model.call(calls, { taken: () => Promise.resolve(0), connections: () => Promise.resolve([]) }), lookups: () => ({ hit: 0, missed: 0 }) });
  },
};
const draw = (index: number, events = 6): Drawn<Happening> => {
  const { pipeline, first, happenings } = generatedHistory(seed, index, events);
  return { controlPlane: antrea(pipeline), happenings, historyOf: (some) => historyOf(first, some) };
};

void t.test('both pipelines', async (t) => {
  t.strictSame([0, 1, 2, 3, 4, 5].map((index) => generatedHistory(seed, index, 1).pipeline), ['0.8', '1.3', '0.8', '0.8', '0.8', '1.3']);
  t.strictSame([0, 1, 2, 3].map((index) => generatedHistory(seed, index, 0).first.manifests.filter(({ kind }) => kind === 'Service').length), [0, 2, 0, 2]);
  const met = new Set<string>();
  for (const first of [13, 15]) {
    const result = await runEvents({ stage, draw: (index) => draw(index, 3), count: 1, first, onProgress: () => undefined });
    t.strictSame([result.findings.map(({ steps }) => steps.at(-1)?.differences[0]), [...result.unknown]], [[], []], `history ${first}`);
    for (const what of result.met.keys()) met.add(what);
  }
  for (const what of ['probe: balanced', 'probe: rejected']) t.ok(met.has(what), what);
});

/** A compiler whose plans are changed bridge by bridge. */
function miscompiling(change: (bridge: BridgePlan) => Partial<BridgePlan>): ControlPlane<Network> {
  const { plan, ...right } = antrea('1.3');
  return {
    ...right,
    plan: (cluster, before) => {
      const planned = plan(cluster, before);
      return { ...planned, nodes: planned.nodes.map((node) => ({ ...node, bridges: node.bridges.map((bridge) => ({ ...bridge, ...change(bridge) })) })) };
    },
  };
}

/** A control plane that is told of other objects than there are. */
function deceived(lie: (objects: KubeObjects) => Partial<KubeObjects>): ControlPlane<Network> {
  const right = antrea('1.3');
  return { ...right, plan: (cluster, before) => right.plan(cluster.objects === undefined ? cluster : { ...cluster, objects: { ...cluster.objects, ...lie(cluster.objects) } }, before) };
}

/** Every Service has a slice of all that were ever behind it. */
function neverRemoving(): ControlPlane<Network> {
  const ever = new Map<string, Map<string, string>>();
  const sliceOf = ({ metadata: { name, namespace }, spec }: Service, { pods }: KubeObjects): EndpointSlice => {
    const known = ever.get(`${namespace}/${name}`) ?? new Map<string, string>();
    ever.set(`${namespace}/${name}`, known);
    const isBehind = ({ metadata }: KubePod) => metadata.namespace === namespace && Object.entries(spec.selector ?? {}).every(([key, value]) => metadata.labels[key] === value);
    for (const pod of pods.filter(isBehind)) if (pod.status.podIP !== undefined) known.set(pod.status.podIP, pod.spec.nodeName);
    return { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } }, addressType: 'IPv4', ports: [{ name: '', protocol: 'TCP', port: 7 }], endpoints: [...known].map(([ip, nodeName]) => ({ addresses: [ip], nodeName })) };
  };
  return deceived((objects) => ({ endpointSlices: objects.services.map((service) => sliceOf(service, objects)) }));
}

const withoutAffinity = () => deceived(({ services }) => ({ services: services.map((service) => ({ ...service, spec: { ...service.spec, sessionAffinity: 'None' as const } })) }));

/** What leads to the second group leads to the first one. */
const takenTwice = () => miscompiling(({ flows }) => ({ flows: flows.map((flow) => flow.replace(/group:2$/, 'group:1')) }));

const faults: readonly { readonly name: string; readonly fault: () => ControlPlane<Network>; readonly index: number; readonly at: RegExp }[] = [
  { name: 'an endpoint is never removed', fault: neverRemoving, index: 5, at: /Service/ },
  { name: 'affinity forgets', fault: withoutAffinity, index: 13, at: /^\d+ ask-80\/\S+\/Service/ },
  { name: 'a group id is taken twice', fault: takenTwice, index: 17, at: /^\d+ ask-80\/\S+\/Service/ },
];

for (const { name, fault, index, at } of faults) {
  void t.test(name, async (t) => {
    const { happenings, historyOf: of } = draw(index);
    const last = (await playHistory({ ...stage, controlPlane: fault() }, of(happenings))).at(-1);
    t.match(last?.differences[0], { aspect: 'intent' });
    t.match(last?.id, at);
  });
}

void t.test('one that leaves a bucket behind is made short', async (t) => {
  const forgetful: HistoryStage = { ...stage, faulty: (steps) => steps.map((step) => (step.kind === 'change' ? { ...step, lines: step.lines.filter((line) => !line.startsWith('group modify')) } : step)) };
  const endpoint = (name: string): Happening => ({ kind: 'apply', manifest: { ...one, metadata: { name, labels: { app: 'x' } } } as Manifest });
  const one = { apiVersion: 'v1', kind: 'Pod', spec: { nodeName: 'n1' } };
  const service: Happening = { kind: 'apply', manifest: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'own' }, spec: { clusterIP: '10.96.9.9', selector: { app: 'x' }, ports: [{ port: 80, targetPort: 7 }] } } as Manifest };
  const happenings = [service, endpoint('x1'), ...draw(13).happenings.slice(0, 2), endpoint('x2')];
  const { findings } = await runEvents({ stage: forgetful, draw: () => ({ ...draw(13), happenings }), count: 1, onProgress: () => undefined });
  const steps = findings[0]?.steps ?? [];
  t.match(steps.at(-1)?.differences[0], { aspect: 'program', summary: /group_id=\d+$/ });
  t.match(steps.map(({ id }) => id.replace(/^\d+ /, '')), ['Service own comes', 'Pod x1 comes', 'Pod x2 comes'], 'no more than that');
});
