import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { map, named } from '../../../ovs/ovsdb/ovsdb-value.js';
import type { Operation } from '../../../ovs/ovsdb/ovsdb.js';

/**
 * The transactions that give zones their timeouts, once there are bridges. None where no zone has
 * any. Ovs-vswitchd takes what a zone comes with for known (vswitchd/bridge.c,
 * ct_zones_reconfigure), so that zones come with nothing, and then change.
 */
export function timeoutTransactions({ conntrack }: NodePlan): readonly (readonly Operation[])[] {
  const { timeouts = [] } = conntrack ?? {};
  if (timeouts.length === 0) return [];
  const label = (zone: number) => map({ zone: String(zone) });
  const zones = timeouts.flatMap(({ zone }): readonly Operation[] => [
    {
      op: 'insert',
      table: 'CT_Timeout_Policy',
      'uuid-name': `timeouts_${zone}`,
      row: { external_ids: label(zone) },
    },
    {
      op: 'insert',
      table: 'CT_Zone',
      'uuid-name': `zone_${zone}`,
      row: { timeout_policy: named(`timeouts_${zone}`) },
    },
  ]);
  return [
    [
      ...zones,
      {
        op: 'insert',
        table: 'Datapath',
        'uuid-name': 'datapath',
        row: { ct_zones: ['map', timeouts.map(({ zone }) => [zone, named(`zone_${zone}`)])] },
      },
      {
        op: 'mutate',
        table: 'Open_vSwitch',
        where: [],
        mutations: [['datapaths', 'insert', ['map', [['system', named('datapath')]]]]],
      },
    ],
    timeouts.map(
      ({ zone, seconds }): Operation => ({
        op: 'mutate',
        table: 'CT_Timeout_Policy',
        where: [['external_ids', '==', label(zone)]],
        mutations: [['timeouts', 'insert', ['map', Object.entries(seconds)]]],
      }),
    ),
  ];
}
