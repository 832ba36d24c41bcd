/**
 * Goal: what a control plane could do wrong about a machine that migrates is caught, where it is
 * met first. Method: the timeline of ovn-kubernetes/live-migration with each fault planted into the
 * northbound rows; all that comes before conforms.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { announcements } from '../../topologies/ovn-kubernetes/announcements.js';
import { liveMigration } from '../../topologies/ovn-kubernetes/live-migration.js';
import { neighbours } from '../../topologies/ovn-kubernetes/neighbours.js';
import { migrationOrder } from '../../topologies/ovn-kubernetes/migration-orders.js';
import { waiting } from '../../topologies/ovn-kubernetes/waiting.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import type { ControlPlane } from '../domain/plan/control-plane.js';
import { describeStep } from '../domain/timeline.js';
import type { Topology } from '../domain/topology.js';
import { playTimeline } from '../run/timeline/play-timeline.js';
import { openSim } from '../testbeds/sim/sim.js';
import {
  announcementFaults,
  hearingFaults,
  ipv6MigrationFaults,
  ipv6NeighbourFaults,
  migrationFaults,
  neighbourFaults,
  waitingFaults,
} from './migration-faults.js';
import { withFaultyRows } from './miscompile.js';

const image = await openImage('trixie', (line) => t.comment(line));
const timeline = liveMigration('there-and-back', 2);
const overBoth = liveMigration('there-and-back', 2, 'one', 'dual');
const planted = [
  ...migrationFaults.map((fault) => [timeline, fault] as const),
  ...ipv6MigrationFaults.map((fault) => [overBoth, fault] as const),
  ...neighbourFaults.map((fault) => [neighbours('ipv4', 'one'), fault] as const),
  ...ipv6NeighbourFaults.map((fault) => [neighbours('ipv6', 'one'), fault] as const),
  ...waitingFaults.map((fault) => [waiting('ipv4', 'one'), fault] as const),
  ...announcementFaults.map((fault) => [announcements('ipv4', 'one', 'first'), fault] as const),
  ...hearingFaults.map((fault) => [migrationOrder('g12e'), fault] as const),
];

function withFault(fault: (typeof migrationFaults)[number]): ControlPlane<Topology> {
  const faultless = ovnKubernetes();
  return {
    ...faultless,
    plan: (cluster, before) => withFaultyRows(faultless.plan(cluster, before), before, fault),
  };
}

for (const [sequence, fault] of planted)
  void t.test(fault.name, { timeout: 300_000 }, async (t) => {
    const judged = await playTimeline(
      { controlPlane: withFault(fault), seed: 1, openReal: (plan) => openSim(plan, image) },
      sequence,
    );
    const last = judged.at(-1);
    t.equal(last === undefined ? 'nothing' : describeStep(last.step), fault.shownBy);
    t.equal(last?.verdict, 'diverges', last?.inconclusive?.cause ?? '');
    t.ok(
      last?.differences.some(({ aspect }) => aspect === 'intent'),
      last?.differences.map(({ summary }) => summary).join('; ') ?? '',
    );
  });
