/** What a bridge's row says of what it learns: addresses, and members of multicast groups. */
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import { madeInterfaces, mapOf, oneOf, setOf, type Row, type Table } from './database.js';

export interface PortTables {
  readonly ports: Table;
  readonly interfaces: Table;
}

/** Numbers that are none ask for nothing (lib/smap.c, smap_get_int). */
export function snoopingOf(
  bridge: Row,
  { ports, interfaces }: PortTables,
): Pick<BridgePlan, 'multicastSnooping'> {
  if (oneOf(bridge, 'mcast_snooping_enable') !== 'true') return {};
  const config = mapOf(bridge, 'other_config');
  const number = (name: string) =>
    Number(/^\d+$/.exec(config.get(`mcast-snooping-${name}`) ?? '')?.[0] ?? 0);
  const [ageingS, size] = [number('aging-time'), number('table-size')];
  const portsWith = (name: string) =>
    setOf(bridge, 'ports').flatMap((id) => {
      const port = ports.get(id);
      return port !== undefined &&
        mapOf(port, 'other_config').get(`mcast-snooping-${name}`) === 'true'
        ? madeInterfaces(port, interfaces)
        : [];
    });
  const [flood, floodReports] = [portsWith('flood'), portsWith('flood-reports')];
  return {
    multicastSnooping: {
      ...(ageingS === 0 ? {} : { ageingS }),
      ...(size === 0 ? {} : { size }),
      ...(config.get('mcast-snooping-disable-flood-unregistered') === 'true'
        ? { unregistered: 'to routers' }
        : {}),
      ...(flood.length === 0 ? {} : { flood }),
      ...(floodReports.length === 0 ? {} : { floodReports }),
    },
  };
}

/** Numbers that are none, or none at all, leave it as it comes (lib/smap.c, smap_get_int). */
export function macTableOf(bridge: Row): Pick<BridgePlan, 'macTable'> {
  const config = mapOf(bridge, 'other_config');
  const number = (name: string) => Number(/^\d+$/.exec(config.get(name) ?? '')?.[0] ?? 0);
  const [ageingS, size] = [number('mac-aging-time'), number('mac-table-size')];
  if (ageingS === 0 && size === 0) return {};
  return {
    macTable: { ...(ageingS === 0 ? {} : { ageingS }), ...(size === 0 ? {} : { size }) },
  };
}
