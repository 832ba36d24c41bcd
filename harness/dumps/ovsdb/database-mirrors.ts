import type { MirrorPlan } from '../../domain/plan/bridge-plan.js';
import { type Row, type Table, type Database, rowsOf, oneOf, setOf } from './database.js';

export function mirrorsOf(bridge: Row, ports: Table, database: Database): readonly MirrorPlan[] {
  const rows = rowsOf(database, 'Mirror');
  const names = (ids: readonly string[]) =>
    ids.flatMap((id) => oneOf(ports.get(id) ?? new Map(), 'name') ?? []);
  // Packets meet them in the order of their UUIDs.
  return setOf(bridge, 'mirrors')
    .toSorted()
    .flatMap((id) => {
      const row = rows.get(id);
      if (row === undefined) return [];
      const [port] = names(setOf(row, 'output_port'));
      const [vlan, snapLength] = [oneOf(row, 'output_vlan'), oneOf(row, 'snaplen')];
      // A mirror without an output does nothing.
      if (port === undefined && vlan === undefined) return [];
      return [
        {
          name: oneOf(row, 'name') ?? '',
          vlans: setOf(row, 'select_vlan').map(Number),
          select:
            oneOf(row, 'select_all') === 'true'
              ? 'all'
              : {
                  sources: names(setOf(row, 'select_src_port')),
                  destinations: names(setOf(row, 'select_dst_port')),
                },
          output:
            port === undefined ? { kind: 'vlan', vlan: Number(vlan) } : { kind: 'port', port },
          ...(snapLength === undefined ? {} : { snapLength: Number(snapLength) }),
        },
      ];
    });
}
