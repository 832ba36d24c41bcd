// Goal: a cluster that changes is judged right at every step, and a control plane that forgets
// something in a change does not pass. Method: generated timelines with a second model in the place
// of switches; a story with every kind of step, step by step against its promises; then the same
// story with one fault planted at a time.
import t from 'tap';
import {
  apply,
  manifestsOf,
  remove,
  type ChangingCluster,
} from '../../../topologies/changing-cluster.js';
import type { AntreaOptions } from '../../../topologies/antrea/antrea-topology.js';
import { antreaClusterOf } from '../../../topologies/antrea/read-antrea-cluster.js';
import { generatedTimeline } from '../../../topologies/generated/generated-timeline.js';
import { sequenceOf } from '../../../topologies/cluster-events.js';
import { antrea } from '../../control/antrea/index.js';
import type { AgentStep } from '../../control/agent-steps.js';
import type { Sequence, SequenceStep } from '../../domain/timeline.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { Topology } from '../../domain/topology.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { playTimeline } from './play-timeline.js';
import { type TimelineContext } from './timeline-run.js';
import { openModelSwitches } from '../../testbeds/model/model-switches.js';

const openReal: TimelineContext['openReal'] = (plan) => Promise.resolve(openModelSwitches(plan));
const stage: TimelineContext = { controlPlane: antrea('0.8'), seed: 1, openReal };

const node = (number: number) =>
  `{ apiVersion: v1, kind: Node, metadata: { name: n${number} }, spec: { podCIDR: ` +
  `10.10.${number}.0/24 }, status: { addresses: [{ type: InternalIP, address: ` +
  `172.30.0.${number} }] } }\n---\n`;
const pod = (name: string, on: string, app: string) =>
  `{ apiVersion: v1, kind: Pod, metadata: { name: ${name}, labels: { app: ${app} } }, spec: { ` +
  `nodeName: ${on} } }\n---\n`;
const policy = (name: string, of: string, from: string) =>
  `{ apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: { name: ${name} }, ` +
  `spec: { podSelector: { matchLabels: { app: ${of} } }, ingress: [{ from: [{ podSelector: { ` +
  `matchLabels: { app: ${from} } } }] }] } }\n---\n`;
const kubectl = {
  apply: (cluster: ChangingCluster<AntreaOptions>, text: string) =>
    apply(cluster, manifestsOf(text)),
  remove: (cluster: ChangingCluster<AntreaOptions>, kind: string, name: string) =>
    remove(cluster, { kind, metadata: { name } }),
};

/** web is on n1 and db on n2; web talks to db while a policy comes that forbids it, and so on. */
function story(): {
  readonly timeline: Sequence;
  readonly promises: readonly (string | undefined)[];
} {
  const first = antreaClusterOf(
    manifestsOf(
      node(1) + node(2) + pod('web', 'n1', 'web') + pod('db', 'n2', 'db') + pod('job', 'n1', 'job'),
    ),
    { name: 'story', tunnel: 'geneve' },
  );
  const steps: { readonly step: SequenceStep; readonly promise?: string }[] = [];
  let now = first;
  const become = (
    what: string,
    next: ChangingCluster<AntreaOptions>,
    ...staleAgents: readonly string[]
  ) => {
    now = next;
    steps.push({ step: { kind: 'cluster', what, cluster: next.cluster, staleAgents } });
  };
  const happen = (kind: Exclude<SequenceStep['kind'], 'vector' | 'cluster'>, of: string) =>
    steps.push({ step: { kind, node: of } });
  const send = (promise: string, stimulus: Stimulus) =>
    steps.push({ step: { kind: 'vector', vector: { id: `${steps.length}`, stimulus } }, promise });
  const [web, db, late] = ['10.10.1.2', '10.10.2.2', '10.10.1.4'];
  const talk = (promise: string) => {
    send(promise, { kind: 'talk', from: 'web', to: db, port: 7, connection: 'c' });
  };
  const ask = (promise: string, from = 'job', to = db) => {
    send(promise, { kind: 'probe', from, to, port: 7, transmissions: 1 });
  };
  send('round-trip', { kind: 'open', from: 'web', to: db, port: 7, connection: 'c' });
  ask('round-trip');
  become('only jobs reach db', kubectl.apply(now, policy('jobs', 'db', 'job')));
  talk('round-trip');
  ask('denied', 'web');
  ask('round-trip');
  happen('agent restarts', 'n2');
  talk('round-trip');
  ask('denied', 'web');
  ask('round-trip');
  happen('agent sweeps', 'n2');
  ask('denied', 'web');
  become('another pod comes', kubectl.apply(now, pod('late', 'n1', 'job')));
  ask('round-trip', 'late');
  become('and a policy about it', kubectl.apply(now, policy('web', 'job', 'web')));
  ask('round-trip', 'web', late);
  ask('denied', 'db', late);
  become('and one more', kubectl.apply(now, policy('more', 'web', 'db')));
  ask('round-trip', 'db', web);
  ask('denied', 'db', late);
  become('a job goes', kubectl.remove(now, 'Pod', 'job'));
  ask('round-trip', 'late');
  ask('denied', 'web', '10.10.1.3');
  become('a node comes', kubectl.apply(now, node(3) + pod('far', 'n3', 'job')));
  ask('round-trip', 'far');
  happen('switch restarts', 'n1');
  talk('denied');
  ask('denied', 'late');
  ask('round-trip', 'far');
  happen('switch is programmed', 'n1');
  ask('round-trip', 'late');
  send('denied', { kind: 'open', from: 'web', to: db, port: 7, connection: 'd' });
  become('all reach db', kubectl.remove(now, 'NetworkPolicy', 'jobs'));
  send('round-trip', { kind: 'open', from: 'web', to: db, port: 7, connection: 'e' });
  happen('switch restarts', 'n2');
  happen('switch is programmed', 'n2');
  send('round-trip', { kind: 'talk', from: 'web', to: db, port: 7, connection: 'e' });
  become('a node goes', kubectl.remove(now, 'Node', 'n3'));
  ask('denied', 'web', '10.10.3.2');
  ask('round-trip', 'db', web);
  become('again only jobs reach db', kubectl.apply(now, policy('jobs', 'db', 'job')), 'n2');
  ask('round-trip', 'web');
  happen('agent hears', 'n2');
  ask('denied', 'web');
  happen('agent stops', 'n2');
  become('again all reach db', kubectl.remove(now, 'NetworkPolicy', 'jobs'));
  become('a node comes again', kubectl.apply(now, node(3) + pod('far', 'n3', 'job')));
  ask('denied', 'web');
  ask('denied', 'far');
  send('delivered', { kind: 'ping', from: 'far', to: '10.10.2.1' });
  ask('denied', 'db', '10.10.3.2');
  happen('agent restarts', 'n2');
  happen('agent sweeps', 'n2');
  ask('round-trip', 'web');
  ask('round-trip', 'far');
  ask('round-trip', 'web', '10.10.3.2');
  return {
    timeline: { cluster: first.cluster, steps: steps.map(({ step }) => step) },
    promises: steps.map(({ promise }) => promise),
  };
}

void t.test('a story', async (t) => {
  const { timeline, promises } = story();
  const judged = await playTimeline(stage, timeline);
  t.strictSame(
    judged
      .map(({ verdict, inconclusive, differences }) => [
        verdict,
        inconclusive?.cause,
        differences[0]?.summary,
      ])
      .filter(([verdict]) => verdict !== 'conforms'),
    [],
  );
  t.strictSame(
    judged.map(({ intent }) => intent?.kind),
    promises,
  );
});

void t.test('generated ones', async (t) => {
  const kinds = new Set<string>();
  for (const index of [0, 1, 2, 4]) {
    const { first, events: drawn } = generatedTimeline(31, index, 4);
    const judged = await playTimeline(stage, sequenceOf(first, drawn));
    t.strictSame(
      judged
        .filter(({ verdict }) => verdict !== 'conforms')
        .map(({ id, differences, inconclusive }) => [id, differences[0], inconclusive]),
      [],
      `timeline ${index}`,
    );
    for (const { step, intent } of judged)
      kinds.add(
        step.kind === 'vector' ? `${step.vector.stimulus.kind} ${intent?.kind}` : step.kind,
      );
    const parts = sequenceOf(
      first,
      drawn.filter((_, place) => place % 3 !== 0),
    );
    t.ok(parts.steps.length < sequenceOf(first, drawn).steps.length, 'a part of it is one as well');
  }
  for (const kind of [
    'cluster',
    'agent stops',
    'agent hears',
    'switch restarts',
    'switch is programmed',
    'agent restarts',
    'agent sweeps',
    'open round-trip',
    'talk round-trip',
    'talk denied',
    'probe denied',
    'udp round-trip',
  ])
    t.ok(kinds.has(kind), kind);
});

/** The control plane with its flows changed. */
function compiler(
  change: (flow: string, cluster: Topology) => readonly string[],
): ControlPlane<Topology> {
  const { plan, ...right } = antrea('0.8');
  const broken = (planned: ClusterPlan, cluster: Topology): ClusterPlan => ({
    ...planned,
    nodes: planned.nodes.map((of) => ({
      ...of,
      bridges: of.bridges.map((bridge) => ({
        ...bridge,
        flows: [...new Set(bridge.flows.flatMap((flow) => change(flow, cluster)))],
      })),
    })),
  });
  return { ...right, plan: (cluster, before) => broken(plan(cluster, before), cluster) };
}

/** One that has all nodes act on what any of them has received. */
function wellInformed(): ControlPlane<Topology> {
  const right = antrea('0.8');
  const heard: Topology[] = [];
  return {
    ...right,
    plan: (cluster, before) => {
      if (!heard.includes(cluster)) heard.push(cluster);
      return right.plan(heard.at(-1) ?? cluster, before);
    },
  };
}

/** Nothing is done at the `nth` event of a kind. */
function idleAt(kind: SequenceStep['kind'], nth: number): Partial<TimelineContext> {
  let met = 0;
  return { faulty: (steps, event) => (event.kind === kind && ++met === nth ? [] : steps) };
}

/** Agents that leave out what they should do. */
function forgetful(forgotten: (line: string) => boolean): Partial<TimelineContext> {
  const without = (step: AgentStep): readonly AgentStep[] => {
    if (step.kind !== 'change') return [step];
    const lines = step.lines.filter((line) => !forgotten(line));
    return lines.length === 0 ? [] : [{ ...step, lines }];
  };
  return { faulty: (steps) => steps.flatMap(without) };
}

/** Each is made again where it is played: some count. */
const faults: readonly {
  readonly name: string;
  readonly fault: () => Partial<TimelineContext>;
  readonly at: RegExp;
  readonly aspect: string;
}[] = [
  {
    name: 'a policy that goes leaves a flow',
    fault: () => forgetful((line) => /^flow delete_strict table=100/.test(line)),
    at: /a job goes|all reach db/,
    aspect: 'program',
  },
  {
    name: 'a pod comes without its spoof guard',
    fault: () => forgetful((line) => /^flow add table=10,/.test(line)),
    at: /another pod comes/,
    aspect: 'program',
  },
  {
    name: 'the route to a node that has left stays',
    fault: () =>
      forgetful((line) => /^flow delete_strict table=70, .*nw_dst=10\.10\.3\.0\/24/.test(line)),
    at: /a node goes/,
    aspect: 'program',
  },
  {
    name: 'the agent does not sweep',
    fault: () => forgetful((line) => /^flow delete cookie/.test(line)),
    at: /agent of n2 sweeps/,
    aspect: 'program',
  },
  {
    name: 'the agent sweeps what is not stale',
    fault: () => ({
      faulty: (steps) =>
        steps.map((step) =>
          step.kind === 'change' && step.lines.some((line) => line.startsWith('flow delete cookie'))
            ? { ...step, lines: ['flow delete'] }
            : step,
        ),
    }),
    at: /agent of n2 sweeps/,
    aspect: 'program',
  },
  {
    name: 'a switch that restarts is not programmed',
    fault: () => ({ faulty: (steps, { kind }) => (kind === 'switch is programmed' ? [] : steps) }),
    at: /switch of n1 is programmed/,
    aspect: 'program',
  },
  {
    name: 'an agent does not catch up',
    fault: () => idleAt('agent hears', 1),
    at: /agent of n2 receives/,
    aspect: 'program',
  },
  {
    name: 'an agent that was gone does nothing when it starts',
    fault: () => idleAt('agent restarts', 2),
    at: /agent of n2 sweeps/,
    aspect: 'program',
  },
  {
    name: 'a node acts on what its agent has not received',
    fault: () => ({ controlPlane: wellInformed() }),
    at: /^4\d /,
    aspect: 'intent',
  },
  {
    name: 'connections that stand are asked again',
    fault: () => ({
      controlPlane: compiler((flow) => (/ct_state=-new\+est/.test(flow) ? [] : [flow])),
    }),
    at: /^4 /,
    aspect: 'intent',
  },
  {
    name: 'an id that was given out is given out again',
    fault: () => ({
      controlPlane: compiler((flow) => [
        flow.replace(/conjunction\(2,/g, 'conjunction(1,').replace('conj_id=2,', 'conj_id=1,'),
      ]),
    }),
    at: /./,
    aspect: 'intent',
  },
  {
    name: 'a policy is applied without its default',
    fault: () => ({
      controlPlane: compiler((flow) => (/table=100,priority=200/.test(flow) ? [] : [flow])),
    }),
    at: /^5 /,
    aspect: 'intent',
  },
];

for (const { name, fault, at, aspect } of faults) {
  void t.test(name, async (t) => {
    const last = (await playTimeline({ ...stage, ...fault() }, story().timeline)).at(-1);
    t.equal(last?.verdict, 'diverges');
    t.match(last?.id, at);
    t.equal(last?.differences[0]?.aspect, aspect);
  });
}

void t.test('what cannot be judged does not pass', async (t) => {
  const { timeline } = story();
  const refusing: TimelineContext = {
    ...stage,
    openReal: async (plan) => ({
      ...(await openReal(plan)),
      reconfigure: () => Promise.reject(new Error('no')),
    }),
  };
  await t.rejects(playTimeline(refusing, timeline), /no/);
  const unknown = {
    ...timeline,
    steps: [
      ...timeline.steps.slice(0, 1),
      {
        kind: 'vector',
        vector: {
          id: 'x',
          stimulus: {
            kind: 'frame',
            from: 'web',
            what: 'raw bytes as IPv4',
            frame: {
              src: '02:00:00:00:00:01',
              dst: '02:00:00:00:00:02',
              payload: { kind: 'other', etherType: 0x0800, hex: '' },
            },
          },
        },
      } as const,
    ],
  };
  t.equal((await playTimeline(stage, unknown)).at(-1)?.verdict, 'inconclusive');
});
