/**
 * Goal: while pods come and go the databases hold what the pods that are there need, no more and no
 * less, and in the end what they held at first. Method: the timeline of scenario ovn-cni/churn on
 * the plugin and its watcher as processes, without its packets; behind each change the rows of OVN
 * and of each node. FLOWBED_CHURN_PODS=200 plays as many.
 */
import t from 'tap';
import { openImage } from '../../images/images.js';
import { churnOf } from '../../topologies/ovn-cni/churn.js';
import type { OvnCniCluster } from '../../topologies/ovn-cni/ovn-cni-topology.js';
import { attachmentsOn } from '../control/ovn-cni/attachments.js';
import { ovnCni } from '../control/ovn-cni/index.js';
import { hostInterfaceOf, logicalPortOf } from '../control/ovn-cni/names.js';
import { playTimeline } from '../run/timeline/play-timeline.js';
import { openSim } from '../testbeds/sim/sim.js';
import { openCluster, type OpenedCluster } from './testkit/held-in-cluster.js';

const pods = Number(process.env['FLOWBED_CHURN_PODS'] ?? '16');
const image = await openImage('trixie', (line) => t.comment(line));

void t.test(`${pods} pods`, { timeout: 1_200_000 }, async (t) => {
  const { cluster: first, steps } = churnOf(pods);
  const clusters = steps.flatMap((step) => (step.kind === 'cluster' ? [step] : []));
  const seen: { readonly what: string; readonly held: object }[] = [];
  let opened: OpenedCluster | undefined;
  let atFirst: unknown;
  const judged = await playTimeline(
    {
      controlPlane: ovnCni(),
      seed: 1,
      openReal: async (plan) => {
        const switches = await openSim(plan, image);
        opened = await openCluster(switches.dir, first);
        atFirst = await opened.everything();
        const { recompile } = switches;
        return {
          ...switches,
          recompile: async (plan) => {
            const compiled = await recompile?.(plan);
            const step = clusters[seen.length];
            if (compiled === undefined || step === undefined) throw new Error('one too many');
            const what = `${seen.length + 1}: ${step.what}`;
            const held = await opened?.held();
            seen.push({ what, held: held ?? {} });
            t.same(held, neededBy(step.cluster as OvnCniCluster), what);
            if (seen.length === clusters.length)
              t.same(await opened?.everything(), atFirst, 'nothing is left in the end');
            return compiled;
          },
          close: async () => {
            opened?.close();
            await switches.close();
          },
        };
      },
    },
    { cluster: first, steps: clusters },
  );
  t.same(
    judged.filter(({ verdict }) => verdict !== 'conforms').map(({ id }) => id),
    [],
  );
  t.equal(seen.length, clusters.length, 'each change was seen');
});

/** What of pods is in the databases, as the cluster alone says. */
function neededBy(cluster: OvnCniCluster) {
  const there = cluster.nodes.flatMap((node) =>
    attachmentsOn(node, cluster).map(({ pod, attachment }) => ({
      node: node.name,
      pod,
      attachment,
    })),
  );
  return {
    ports: there.map(({ attachment }) => logicalPortOf(attachment)).sort(),
    addresses: there
      .map(({ node, pod, attachment }) => `${node} ${pod.ip} ${logicalPortOf(attachment)}`)
      .sort(),
    closed: there.length,
    interfaces: there
      .map(({ node, attachment }) => `${node} ${hostInterfaceOf(attachment)}`)
      .sort(),
    strangers: [],
  };
}
