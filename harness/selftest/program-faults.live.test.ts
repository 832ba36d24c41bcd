/**
 * Goal: what a switch holds otherwise is caught though no packet meets it, counters that begin
 * again and bytes that are too many are, and each is reported as what it is; meters and groups too.
 * Method: each fault into switches of its own, by an ovs-ofctl that the testbed does not know of.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import encap from '../../scenarios/antrea/encap.js';
import services from '../../scenarios/antrea/services-antrea-proxy.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import type { Fault } from './fault.js';
import { groupFaults, programFaults } from './program-faults.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));

/** The outcome of a fault, in words. */
async function tried(scenario: Scenario, fault: Fault, only: RegExp): Promise<string> {
  const axes = Object.fromEntries(
    Object.entries(scenario.axes).map(
      ([
        axis,
        {
          default: [value = ''],
        },
      ]) => [axis, value],
    ),
  );
  const result = await tryFault(scenario, axes, fault, {
    image,
    sim: {},
    nowMs: () => 0,
    only: ({ id }) => only.test(id),
  });
  if (result.kind === 'unnoticed') return `unnoticed: ${result.why}`;
  return 'finding' in result
    ? `${result.kind}: ${result.finding.aspect}: ${result.finding.summary}`
    : result.kind;
}

for (const fault of programFaults) {
  void t.test(fault.name, async (t) => {
    t.match(
      await tried(encap, fault, /^(ping\/p1\/p4|spoof-ip\/p1)$/),
      new RegExp(`^caught: ${fault.aspect}: `),
    );
  });
}

for (const fault of groupFaults) {
  void t.test(fault.name, async (t) => {
    t.match(await tried(services, fault, /^no-service\//), /^caught: program: /);
  });
}

void t.test('meters of a plan', async (t) => {
  const withMeter = (plan: ClusterPlan): ClusterPlan => ({
    ...plan,
    nodes: plan.nodes.map((node) => ({
      ...node,
      bridges: node.bridges.map((bridge) => ({
        ...bridge,
        meters: ['meter=3,pktps,bands=type=drop,rate=5'],
      })),
    })),
  });
  const { controlPlane } = encap;
  const metered = {
    ...encap,
    controlPlane: {
      ...controlPlane,
      plan: (...given: Parameters<typeof controlPlane.plan>) =>
        withMeter(controlPlane.plan(...given)),
    },
  };
  const fault = (...command: readonly [string, ...string[]]): Fault => ({
    kind: 'held',
    name: command.join(' '),
    aspect: 'program',
    when: 'programmed',
    summary: /^at the end: br-int on n1: meter=3$/,
    commands: () => [command],
  });
  const faults = [
    fault('mod-meter', 'meter=3,pktps,bands=type=drop,rate=6'),
    fault('mod-meter', 'meter=3,kbps,bands=type=drop,rate=5'),
    fault('del-meter', 'meter=3'),
  ];
  for (const planted of faults) {
    t.equal(
      await tried(metered, planted, /^ping\/p1\/p2$/),
      'caught: program: at the end: br-int on n1: meter=3',
      planted.name,
    );
  }
  const nothing = fault('mod-meter', 'meter=3,pktps,bands=type=drop,rate=5');
  t.equal(
    await tried(metered, nothing, /^ping\/p1\/p2$/),
    'unnoticed: the run conforms',
    'what is the same is no fault',
  );
});
