/** What a node's switch knows of its tunnels' neighbours. */
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { Unixctl } from '../../../ovs/unixctl.js';

/**
 * When neighbours, flows or ports change, revalidators look the cache through some time later, and
 * the switch asks once more for whom a cached packet was and who is not known (Open vSwitch
 * ofproto/ofproto-dpif-xlate.c, native_tunnel_output: it does so in any translation). A round that
 * is under way does that with packets that came after it began.
 */
export interface Neighbours {
  /** Asks who is known now; `follow` goes by the last answer. */
  query(): Promise<void>;
  /** Those planned are set again before they expire. */
  refresh(): Promise<void>;
  /** Those planned, and no others, are known. */
  restore(): Promise<void>;
  /**
   * Packets, time or `restore` may have changed them, as the last query shows: if so, waits until
   * the switch has revalidated its cache.
   */
  revalidateIfChanged(): Promise<void>;
  /**
   * Flows, ports or those planned have changed: waits until the switch has revalidated its cache.
   */
  quiesce(): Promise<void>;
  /** Who was known at the last query. */
  seen(): string;
}

/**
 * @param round resolves when a whole round of the revalidators that began now is over, the switch
 *   is quiescent and was queried.
 */
export function neighboursOf(
  plan: () => NodePlan,
  unixctl: Unixctl,
  round: () => Promise<void>,
): Neighbours {
  let known: string | undefined;
  let planned: string | undefined;
  let seen = '';
  const refresh = () => setNeighbours(plan(), unixctl);
  /** Whoever is asked for in the round is listed behind it. */
  const quiesce = async () => {
    if (!hasNativeTunnels(plan())) return;
    await round();
    known = seen;
  };
  return {
    query: async () => {
      if (hasNativeTunnels(plan()))
        seen = (await unixctl.call('tnl/neigh/show')).split('\n').toSorted().join('\n');
    },
    refresh,
    restore: async () => {
      if (!hasNativeTunnels(plan()) || (planned !== undefined && known === planned))
        return await refresh();
      planned = undefined;
      await replaceNeighbours(plan(), unixctl);
    },
    revalidateIfChanged: async () => {
      if (!hasNativeTunnels(plan())) return;
      const before = known;
      known = seen;
      planned ??= known;
      // Who is being asked for may have been forgotten, and asked for again, in between.
      if (known !== before || known.includes('INCOMPLETE')) await quiesce();
    },
    quiesce,
    seen: () => seen,
  };
}

/** Whether packets leave through tunnels, by way of who is asked for. */
function hasNativeTunnels({ bridges }: NodePlan): boolean {
  return (
    bridges.some(({ underlay }) => underlay !== undefined) &&
    bridges.some(({ ports }) => ports.some(({ kind }) => kind === 'tunnel'))
  );
}

/**
 * Makes the switch know these neighbours of its tunnels and no others: those that it has learned as
 * well.
 */
export async function replaceNeighbours(plan: NodePlan, unixctl: Unixctl): Promise<void> {
  await Promise.all([unixctl.call('tnl/neigh/flush'), setNeighbours(plan, unixctl)]);
}

/**
 * Sets the neighbours that the switch's tunnels reach. They expire after 20 minutes of virtual
 * time.
 */
export async function setNeighbours(plan: NodePlan, { callEach }: Unixctl): Promise<void> {
  await callEach(
    plan.bridges.flatMap(({ name, underlay }) =>
      (underlay?.neighbours ?? []).map(({ ip, mac }) => ['tnl/neigh/set', name, ip, mac] as const),
    ),
  );
}
