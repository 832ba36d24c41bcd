/**
 * Faults for ovn-kubernetes/live-migration: what a control plane could get wrong in the northbound
 * rows, and the first vector that shows it.
 */
import type { NorthboundRow, NorthboundValue } from '../domain/plan/northbound-plan.js';
import { staticMacBinding } from '../control/ovn-kubernetes/row.js';
import type { Fault } from './fault.js';

type RowsFault = Extract<Fault, { kind: 'northbound rows' }>;

const faults: readonly Pick<RowsFault, 'name' | 'rows' | 'shownBy'>[] = [
  {
    name: 'the SNAT address of another gateway',
    rows: changed('SNAT of n1', { external_ip: '172.30.128.2' }),
    shownBy: '1-at-home/ping/vm1/172.30.255.1',
  },
  {
    name: 'no arp_proxy',
    rows: changed('switch port stor-n1', {
      options: { map: { 'requested-tnl-key': '1', 'router-port': 'rtos-n1' } },
    }),
    shownBy: '1-at-home/udp/p3/10.10.1.9',
  },
  {
    name: 'an arp_proxy that answers for too much',
    rows: changed('switch port stor-n1', {
      options: {
        map: {
          'requested-tnl-key': '1',
          'router-port': 'rtos-n1',
          arp_proxy: '0a:58:0a:f3:00:00 169.254.1.1 10.10.0.0/16 192.0.2.0/24',
        },
      },
    }),
    shownBy: '1-at-home/arp/vm1/192.0.2.1',
  },
  {
    name: 'no route to a machine that has migrated',
    rows: (wanted) => without(wanted, 'route to vm1'),
    shownBy: '4-routes-follow/udp/p3/10.10.1.9',
  },
  {
    name: 'a policy that leads to the gateway of the node that it has left',
    rows: changed('policy egress vm1', { nexthops: { set: ['100.64.0.2'] } }),
    shownBy: '4-routes-follow/ping/vm1/172.30.255.1',
  },
  {
    name: 'a route that is kept when the machine is back',
    rows: keptRoute('route to vm1', '10.10.1.9'),
    shownBy: '7-at-home-again/udp/p3/10.10.1.9',
  },
  {
    name: 'no DHCP options at the port of a machine',
    rows: (wanted) => wanted.map((row) => withoutColumn(row, 'dhcpv4_options')),
    shownBy: '1-at-home/dhcp/vm1',
  },
  {
    name: "DHCP options of another node's subnet",
    rows: changed('DHCP options vm1', { cidr: '10.10.2.0/24' }),
    shownBy: '1-at-home/dhcp/vm1',
  },
  {
    name: 'a lease with the router of the node in place of that of all nodes',
    rows: (wanted) => wanted.map((row) => withDhcpOption(row, 'router', '10.10.1.1')),
    shownBy: '1-at-home/dhcp/vm1',
  },
];

export const migrationFaults: readonly RowsFault[] = faults.map(inRows);

/** For the same scenario with addresses of both families: IPv4 is as it should be. */
export const ipv6MigrationFaults: readonly RowsFault[] = [
  {
    name: 'no DHCPv6 options at the port of a machine',
    rows: (wanted: readonly NorthboundRow[]) =>
      wanted.map((row) => withoutColumn(row, 'dhcpv6_options')),
    shownBy: '1-at-home/dhcpv6/vm1',
  },
  {
    name: 'an arp_proxy that does not answer for the gateway of IPv6',
    rows: (wanted: readonly NorthboundRow[]) =>
      wanted.map((row) => withOption(row, 'arp_proxy', (proxy) => proxy.replace(/ fe80:\S+/, ''))),
    shownBy: '1-at-home/udp/p3/fd00:10:10:1::9',
  },
  {
    name: 'no route over IPv6 to a machine that has migrated',
    rows: (wanted: readonly NorthboundRow[]) => without(wanted, 'route to vm1 over IPv6'),
    shownBy: '4-routes-follow/udp/p3/fd00:10:10:1::9',
  },
  {
    name: 'a route over IPv6 that is kept when the machine is back',
    rows: keptRoute('route to vm1 over IPv6', 'fd00:10:10:1::9'),
    shownBy: '7-at-home-again/udp/p3/fd00:10:10:1::9',
  },
].map(inRows);

function inRows(fault: Pick<RowsFault, 'name' | 'rows' | 'shownBy'>): RowsFault {
  return { ...fault, kind: 'northbound rows', aspect: 'intent' };
}

/**
 * For ovn-kubernetes/migration-orders, where each zone learns of it by itself: in the rows of all.
 */
export const hearingFaults: readonly RowsFault[] = [
  {
    name: 'zones that know where a machine runs, and have no route to it',
    rows: (wanted) => without(wanted, 'route to vm1'),
    shownBy: '3-2/1/p3/10.10.1.9',
    kind: 'northbound rows',
    aspect: 'intent',
  },
];

/** For ovn-kubernetes/neighbours, whose gateway routers learn from a host outside. */
export const neighbourFaults: readonly RowsFault[] = [givenAnother('172.30.255.1', '')].map(inRows);
export const ipv6NeighbourFaults: readonly RowsFault[] = [
  givenAnother('fd00:172:30:255::1', ' over IPv6'),
].map(inRows);

function givenAnother(ip: string, suffix: string) {
  return {
    name: `a gateway router that is given another MAC address than it has learned${suffix}`,
    rows: (wanted: readonly NorthboundRow[]) => [
      ...wanted,
      staticMacBinding('rtoe-GR_n1', ip, '0a:00:00:00:00:77'),
    ],
    shownBy: `2-learned/ping/p1/${ip}`,
  };
}

/** For ovn-kubernetes/waiting, where packets wait until it is learned who is asked for. */
export const waitingFaults: readonly RowsFault[] = [
  {
    name: 'a gateway router that knows another MAC address, and asks nobody',
    rows: (wanted: readonly NorthboundRow[]) => [
      ...wanted,
      staticMacBinding('rtoe-GR_n1', '172.30.255.1', '0a:00:00:00:00:77'),
    ],
    shownBy: 'n1/2-continues/ping/p1/172.30.255.1',
  },
].map(inRows);

/** For ovn-kubernetes/announcements, where an EgressIP moves from one node to another. */
export const announcementFaults: readonly RowsFault[] = [
  {
    name: 'addresses that a gateway router translates to are not announced',
    rows: (wanted: readonly NorthboundRow[]) =>
      wanted.map((row) => withOption(row, 'nat-addresses', () => '')),
    shownBy: '2-at-n1/announces/n1/1',
  },
].map(inRows);

function withoutColumn(row: NorthboundRow, gone: string): NorthboundRow {
  const columns = Object.entries(row.columns).filter(([column]) => column !== gone);
  return { ...row, columns: Object.fromEntries(columns) };
}

function withDhcpOption(row: NorthboundRow, name: string, value: string): NorthboundRow {
  return row.table === 'DHCP_Options' ? withOption(row, name, () => value) : row;
}

/** Rows without the option stay as they are. */
function withOption(
  row: NorthboundRow,
  name: string,
  change: (value: string) => string,
): NorthboundRow {
  const options: NorthboundValue | undefined = row.columns['options'];
  if (typeof options !== 'object' || !('map' in options)) return row;
  const value = options.map[name];
  if (value === undefined) return row;
  return {
    ...row,
    columns: { ...row.columns, options: { map: { ...options.map, [name]: change(value) } } },
  };
}

function changed(id: string, columns: NorthboundRow['columns']): RowsFault['rows'] {
  return (wanted) =>
    wanted.map((row) =>
      row.id === id ? { ...row, columns: { ...row.columns, ...columns } } : row,
    );
}

function without(rows: readonly NorthboundRow[], gone: string): readonly NorthboundRow[] {
  return rows
    .filter(({ id }) => id !== gone)
    .map((row) => withRoutes(row, (routes) => routes.filter((route) => route.row !== gone)));
}

/** The route stays, with its neighbour, once nobody wants it any more. */
function keptRoute(route: string, ip: string): RowsFault['rows'] {
  return (wanted, before) => {
    const kept = before.filter(({ id }) => id === route || id.startsWith(`neighbour ${ip} at `));
    if (kept.length === 0 || wanted.some(({ id }) => id === route)) return wanted;
    return [
      ...wanted.map((row) =>
        row.id === 'router ovn_cluster_router'
          ? withRoutes(row, (routes) => [...routes, { row: route }])
          : row,
      ),
      ...kept,
    ];
  };
}

interface RouteReference {
  readonly row: string;
}

function withRoutes(
  row: NorthboundRow,
  change: (routes: readonly RouteReference[]) => readonly RouteReference[],
): NorthboundRow {
  const value: NorthboundValue | undefined = row.columns['static_routes'];
  if (typeof value !== 'object' || !('set' in value)) return row;
  const routes = value.set.filter((one) => typeof one === 'object');
  return { ...row, columns: { ...row.columns, static_routes: { set: change(routes) } } };
}
