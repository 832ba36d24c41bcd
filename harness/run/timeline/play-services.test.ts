// Goal: where Services and their endpoints come and go, what is promised follows from what was
// before, and a control plane that forgets something does not pass. Method: the timeline by hand,
// under both pipelines, with a second model in the place of switches, against a table of promises;
// then with one fault planted at a time.
import t from 'tap';
import { manifestsOf, type Manifest } from '../../../topologies/changing-cluster.js';
import { antreaClusterOf } from '../../../topologies/antrea/read-antrea-cluster.js';
import { sequenceOf } from '../../../topologies/cluster-events.js';
import { type TrafficEvent } from '../../../topologies/cluster-event.js';
import { servicesComeAndGo } from '../../../topologies/antrea/service-changes.js';
import { antrea } from '../../control/antrea/index.js';
import type { AgentStep } from '../../control/agent-steps.js';
import type { Cluster, Network } from '../../kube/objects.js';
import type { Intent } from '../../domain/intent.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { playTimeline } from './play-timeline.js';
import { type TimelineContext } from './timeline-run.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const openReal: TimelineContext['openReal'] = (plan) => Promise.resolve(openModelSwitches(plan));
const stageOf = (version: '0.8' | '1.3'): TimelineContext => ({
  controlPlane: antrea(version),
  seed: 1,
  openReal,
});
const timeline = servicesComeAndGo('geneve');

function said(intent: Intent | undefined): string {
  if (intent?.kind !== 'balanced') return intent?.kind ?? 'nothing';
  return `${intent.answerers.map(({ to }) => to).join(' ')}${intent.spread === 'any' ? '' : `, ${intent.spread}`}${intent.lost === undefined ? '' : ', or lost'}`;
}

const promises: Readonly<Record<string, string>> = {
  '1-at-first/open/c1/web': 'w1',
  '2-endpoint-comes/calls/c1/web:80': 'w1 w2, every one',
  '2-endpoint-comes/standing/c1/web': 'w1',
  '3-endpoint-goes/calls/c2/web:80': 'w2, every one',
  '3-endpoint-goes/standing/c1/web': 'w1, or lost',
  '4-shop-grows/calls/c1/shop:80': 's1, the same',
  '4-shop-grows/calls/c2/shop:80': 's1 s2, the same',
  '5-kept-endpoint-goes/calls/c1/shop:80': 's2, the same',
  '6-and-comes-back/calls/c1/shop:80': 's2, the same',
  '8-n1-has-not-heard/calls/c1/web:80': 'w1 w2',
  '8-n1-has-not-heard/calls/c2/web:80': 'w1 w2 w3',
  '10-agent-is-gone/standing/c1/web-since-3-endpoint-goes': 'w2',
  '12-agent-restarts/calls/c1/shop:80': 's1 s2, the same',
  '14-another-port/calls/c2/web:80': 'denied',
  '14-another-port/standing/c1/web-since-3-endpoint-goes': 'w2, or lost',
  '15-switch-restarts/calls/c1/shop:80': 'denied',
  '15-switch-restarts/new/c2/web:81': 'w2, or lost',
  '16-switch-is-programmed/standing/c2/web-since-14-another-port': 'w2',
  '18-the-last-goes/calls/c1/web:81': 'rejected',
  '19-service-goes/calls/c1/shop:80': 'denied',
  '20-and-comes-elsewhere/calls/c1/shop:80': 's1 s2, the same',
};

void t.test('what is promised of each ask', async (t) => {
  const judged = await playTimeline(stageOf('1.3'), timeline);
  t.strictSame(
    judged
      .filter(({ verdict }) => verdict !== 'conforms')
      .map(({ id, differences, inconclusive }) => [id, differences[0], inconclusive]),
    [],
  );
  t.equal(judged.length, timeline.steps.length);
  const promised = new Map(
    judged.flatMap(({ step, intent }) =>
      step.kind === 'vector' ? [[step.vector.id, said(intent)] as const] : [],
    ),
  );
  t.equal(
    promised.size,
    timeline.steps.filter(({ kind }) => kind === 'vector').length,
    'ids are unique',
  );
  t.strictSame(
    Object.fromEntries(
      Object.keys(promises).map((id) => [
        id,
        promised
          .get(id)
          ?.replace(/^(w\d \w.*), every one$/, id.startsWith('2-') ? '$1, every one' : '$1'),
      ]),
    ),
    promises,
  );
});

void t.test('kube-proxy keeps them as well', async (t) => {
  const steps = timeline.steps.slice(
    0,
    timeline.steps.findIndex((step) => step.kind === 'agent stops'),
  );
  const judged = await playTimeline(stageOf('0.8'), { ...timeline, steps });
  t.strictSame(
    judged
      .filter(({ verdict }) => verdict !== 'conforms')
      .map(({ id, differences, inconclusive }) => [id, differences[0], inconclusive]),
    [],
  );
  t.equal(judged.length, steps.length);
});

void t.test(
  'an endpoint whose node does not know the sender yet gets the datagram, and its answer does ' +
    'not come back; a connection to it does not stand',
  async (t) => {
    const service = manifestsOf(
      '{ apiVersion: v1, kind: Service, metadata: { name: web }, spec: { clusterIP: ' +
        '10.96.0.10, selector: { app: web }, ports: [{ name: udp, port: 80, protocol: UDP, ' +
        'targetPort: 7 }, { name: tcp, port: 81, targetPort: 7 }] } }',
    );
    const pod = manifestsOf(
      '{ apiVersion: v1, kind: Pod, metadata: { name: w1, labels: { app: web } }, spec: { ' +
        'nodeName: n1 } }',
    );
    const [known, unknown] = ['n1', 'n2'].map((name) =>
      manifestsOf(`{ apiVersion: v1, kind: Node, metadata: { name: ${name} } }`),
    ) as [readonly Manifest[], readonly Manifest[]];
    const asks: readonly TrafficEvent[] = [
      { protocol: 'UDP', port: 80 } as const,
      { protocol: 'TCP', port: 81 } as const,
    ].map((asked) => ({
      kind: 'send',
      id: `ask/${asked.protocol}`,
      from: 'n2',
      to: 'Service web',
      service: asked,
    }));
    const withStaleAgents = sequenceOf(
      antreaClusterOf([...known, ...pod, ...service], { name: 'stale', tunnel: 'geneve' }),
      unknown.map((manifest) => ({
        kind: 'not all hear',
        change: { kind: 'apply', manifest },
        late: [{ node: 'n1', before: asks }],
      })),
    );
    const judged = await playTimeline(stageOf('1.3'), withStaleAgents);
    t.strictSame(
      judged
        .filter(({ verdict }) => verdict !== 'conforms')
        .map(({ id, differences, inconclusive }) => [id, differences[0], inconclusive]),
      [],
    );
    t.match(
      judged.filter(({ step }) => step.kind === 'vector').map(({ intent }) => intent),
      [
        { kind: 'balanced', answerers: [{ to: 'w1', unanswered: 'n1 does not know n2 yet' }] },
        { kind: 'denied', why: 'n1 does not know n2 yet' },
      ],
    );
  },
);

/** Agents that leave out some of what they should do. */
function forgetful(forgotten: RegExp, node = /./): Partial<TimelineContext> {
  const without = (step: AgentStep): readonly AgentStep[] => {
    if (step.kind !== 'change' || !node.test(step.node)) return [step];
    const lines = step.lines.filter((line) => !forgotten.test(line));
    return lines.length === 0 ? [] : [{ ...step, lines }];
  };
  return { faulty: (steps) => steps.flatMap(without) };
}

/** A control plane that gets something else than there is. */
function deceived(
  version: '0.8' | '1.3',
  lie: (cluster: Cluster) => Cluster,
): Partial<TimelineContext> {
  const right: ControlPlane<Network> = antrea(version);
  return {
    controlPlane: {
      ...right,
      plan: (cluster, before) => right.plan(lie(cluster as Cluster), before),
    },
  };
}

/** One that compiles otherwise. */
function miscompiling(
  change: (bridge: BridgePlan) => Partial<BridgePlan>,
): Partial<TimelineContext> {
  const { plan, ...right } = antrea('1.3');
  const broken: ControlPlane<Network> = {
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
  return { controlPlane: broken };
}

const flows = (change: (flow: string) => readonly string[]) =>
  miscompiling((bridge) => ({ flows: bridge.flows.flatMap(change) }));
const neverRemoved = ({ objects, ...cluster }: Cluster): Cluster => ({
  ...cluster,
  objects: {
    ...objects,
    pods: objects.pods.map((pod) =>
      pod.metadata.labels.app === 'resting'
        ? {
            ...pod,
            metadata: {
              ...pod.metadata,
              labels: { app: pod.metadata.name.startsWith('w') ? 'web' : 'shop' },
            },
          }
        : pod,
    ),
  },
});
const withoutAffinity = ({ objects, ...cluster }: Cluster): Cluster => ({
  ...cluster,
  objects: {
    ...objects,
    services: objects.services.map((service) => ({
      ...service,
      spec: { ...service.spec, sessionAffinity: 'None' as const },
    })),
  },
});

/** Agents that throw away what was learned whenever they do something. */
const flushing: Partial<TimelineContext> = {
  faulty: (steps) =>
    steps.map((step) =>
      step.kind === 'change' && step.bridge === 'br-int'
        ? { ...step, lines: [...step.lines, 'flow delete table=40,cookie=0x40000000002/-1'] }
        : step,
    ),
};

const faults: readonly {
  readonly name: string;
  readonly fault: Partial<TimelineContext>;
  readonly version?: '0.8';
  readonly at: RegExp;
  readonly aspect: string;
  readonly what?: RegExp;
}[] = [
  {
    name: 'a bucket stays behind',
    fault: forgetful(/^group modify/),
    at: /Pod w2 comes/,
    aspect: 'program',
    what: /group_id=1$/,
  },
  {
    name: 'a group is not removed',
    fault: forgetful(/^group delete group_id=1$/, /n2/),
    at: /Pod w2 goes/,
    aspect: 'program',
    what: /group_id=1$/,
  },
  {
    name: 'groups of an earlier start stay',
    fault: forgetful(/^group delete group_id=2$/),
    at: /agent of n1 sweeps/,
    aspect: 'program',
    what: /group_id=2$/,
  },
  {
    name: 'the old port stays',
    fault: forgetful(/^flow delete_strict table=41/),
    at: /Service web changes/,
    aspect: 'program',
    what: /table=41/,
  },
  {
    name: 'what was learned outlives its Service',
    fault: flows((flow) => [flow.replace('delete_learned,', '')]),
    at: /Service shop goes/,
    aspect: 'program',
    what: /table=40/,
  },
  {
    name: 'a group id is taken twice',
    fault: flows((flow) => [flow.replace('group:1', 'group:2')]),
    at: /^1 /,
    aspect: 'intent',
  },
  {
    name: 'an endpoint is never removed, in the switch',
    fault: deceived('1.3', neverRemoved),
    at: / 3-endpoint-goes/,
    aspect: 'intent',
  },
  {
    name: 'an endpoint is never removed, by kube-proxy',
    fault: deceived('0.8', neverRemoved),
    version: '0.8',
    at: / 3-endpoint-goes/,
    aspect: 'intent',
  },
  {
    name: 'affinity forgets, in the switch',
    fault: deceived('1.3', withoutAffinity),
    at: / 4-shop-grows/,
    aspect: 'intent',
  },
  {
    name: 'affinity forgets, in kube-proxy',
    fault: deceived('0.8', withoutAffinity),
    version: '0.8',
    at: / 4-shop-grows/,
    aspect: 'intent',
  },
  {
    name: 'affinity forgets when something changes',
    fault: flushing,
    at: /shop:80$/,
    aspect: 'intent',
  },
  {
    name: 'connections that stand are balanced again',
    fault: flows((flow) =>
      flow.includes('table=31,') && flow.includes('ct_mark=0x21') ? [] : [flow],
    ),
    at: / 2-endpoint-comes/,
    aspect: 'intent',
  },
];

for (const { name, fault, version = '1.3', at, aspect, what = /./ } of faults) {
  void t.test(name, async (t) => {
    const steps =
      aspect === 'intent'
        ? timeline.steps
        : timeline.steps.filter(
            (step) => step.kind !== 'vector' || step.vector.id.startsWith('4-shop-grows'),
          );
    const last = (await playTimeline({ ...stageOf(version), ...fault }, { ...timeline, steps })).at(
      -1,
    );
    t.equal(last?.verdict, 'diverges');
    t.match(last?.id, at);
    t.match(last?.differences[0], { aspect, summary: what });
  });
}
