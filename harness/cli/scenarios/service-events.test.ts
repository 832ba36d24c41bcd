// Goal: timelines with Services are drawn in both pipelines, meet what there is to be met, and what
// goes wrong with endpoints, affinity and groups does not pass and is made short. Method: a second
// model in the place of switches; then one fault planted at a time, in a timeline of the seed in
// which it shows.
import t from 'tap';
import { generatedTimeline } from '../../../topologies/generated/generated-timeline.js';
import type { Manifest } from '../../../topologies/changing-cluster.js';
import { sequenceOf } from '../../../topologies/cluster-events.js';
import { type ClusterEvent } from '../../../topologies/cluster-event.js';
import { antrea } from '../../control/antrea/index.js';
import type { KubeObjects, Network } from '../../kube/objects.js';
import type { EndpointSlice, Service } from '../../kube/schemas/services.js';
import type { KubePod } from '../../kube/schemas/workloads.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { playTimeline } from '../../run/timeline/play-timeline.js';
import { type JudgedStep, type TimelineContext } from '../../run/timeline/timeline-run.js';
import { runEvents, type DrawnTimeline } from '../../fuzz/run-events.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const seed = 1;
const stage: TimelineContext = {
  controlPlane: antrea('1.3'),
  seed,
  openReal: (plan) => Promise.resolve(openModelSwitches(plan)),
};
const draw = (index: number, events = 6): DrawnTimeline<ClusterEvent> => {
  const { pipeline, first, events: drawn } = generatedTimeline(seed, index, events);
  return {
    controlPlane: antrea(pipeline),
    events: drawn,
    sequenceOf: (some) => sequenceOf(first, some),
  };
};

void t.test('both pipelines', async (t) => {
  t.strictSame(
    [0, 1, 2, 3, 4, 5].map((index) => generatedTimeline(seed, index, 1).pipeline),
    ['0.8', '1.3', '0.8', '0.8', '0.8', '1.3'],
  );
  t.strictSame(
    [0, 1, 2, 3].map(
      (index) =>
        generatedTimeline(seed, index, 0).first.manifests.filter(({ kind }) => kind === 'Service')
          .length,
    ),
    [0, 2, 0, 2],
  );
  const met = new Set<string>();
  for (const first of [5, 11, 13]) {
    const result = await runEvents({
      context: stage,
      draw: (index) => draw(index, 3),
      count: 1,
      first,
      onPlayed: (judged) => {
        for (const what of judged.flatMap(askedAndAnswered)) met.add(what);
      },
      onProgress: () => undefined,
    });
    t.strictSame(
      [result.findings.map(({ steps }) => steps.at(-1)?.differences[0]), result.aborted],
      [[], []],
      `timeline ${first}`,
    );
  }
  for (const what of [
    'probe: a pod',
    'probe: a node',
    'probe: a host outside',
    'probe: rejected',
    'udp: a node',
    "probe by a node's port: a pod",
    "udp by a node's port: a node",
  ])
    t.ok(met.has(what), what);
});

/** What was asked for, and who may have answered. */
function askedAndAnswered({ step, intent }: JudgedStep): readonly string[] {
  if (
    step.kind !== 'vector' ||
    step.vector.stimulus.kind === 'frame' ||
    !('to' in step.vector.stimulus)
  )
    return [];
  const { kind, to } = step.vector.stimulus;
  const what = `${kind}${to.startsWith('172.30.') ? " by a node's port" : ''}`;
  if (intent?.kind === 'rejected') return [`${what}: rejected`];
  return intent?.kind !== 'balanced'
    ? []
    : intent.answerers.map(
        (one) =>
          `${what}: ` +
          (one.to.startsWith('n') ? 'a node' : one.to.startsWith('x') ? 'a host outside' : 'a pod'),
      );
}

/** A compiler whose plans are changed bridge by bridge. */
function miscompiling(change: (bridge: BridgePlan) => Partial<BridgePlan>): ControlPlane<Network> {
  const { plan, ...right } = antrea('1.3');
  return {
    ...right,
    plan: (cluster, before) => {
      const planned = plan(cluster, before);
      return {
        ...planned,
        nodes: planned.nodes.map((node) => ({
          ...node,
          bridges: node.bridges.map((bridge) => ({ ...bridge, ...change(bridge) })),
        })),
      };
    },
  };
}

/** A control plane that gets other objects than there are. */
function deceived(
  lie: (objects: KubeObjects) => Partial<KubeObjects>,
  version: '0.8' | '1.3' = '1.3',
): ControlPlane<Network> {
  const right = antrea(version);
  return {
    ...right,
    plan: (cluster, before) =>
      right.plan(
        cluster.objects === undefined
          ? cluster
          : { ...cluster, objects: { ...cluster.objects, ...lie(cluster.objects) } },
        before,
      ),
  };
}

/** Every Service that selects has a slice of all that were ever behind it. */
function neverRemoving(): ControlPlane<Network> {
  const ever = new Map<string, Map<string, string>>();
  const sliceOf = (
    { metadata: { name, namespace }, spec }: Service,
    { pods }: KubeObjects,
  ): EndpointSlice => {
    const known = ever.get(`${namespace}/${name}`) ?? new Map<string, string>();
    ever.set(`${namespace}/${name}`, known);
    const isBehind = ({ metadata }: KubePod) =>
      metadata.namespace === namespace &&
      Object.entries(spec.selector ?? {}).every(([key, value]) => metadata.labels[key] === value);
    for (const pod of pods.filter(isBehind))
      if (pod.status.podIP !== undefined) known.set(pod.status.podIP, pod.spec.nodeName);
    const ports = spec.ports.map(({ name: called = '', protocol }) => ({
      name: called,
      protocol,
      port: 7,
    }));
    return {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      ports,
      endpoints: [...known].map(([ip, nodeName]) => ({ addresses: [ip], nodeName })),
    };
  };
  return deceived((objects) => ({
    endpointSlices: [
      ...objects.endpointSlices,
      ...objects.services
        .filter(({ spec }) => spec.selector !== undefined)
        .map((service) => sliceOf(service, objects)),
    ],
  }));
}

const withoutAffinity = () =>
  deceived(({ services }) => ({
    services: services.map((service) => ({
      ...service,
      spec: { ...service.spec, sessionAffinity: 'None' as const },
    })),
  }));

const neverLocal = () =>
  deceived(({ services }) => ({
    services: services.map((service) => ({
      ...service,
      spec: { ...service.spec, externalTrafficPolicy: 'Cluster' as const },
    })),
  }));

const alwaysReady = () =>
  deceived(
    ({ endpointSlices }) => ({
      endpointSlices: endpointSlices.map((slice) => ({
        ...slice,
        endpoints: slice.endpoints.map(({ conditions: _, ...endpoint }) => endpoint),
      })),
    }),
    '0.8',
  );

/** What leads to the second group leads to the first one. */
const takenTwice = () =>
  miscompiling(({ flows }) => ({
    flows: flows.map((flow) => flow.replace(/group:2$/, 'group:1')),
  }));

const faults: readonly {
  readonly name: string;
  readonly fault: () => ControlPlane<Network>;
  readonly index: number;
  readonly at: RegExp;
}[] = [
  {
    name: 'an endpoint is never removed',
    fault: neverRemoving,
    index: 1,
    at: /^\d+ ask-tcp-8080\/n1\/Service/,
  },
  {
    name: 'affinity forgets',
    fault: withoutAffinity,
    index: 25,
    at: /^\d+ ask-udp-80\/\S+\/Service/,
  },
  {
    name: 'a group id is taken twice',
    fault: takenTwice,
    index: 13,
    at: /^\d+ ask-tcp-8080\/\S+\/Service/,
  },
  {
    name: 'traffic from outside leaves the node that was asked, and who sent it is hidden',
    fault: neverLocal,
    index: 1,
    at: /^\d+ ask-tcp-30002\/\S+\/n2/,
  },
  {
    name: 'an endpoint that is not ready is chosen',
    fault: alwaysReady,
    index: 7,
    at: /^\d+ ask-tcp-80\/p2\/Service lab/,
  },
];

for (const { name, fault, index, at } of faults) {
  void t.test(name, async (t) => {
    const { events: drawn, sequenceOf: of } = draw(index);
    const last = (await playTimeline({ ...stage, controlPlane: fault() }, of(drawn))).at(-1);
    t.match(last?.differences[0], { aspect: 'intent' });
    t.match(last?.id, at);
  });
}

void t.test('one that leaves a bucket behind is made short', async (t) => {
  const forgetful: TimelineContext = {
    ...stage,
    faulty: (steps) =>
      steps.map((step) =>
        step.kind === 'change'
          ? { ...step, lines: step.lines.filter((line) => !line.startsWith('group modify')) }
          : step,
      ),
  };
  const endpoint = (name: string): ClusterEvent => ({
    kind: 'apply',
    manifest: { ...one, metadata: { name, labels: { app: 'x' } } } as Manifest,
  });
  const one = { apiVersion: 'v1', kind: 'Pod', spec: { nodeName: 'n1' } };
  const service: ClusterEvent = {
    kind: 'apply',
    manifest: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'own' },
      spec: {
        clusterIP: '10.96.9.9',
        selector: { app: 'x' },
        ports: [{ port: 80, targetPort: 7 }],
      },
    } as Manifest,
  };
  const events = [service, endpoint('e1'), ...draw(13).events.slice(0, 2), endpoint('e2')];
  const { findings } = await runEvents({
    context: forgetful,
    draw: () => ({ ...draw(13), events }),
    count: 1,
    onProgress: () => undefined,
  });
  const steps = findings[0]?.steps ?? [];
  t.match(steps.at(-1)?.differences[0], { aspect: 'program', summary: /group_id=\d+$/ });
  t.match(
    steps.map(({ id }) => id.replace(/^\d+ /, '')),
    ['Service own comes', 'Pod e1 comes', 'Pod e2 comes'],
    'no more than that',
  );
});
