/**
 * Goal: what a control plane could do wrong about a machine that migrates is caught, where it is
 * met first. Method: the timeline of ovn-kubernetes/live-migration with each fault planted into the
 * northbound rows; all that comes before conforms.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { liveMigration } from '../../topologies/ovn-kubernetes/live-migration.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import type { ControlPlane } from '../domain/plan/control-plane.js';
import type { NorthboundPlan } from '../domain/plan/northbound-plan.js';
import { describeStep } from '../domain/timeline.js';
import type { Topology } from '../domain/topology.js';
import { playTimeline } from '../run/timeline/play-timeline.js';
import { openSim } from '../testbeds/sim/sim.js';
import { migrationFaults, type MigrationFault } from './migration-faults.js';

const image = await openImage('trixie', (line) => t.comment(line));
const timeline = liveMigration('there-and-back', 2);

function withFault({ rows }: MigrationFault): ControlPlane<Topology> {
  const faultless = ovnKubernetes();
  const rowsIn = (plan: NorthboundPlan | undefined) =>
    (plan?.zones ?? []).flatMap((zone) => zone.rows);
  return {
    ...faultless,
    plan: (cluster, before) => {
      const plan = faultless.plan(cluster, before);
      const zones = (plan.northbound?.zones ?? []).map((zone) => ({
        ...zone,
        rows: rows(zone.rows, rowsIn(before?.northbound)),
      }));
      return { ...plan, northbound: { zones } };
    },
  };
}

for (const fault of migrationFaults)
  void t.test(fault.name, { timeout: 300_000 }, async (t) => {
    const judged = await playTimeline(
      { controlPlane: withFault(fault), seed: 1, openReal: (plan) => openSim(plan, image) },
      timeline,
    );
    const last = judged.at(-1);
    t.equal(last === undefined ? 'nothing' : describeStep(last.step), fault.shownBy);
    t.equal(last?.verdict, 'diverges', last?.inconclusive?.cause ?? '');
    t.ok(
      last?.differences.some(({ aspect }) => aspect === 'intent'),
      last?.differences.map(({ summary }) => summary).join('; ') ?? '',
    );
  });
