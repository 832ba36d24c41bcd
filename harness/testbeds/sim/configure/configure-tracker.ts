import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { Daemon } from '../../../ovs/process/daemon.js';

/** What of the tracker the database does not hold. */
export async function configureTracker(plan: NodePlan, vswitchd: Daemon): Promise<void> {
  const { call } = vswitchd.unixctl;
  const { conntrack } = plan;
  const { mostConnections, tcpSequences } = conntrack ?? {};
  // Those of a dump are in its rows.
  const limits = plan.asDumped?.rows === undefined ? (conntrack?.limits ?? []) : [];
  const inOrder = [
    ...limits.filter(({ zone }) => zone === 'default'),
    ...limits.filter(({ zone }) => zone !== 'default'),
  ];
  if (limits.length > 0)
    await call(
      'dpctl/ct-set-limits',
      ...inOrder.map(({ zone, connections }) =>
        zone === 'default' ? `default=${connections}` : `zone=${zone},limit=${connections}`,
      ),
    );
  if (mostConnections !== undefined) await call('dpctl/ct-set-maxconns', String(mostConnections));
  if (tcpSequences === 'not checked') await call('dpctl/ct-disable-tcp-seq-chk');
}
