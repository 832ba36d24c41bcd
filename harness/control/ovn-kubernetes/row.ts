/** Northbound rows in the making: short ways to write what stands in their columns. */
import {
  staticMacBindingId,
  type NorthboundRow,
  type NorthboundValue,
} from '../../domain/plan/northbound-plan.js';

export const map = (entries: Readonly<Record<string, string>>): NorthboundValue => ({
  map: entries,
});
export const set = (...values: readonly string[]): NorthboundValue => ({ set: values });
export const references = (...ids: readonly string[]): NorthboundValue => ({
  set: ids.map((row) => ({ row })),
});

/** What keeps OVN from numbering a datapath or a port by itself. */
export const tunnelKey = (number: number) => ({ 'requested-tnl-key': String(number) });

export interface RouterPort {
  readonly name: string;
  readonly mac: string;
  /** `10.10.1.1/24`, of each family. */
  readonly networks: readonly string[];
  readonly key: number;
}

export function routerPort({ name, mac, networks, key }: RouterPort): NorthboundRow {
  return {
    table: 'Logical_Router_Port',
    id: `router port ${name}`,
    columns: { name, mac, networks: set(...networks), options: map(tunnelKey(key)) },
  };
}

/** The end of a router's port at a switch. @param more options beside those that every one has. */
export function portToRouter(
  name: string,
  peer: string,
  key: number,
  more: Readonly<Record<string, string>> = {},
): NorthboundRow {
  return {
    table: 'Logical_Switch_Port',
    id: `switch port ${name}`,
    columns: {
      name,
      type: 'router',
      addresses: set('router'),
      options: map({ ...tunnelKey(key), 'router-port': peer, ...more }),
    },
  };
}

export function logicalSwitch(
  name: string,
  key: number,
  portNames: readonly string[],
  more: NorthboundRow['columns'] = {},
): NorthboundRow {
  return {
    table: 'Logical_Switch',
    id: `switch ${name}`,
    columns: {
      name,
      ports: references(...portNames.map((port) => `switch port ${port}`)),
      other_config: map(tunnelKey(key)),
      ...more,
    },
  };
}

export interface StaticRoute {
  readonly id: string;
  readonly prefix: string;
  readonly nexthop: string;
  readonly policy: 'src-ip' | 'dst-ip';
  readonly outputPort?: string;
}

export function staticRoute(route: StaticRoute): NorthboundRow {
  const { id, prefix, nexthop, policy, outputPort } = route;
  return {
    table: 'Logical_Router_Static_Route',
    id,
    columns: {
      ip_prefix: prefix,
      nexthop,
      policy,
      ...(outputPort === undefined ? {} : { output_port: set(outputPort) }),
    },
  };
}

/** Who has `ip` at the other end of a router's port; OVN asks nobody then. */
export function staticMacBinding(port: string, ip: string, mac: string): NorthboundRow {
  return {
    table: 'Static_MAC_Binding',
    id: staticMacBindingId(port, ip),
    columns: { logical_port: port, ip, mac, override_dynamic_mac: true },
  };
}

export function policy(
  what: string,
  priority: number,
  match: string,
  columns: NorthboundRow['columns'],
): NorthboundRow {
  return {
    table: 'Logical_Router_Policy',
    id: `policy ${what}`,
    columns: { priority, match, ...columns },
  };
}
