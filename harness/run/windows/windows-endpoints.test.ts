// Goal: a connection through kube-proxy on a Windows node stays with its endpoint, ends with it,
// and is given to nobody else; new ones go to whoever takes them, and policies are asked about the
// node. Method: what is promised of the scenario's timeline, by name; then parts of it on the model
// alone, with faults in kube-proxy and in the flows. All of it goes through real switches in
// windows-endpoints.live.test.ts.
import t from 'tap';
import { antreaPromises } from '../../intent/antrea/promises.js';
import { windowsEndpointsChange } from '../../../topologies/antrea/windows-endpoints.js';
import { antrea } from '../../control/antrea/index.js';
import { initialPromiseState, afterEvent } from '../../intent/over-time/promise-state.js';
import { promisedIntent } from '../../intent/over-time/promised-intent.js';
import { afterStimulus } from '../../intent/over-time/promise-after-stimulus.js';
import { firstCandidateOracle } from '../../model/ambiguity.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../../domain/plan/control-plane.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { TimelineStep } from '../../domain/timeline.js';
import type { Topology } from '../../domain/topology.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import { playTimeline } from '../timeline/play-timeline.js';
import { type JudgedStep, type TimelineContext } from '../timeline/timeline-run.js';

const openReal: TimelineContext['openReal'] = (plan) => {
  const model = openModel(plan);
  return Promise.resolve({
    ...model,
    call: (calls) => model.call(calls, firstCandidateOracle),
    lookups: () => ({ hit: 0, missed: 0 }),
    assertUndisturbed: () => Promise.resolve(),
  });
};
const right = antrea('1.3');

const timeline = windowsEndpointsChange('encap');

/** Of its vectors only `ids`, each behind the change that stands before it. */
async function play(
  controlPlane: ControlPlane<Topology>,
  ids: readonly string[],
): Promise<readonly JudgedStep[]> {
  const { cluster, steps } = timeline;
  const isSent = (step: TimelineStep) => step.kind === 'vector' && ids.includes(step.vector.id);
  const needed = new Set(
    steps.flatMap((step, index) =>
      isSent(step) ? [step, steps.slice(0, index).findLast(({ kind }) => kind === 'cluster')] : [],
    ),
  );
  return await playTimeline(
    { controlPlane, seed: 1, openReal },
    { cluster, steps: steps.filter((step) => needed.has(step)) },
  );
}

void t.test('what is promised', async (t) => {
  let course = initialPromiseState(timeline.cluster, antreaPromises);
  const promised = timeline.steps.flatMap((step) => {
    if (step.kind !== 'vector') {
      course = afterEvent(course, step);
      return [];
    }
    const intent = promisedIntent(course, step.vector.stimulus);
    course = afterStimulus(course, step.vector.stimulus, intent);
    const who =
      intent.kind === 'round-trip'
        ? intent.to
        : intent.kind === 'balanced'
          ? intent.answerers.map(({ to }) => to).join(' or ')
          : intent.kind;
    return [`${step.vector.id.replace(/^(\d+)-[^/]*/, '$1')} ${who}`];
  });
  t.strictSame(promised, [
    '1/open/first web1',
    '1/standing/first web1',
    '1/tcp/x1 web1',
    '1/tcp/asker web1',
    '1/udp/x1 web1',
    '2/standing/first web1',
    '2/calls/x1 web1 or web2',
    '2/kept/x1 web1 or web2',
    '3/standing/first web1',
    '3/tcp/x1 web2',
    '3/udp/x1 web2',
    '3/open/second web2',
    '4/calls/x1 web2',
    '4/kept/x1 web2',
    '4/standing/first abandoned',
    '4/standing/second web2',
    '5/calls/x1 web2',
    '5/standing/second web2',
    '6/tcp/x1 abandoned',
    '6/udp/x1 abandoned',
    '6/standing/second web2',
    '7/tcp/x1 abandoned',
    '7/udp/x1 abandoned',
    '7/tcp/asker abandoned',
    '7/standing/second web2',
    '8/calls/x1 web1',
    '8/tcp/asker web1',
    '8/standing/second web2',
    '9/tcp/x1 web2',
    '9/udp/x1 web2',
    '9/tcp/asker web2',
    '9/standing/second web2',
    '10/tcp/asker denied',
    '10/udp/asker denied',
    '10/tcp/x1 web2',
    '11/tcp/asker web2',
    '11/udp/asker web2',
    '12/standing/second abandoned',
    '12/tcp/x1 web3',
  ]);
});

/**
 * The control plane with the stack of the Windows node changed; `first` is what it was at the
 * beginning.
 */
function host(change: (host: HostPlan, first: HostPlan) => HostPlan): ControlPlane<Topology> {
  let first: HostPlan | undefined;
  return planned((plan) => ({
    ...plan,
    nodes: plan.nodes.map((node) => ({
      ...node,
      hosts: node.hosts.map((one) => (one.name === 'n1' ? change(one, (first ??= one)) : one)),
    })),
  }));
}

function flows(isGone: (flow: string) => boolean): ControlPlane<Topology> {
  return planned((plan) => ({
    ...plan,
    nodes: plan.nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) => ({
        ...bridge,
        flows: bridge.flows.filter((flow) => !isGone(flow)),
      })),
    })),
  }));
}

function planned(change: (plan: ClusterPlan) => ClusterPlan): ControlPlane<Topology> {
  return { ...right, plan: (cluster, before) => change(right.plan(cluster, before)) };
}

const [opened, secondOpened] = [
  '1-one-endpoint/open/first',
  '3-the-first-is-not-ready/open/second',
];

/** Where there are no endpoints any more, those of before. */
function keepingEndpoints(): (host: HostPlan) => HostPlan {
  let last: HostPlan['proxies'];
  return (one) => {
    if ((one.proxies ?? []).every(({ at, to }) => at.port !== 30_080 || to.length > 0))
      last = one.proxies;
    return last === undefined ? one : { ...one, proxies: last };
  };
}

/** Each with what is sent, of which the last finds it out; made again where it is played. */
const faults: readonly (readonly [
  what: string,
  fault: () => ControlPlane<Topology>,
  sent: readonly string[],
])[] = [
  [
    'kube-proxy receives no change of endpoints',
    () =>
      host((one, first) => ({
        ...one,
        ...(first.proxies === undefined ? {} : { proxies: first.proxies }),
      })),
    [opened, '2-another-comes/standing/first', '2-another-comes/calls/x1'],
  ],
  ...(['tcp', 'udp'] as const).map(
    (protocol) =>
      [
        `kube-proxy keeps an endpoint that is none any more: ${protocol}`,
        () => host(keepingEndpoints()),
        ['3-the-first-is-not-ready/tcp/x1', `6-nobody-is-ready/${protocol}/x1`],
      ] as const,
  ),
  [
    'kube-proxy is gone: nobody ends what it has no endpoint for',
    () => host((one) => ({ ...one, proxies: [] })),
    ['6-nobody-is-ready/tcp/x1'],
  ],
  [
    'kube-proxy does not go on from an endpoint that does not answer',
    () =>
      host((one) => ({
        ...one,
        proxies: (one.proxies ?? []).map((proxy) => ({
          ...proxy,
          dialMs: proxy.dialMs.slice(0, 1),
        })),
      })),
    ['4-it-is-ready-and-dies/calls/x1'],
  ],
  [
    'clients do not keep their endpoints',
    () =>
      host((one) => ({
        ...one,
        proxies: (one.proxies ?? []).map(({ affinityS: _, ...proxy }) => proxy),
      })),
    ['2-another-comes/kept/x1'],
  ],
  [
    'policies are asked about connections that stand',
    () => flows((flow) => /ct_state=-new\+est/.test(flow)),
    [secondOpened, '7-a-policy-keeps-the-node-from-it/standing/second'],
  ],
  [
    'what comes from the local gateway is kept back',
    () => flows((flow) => /table=90,.*nw_src=10\.10\.1\.1 /.test(flow)),
    ['8-local-traffic-is-not-kept-back/calls/x1'],
  ],
];

for (const [what, fault, sent] of faults) {
  void t.test(what, async (t) => {
    t.equal((await play(right, sent)).at(-1)?.verdict, 'conforms');
    const last = (await play(fault(), sent)).at(-1);
    t.equal(last?.verdict, 'diverges');
    t.equal(last?.step.kind === 'vector' ? last.step.vector.id : last?.id, sent.at(-1));
    t.equal(last?.differences[0]?.aspect, 'intent');
  });
}
