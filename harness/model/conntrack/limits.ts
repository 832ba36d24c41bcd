/**
 * How many connections there may be (ovs-vswitchd(8), "dpctl/ct-set-limits",
 * "dpctl/ct-set-maxconns"; Open vSwitch lib/conntrack.c, conn_not_found).
 */
import { Unsupported } from '../../base/errors/errors.js';
import type { ConntrackPlan } from '../../domain/plan/cluster-plan.js';
import type { Behaviour } from '../behaviour.js';
import type { Connection, ConnectionTable } from './connection.js';

const mostOfAll = 3_000_000;

/**
 * Whether a zone takes one more connection.
 * @throws Unsupported where that depends on connections that have expired: Open vSwitch counts them
 *   until a thread sweeps them, in real time.
 */
export function hasRoom(
  table: ConnectionTable,
  zone: number,
  nowMs: number,
  { limits = [], mostConnections = mostOfAll }: ConntrackPlan,
  behaviour: Behaviour,
): boolean {
  if (table.size < mostConnections && limits.length === 0) return true;
  const connections = [...new Set(table.values())];
  const own = limits.find((limit) => limit.zone === zone);
  const common = limits.find(
    (limit) =>
      limit.zone === 'default' &&
      (limit.connections > 0 || behaviour.defaultZoneLimit === 'all of them together'),
  );
  const isNamed = (other: number) => limits.some((limit) => limit.zone === other);
  const isCounted = ({ original }: Connection) =>
    original.zone === zone ||
    (own === undefined &&
      behaviour.defaultZoneLimit === 'all of them together' &&
      !isNamed(original.zone));
  const limit = own ?? common;
  return (
    (limit === undefined || isBelow(limit.connections, connections.filter(isCounted), nowMs)) &&
    isBelow(mostConnections, connections, nowMs)
  );
}

function isBelow(limit: number, connections: readonly Connection[], nowMs: number): boolean {
  const live = connections.filter(({ expiresAtMs }) => expiresAtMs > nowMs).length;
  const forgotten =
    connections.length -
    live +
    connections.reduce((sum, { expiredBefore }) => sum + expiredBefore, 0);
  if (live >= limit) return false;
  if (live + forgotten >= limit)
    throw new Unsupported(
      'the model does not know whether connections that have expired still count against a limit',
    );
  return true;
}
