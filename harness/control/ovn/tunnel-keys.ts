import type { NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Numbers } from '../allocate.js';

/** The keys that rows have given to switch ports, by the ids of these. */
export function tunnelKeysIn(rows: readonly NorthboundRow[]): Numbers {
  return Object.fromEntries(
    rows.flatMap(({ table, id, columns: { options } }) =>
      table === 'Logical_Switch_Port' && typeof options === 'object' && 'map' in options
        ? [[id, Number(options.map['requested-tnl-key'])]]
        : [],
    ),
  );
}
