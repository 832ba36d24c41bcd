/**
 * Goal: what stacks around the switches do is counted as it is. Method: the paths themselves; one
 * whose node does not masquerade any more, and one whose node did not.
 */
import assert from 'node:assert/strict';
import t from 'tap';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { NatPlan } from '../domain/plan/nat-plan.js';
import { isMeasured, measuredPaths, measuredPlan, type MeasuredPath } from './measured-paths.js';
import { measureNames } from './measures.js';
import { referencePaths, referencePlan, type TrafficPath } from './reference-paths.js';
import { workOfPath, type PathWork } from './work-of-path.js';

const planOf = ({ mode }: AnyPath) => (mode === undefined ? referencePlan : measuredPlan(mode, 0));

function named<T extends TrafficPath>(paths: readonly T[], name: string): T {
  const found = paths.find((one) => one.name === name);
  assert(found !== undefined, `there is a path ${name}`);
  return found;
}

function masquerading(plan: ClusterPlan, sources: NatPlan['sources']): ClusterPlan {
  return {
    ...plan,
    nodes: plan.nodes.map((node) => ({
      ...node,
      hosts: node.hosts.map((host) =>
        host.forwarding === undefined
          ? host
          : { ...host, forwarding: { ...host.forwarding, sources } },
      ),
    })),
  };
}

type AnyPath = TrafficPath & Partial<Pick<MeasuredPath, 'mode'>>;

/** Where OVN programs, pods of these paths do not reach a node's stack. */
const all: readonly AnyPath[] = [
  ...referencePaths,
  ...measuredPaths.filter(({ mode }) => mode !== 'ovn'),
];

void t.test(
  'a node translates all frames of a path that leaves by it, and none of others',
  async (t) => {
    for (const measure of measureNames)
      for (const path of all.filter((one) => isMeasured(one, measure))) {
        const { forwards, masquerades } = await workOfPath(planOf(path), path, measure);
        const expected = ['snat', 'masqueraded'].includes(path.name) ? forwards : 0;
        t.equal(masquerades, expected, `${measure} of ${path.name}`);
      }
  },
);

void t.test('of a connection these are three frames there and three back', async (t) => {
  const path = named(measuredPaths, 'snat');
  const work = await workOfPath(measuredPlan('encap', 0), path, 'connections');
  t.match(work, { forwards: 6, masquerades: 6, ends: 6 } satisfies Partial<PathWork>);
});

void t.test('it is what the plan of a node says that counts', async (t) => {
  const none = masquerading(referencePlan, []);
  const masqueraded = await workOfPath(none, named(referencePaths, 'masqueraded'), 'connections');
  t.match(masqueraded, { forwards: 6, masquerades: 0 });
  const all = masquerading(referencePlan, [{ from: ['192.168.110.0/24'], except: [] }]);
  const routed = await workOfPath(all, named(referencePaths, 'routed'), 'connections');
  t.match(routed, { forwards: 6, masquerades: 6 });
});

void t.test('a datagram has no answer, in a tunnel neither', async (t) => {
  const workOf = (name: string) => {
    const path = named(all, name);
    return workOfPath(planOf(path), path, 'datagrams');
  };
  t.match(await workOf('plain'), { lookups: 1, outputs: 1, ends: 1, crossings: 0 });
  t.match(await workOf('snat'), { lookups: 3, forwards: 1, crossings: 1, conntrack: 1 });
  const tunnelled = { encapsulations: 1, decapsulations: 1, ends: 1, crossings: 1 };
  t.match(await workOf('encap'), { lookups: 5, ...tunnelled });
});
