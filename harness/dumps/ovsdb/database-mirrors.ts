import type { MirrorPlan } from '../../domain/plan/bridge-plan.js';
import { madeInterfaces, type Row, type Database, rowsOf, oneOf, setOf } from './database.js';

export function mirrorsOf(bridge: Row, database: Database): readonly MirrorPlan[] {
  const [ports, interfaces] = [rowsOf(database, 'Port'), rowsOf(database, 'Interface')];
  const rows = rowsOf(database, 'Mirror');
  // Ports of other bridges it does not find (vswitchd/bridge.c, mirror_configure).
  const own = new Set(setOf(bridge, 'ports'));
  const namesOf = (id: string) =>
    own.has(id) ? madeInterfaces(ports.get(id) ?? new Map(), interfaces) : [];
  // Packets meet them in the order of their UUIDs.
  return setOf(bridge, 'mirrors')
    .toSorted()
    .flatMap((id) => {
      const row = rows.get(id);
      if (row === undefined) return [];
      const outputId = setOf(row, 'output_port').find((one) => ports.has(one));
      const [only, ...others] = outputId === undefined ? [] : namesOf(outputId);
      // With a port that is not there it does nothing, whatever else it has.
      if (outputId !== undefined && only === undefined) return [];
      // Of a bond its name.
      const bond = oneOf(ports.get(outputId ?? '') ?? new Map(), 'name');
      const port = others.length > 0 ? bond : only;
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
                  sources: setOf(row, 'select_src_port').flatMap(namesOf),
                  destinations: setOf(row, 'select_dst_port').flatMap(namesOf),
                },
          output:
            port === undefined ? { kind: 'vlan', vlan: Number(vlan) } : { kind: 'port', port },
          ...(snapLength === undefined ? {} : { snapLength: Number(snapLength) }),
        },
      ];
    });
}
