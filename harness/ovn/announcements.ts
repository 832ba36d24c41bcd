/**
 * What each chassis makes known by gratuitous ARP, as the southbound database has it (ovn-sb(5),
 * Port_Binding, "nat_addresses"): of switches with a port of type localnet to a network that the
 * chassis has, addresses of routers there, and those of ports that are bound there (OVN
 * controller/pinctrl.c, send_garp_rarp_prepare).
 */
import { Unsupported } from '../base/errors/errors.js';
import type { Announcement } from '../domain/plan/bridge-plan.js';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import { entriesIn, textsIn, uuidIn } from './row-values.js';
import type { Zone } from './zone.js';

export interface AnnouncementTables {
  readonly portBindings: readonly Row[];
  readonly datapaths: readonly Row[];
  readonly chassis: readonly Row[];
}

/** By the name of the chassis. */
export async function announcementsIn({
  south,
}: Zone): Promise<ReadonlyMap<string, readonly Announcement[]>> {
  const select = (table: string) => ({ op: 'select', table, where: [] }) as const;
  const [portBindings = [], datapaths = [], chassis = []] = await south.ovsdb.transact(
    ['Port_Binding', 'Datapath_Binding', 'Chassis'].map(select),
  );
  return announcementsOf({ portBindings, datapaths, chassis });
}

/** @throws Unsupported where routers next to the one that is announced would learn of it. */
export function announcementsOf(
  tables: AnnouncementTables,
): ReadonlyMap<string, readonly Announcement[]> {
  return new Map(
    tables.chassis.map((chassis) => [String(chassis['name']), announcedBy(chassis, tables)]),
  );
}

function announcedBy(chassis: Row, tables: AnnouncementTables): readonly Announcement[] {
  const { portBindings, datapaths } = tables;
  return portBindings
    .filter((row) => row['type'] === 'localnet' && hasNetwork(chassis, row))
    .flatMap((localnet) => {
      const datapath = datapaths.find(
        (row) => uuidIn(row, '_uuid') === uuidIn(localnet, 'datapath'),
      );
      const ports = portBindings.filter(
        (row) => uuidIn(row, 'datapath') === uuidIn(localnet, 'datapath'),
      );
      const announced = ports
        .filter((row) => !isTrue(row, 'disable_garp_rarp'))
        .flatMap((row) =>
          addressesOf(row, chassis, portBindings).map((address) => ({
            datapath: Number(datapath?.['tunnel_key']),
            port: Number(row['tunnel_key']),
            ...address,
          })),
        );
      if (announced.length > 0) refuseNeighbours(ports);
      return announced;
    });
}

/** "ovn-bridge-mappings" of ovn-controller(8), as the chassis has registered them. */
function hasNetwork(chassis: Row, localnet: Row): boolean {
  const mappings = new Map(entriesIn(chassis, 'other_config')).get('ovn-bridge-mappings') ?? '';
  const network = new Map(entriesIn(localnet, 'options')).get('network_name');
  return mappings.split(',').some((mapping) => mapping.split(':')[0] === network);
}

type Address = Pick<Announcement, 'mac' | 'ip'>;

/**
 * Of a port to a gateway router that is bound there, and of one to a distributed router, where it
 * says at which port's chassis: `0a:… 10.0.0.1 10.0.0.2 is_chassis_resident("cr-…")`.
 */
function addressesOf(port: Row, chassis: Row, ports: readonly Row[]): readonly Address[] {
  const isHere = (row: Row | undefined) =>
    row !== undefined && uuidIn(row, 'chassis') === uuidIn(chassis, '_uuid');
  switch (port['type']) {
    case '':
      return isHere(port) ? textsIn(port, 'mac').slice(0, 1).flatMap(firstAddress) : [];
    case 'l3gateway':
      return isHere(port) ? textsIn(port, 'nat_addresses').flatMap(allAddresses) : [];
    case 'patch':
      return textsIn(port, 'nat_addresses').flatMap((text) => {
        const [, resident] = /is_chassis_resident\("([^"]+)"\)/.exec(text) ?? [];
        const at = ports.find((row) => row['logical_port'] === resident);
        return isHere(at) ? allAddresses(text) : [];
      });
    default:
      return [];
  }
}

/** Of a pod or machine the first one of IPv4 alone. */
function firstAddress(text: string): readonly Address[] {
  return allAddresses(text).slice(0, 1);
}

/** Each of IPv4, or the MAC address alone where there are none. */
function allAddresses(text: string): readonly Address[] {
  const [mac = '', ...others] = text.split(' ');
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(mac)) return [];
  const ips = others.flatMap((one) => /^(\d+(?:\.\d+){3})/.exec(one)?.[1] ?? []);
  return ips.length === 0 ? [{ mac }] : ips.map((ip) => ({ mac, ip }));
}

/** ovn-controller writes it into MAC_Binding, for the other routers (send_garp_locally). */
function refuseNeighbours(ports: readonly Row[]): void {
  const toRouters = ports.filter(({ type }) => type === 'l3gateway' || type === 'patch');
  if (toRouters.length > 1)
    throw new Unsupported(
      'what routers on one switch with a port of type localnet learn of each other is not ' +
        `modelled: ${toRouters.map((row) => String(row['logical_port'])).join(', ')}`,
    );
}

function isTrue(row: Row, option: string): boolean {
  return new Map(entriesIn(row, 'options')).get(option) === 'true';
}
