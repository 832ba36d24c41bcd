// Goal: real switches go through timelines as the model does. Method: generated ones on one version
// of Open vSwitch, where policies change, pods come and go, and a switch restarts; a control plane
// that gives one port's number to two pods does not get through; and of timelines by hand, nodes
// restart whole, a flow that does not come back is named, and a policy that does not get to one of
// the switches.
import t from 'tap';
import { openImage } from '../../../images/images.js';
import changes from '../../../scenarios/antrea/changes.js';
import { apply, manifestsOf } from '../../../topologies/changing-cluster.js';
import { antreaClusterOf } from '../../../topologies/antrea/read-antrea-cluster.js';
import { generatedTimeline } from '../../../topologies/generated/generated-timeline.js';
import { nodesRestart } from '../../../topologies/antrea/node-restarts.js';
import { sequenceOf } from '../../../topologies/cluster-events.js';
import { antrea } from '../../control/antrea/index.js';
import type { Sequence, TimelineEvent } from '../../domain/timeline.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import { openSim } from '../../testbeds/sim/sim.js';
import { runScenario } from '../run-scenario.js';
import { playTimeline } from './play-timeline.js';
import { type TimelineContext } from './timeline-run.js';

const image = await openImage('trixie', () => undefined);
const stage: TimelineContext = {
  controlPlane: antrea('0.8'),
  seed: 1,
  openReal: (plan) => openSim(plan, image),
};
/** With Services where its number is odd: in the switch, and by kube-proxy. */
for (const [index, events] of [
  [4, 6],
  [12, 6],
  [5, 2],
  [11, 2],
] as const) {
  void t.test(`timeline ${index}`, async (t) => {
    const { pipeline, first, events: drawn } = generatedTimeline(1, index, events);
    const judged = await playTimeline(
      { ...stage, controlPlane: antrea(pipeline) },
      sequenceOf(first, drawn),
    );
    t.strictSame(
      judged
        .filter(({ verdict }) => verdict !== 'conforms')
        .map(({ id, inconclusive, differences }) => [id, inconclusive, differences[0]]),
      [],
    );
    t.ok(judged.length > 10);
  });
}

void t.test('a number for two ports', async (t) => {
  const right = antrea('0.8');
  const taken = (port: PortPlan): PortPlan =>
    port.kind === 'endpoint' ? { ...port, ofport: Math.min(port.ofport, 4) } : port;
  const twice = ({ nodes }: ClusterPlan): ClusterPlan => ({
    nodes: nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) => ({ ...bridge, ports: bridge.ports.map(taken) })),
    })),
  });
  const pods = (...names: readonly string[]) =>
    manifestsOf(
      names
        .map(
          (name) =>
            `{ apiVersion: v1, kind: Pod, metadata: { name: ${name} }, spec: { nodeName: n1 } }`,
        )
        .join('\n---\n'),
    );
  const first = antreaClusterOf(
    [...manifestsOf('{ apiVersion: v1, kind: Node, metadata: { name: n1 } }'), ...pods('a', 'b')],
    { name: 'crowd', tunnel: 'geneve' },
  );
  const timeline: Sequence = {
    cluster: first.cluster,
    steps: [
      { kind: 'cluster', what: 'a third pod comes', cluster: apply(first, pods('c')).cluster },
    ],
  };
  const last = (
    await playTimeline(
      {
        ...stage,
        controlPlane: { ...right, plan: (cluster, before) => twice(right.plan(cluster, before)) },
      },
      timeline,
    )
  ).at(-1);
  t.equal(last?.verdict, 'inconclusive');
  t.match(last?.inconclusive?.cause, /OpenFlow port 4 was asked for/);
});

void t.test('nodes that restart whole, and one whose flows do not all come back', async (t) => {
  const timeline = nodesRestart('geneve');
  const daemons: unknown[] = [];
  const stayed: TimelineContext = {
    ...stage,
    openReal: async (plan) => {
      const sim = await openSim(plan, image);
      const note = () => daemons.push(sim.daemons.get('n2'));
      note();
      return {
        ...sim,
        reconfigure: (change) => sim.reconfigure(change).then(() => void note()),
      };
    },
  };
  const judged = await playTimeline(stayed, timeline);
  t.strictSame(
    judged.filter(({ verdict }) => verdict !== 'conforms').map(({ id }) => id),
    [],
  );
  const [before, after] = daemons as readonly { vswitchd: number; server: number }[];
  t.not(after?.vswitchd, before?.vswitchd, 'another ovs-vswitchd');
  t.not(after?.server, before?.server, 'another ovsdb-server');
  const isReplay = ({ kind }: TimelineEvent) => kind === 'switch is programmed';
  const lost = await playTimeline(
    {
      ...stage,
      faulty: (steps, event) =>
        isReplay(event)
          ? steps.map((step) =>
              step.kind === 'change' ? { ...step, lines: withoutOneFlow(step.lines) } : step,
            )
          : steps,
    },
    timeline,
  );
  const last = lost.at(-1);
  t.match(last, { verdict: 'diverges', step: { kind: 'switch is programmed', node: 'n2' } });
  t.match(last?.differences[0]?.summary, /^br-int on n2 has not, .*nw_dst=10\.10\.2\.2/);
});

/** A flow of pods' traffic that an agent does not bring back. */
function withoutOneFlow(lines: readonly string[]): readonly string[] {
  const at = lines.findIndex((line) => /table=70\b.*nw_dst=/.test(line));
  return lines.filter((_, index) => index !== at);
}

void t.test('a policy that does not get to one switch', async (t) => {
  const { report } = await runScenario(
    changes,
    { tunnel: 'geneve' },
    {
      seed: 1,
      nowMs: () => 0,
      openReal: async (plan) => {
        const sim = await openSim(plan, image);
        return {
          ...sim,
          call: (calls) =>
            sim.call(calls.filter((call) => call.kind !== 'change' || call.node !== 'n2')),
        };
      },
    },
  );
  t.equal(report.verdict, 'diverges');
  t.match(
    report.program[0]?.summary,
    /^NetworkPolicy only-jobs-reach-db comes: br-int on n2 has not/,
  );
});
