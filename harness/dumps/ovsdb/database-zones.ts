/** What the database says of zones of connections (ovs-vswitchd.conf.db(5), table CT_Zone). */
import type { ConntrackPlan } from '../../domain/plan/cluster-plan.js';
import { mapOf, oneOf, rowsOf, type Database, type Row } from './database.js';

/** The UUID of the row of Datapath that is the bridge's. */
export function datapathOf(root: Row, bridge: Row): string | undefined {
  const type = oneOf(bridge, 'datapath_type') ?? '';
  return mapOf(root, 'datapaths').get(type === '' ? 'system' : type);
}

/** Limits of the bridge's datapath. */
export function zoneLimitsOf(
  bridge: Row,
  database: Database,
): Pick<ConntrackPlan, 'limits'> | undefined {
  const [root = new Map()] = rowsOf(database, 'Open_vSwitch').values();
  const datapath = rowsOf(database, 'Datapath').get(datapathOf(root, bridge) ?? '');
  if (datapath === undefined) return undefined;
  const zones = rowsOf(database, 'CT_Zone');
  const common = oneOf(datapath, 'ct_zone_default_limit');
  const limits = [
    ...(common === undefined ? [] : [{ zone: 'default' as const, connections: Number(common) }]),
    ...[...mapOf(datapath, 'ct_zones')].flatMap(([zone, id]) => {
      const limit = oneOf(zones.get(id) ?? new Map(), 'limit');
      return limit === undefined ? [] : [{ zone: Number(zone), connections: Number(limit) }];
    }),
  ];
  return limits.length === 0 ? undefined : { limits };
}
