/**
 * Neighbours that ovn-controller learns: put_arp and put_nd (ovn-sb(5), Logical_Flow, "actions"),
 * and the rows of MAC_Binding that it writes for them.
 */
import { fromIpv4, formatAddress } from '../base/addresses/ip-address.js';
import { formatMac } from '../base/addresses/mac-and-ipv4.js';
import { readFields } from '../openflow/match/oxm.js';
import type { Match } from '../openflow/match/match.js';
import type { HandedOver } from '../ovs/openflow/openflow-messages.js';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import { uuidIn } from './row-values.js';

export interface Neighbour {
  /** Keys of the logical datapath, and of the port there that it is behind. */
  readonly datapath: number;
  readonly port: number;
  readonly ip: string;
  readonly mac: string;
}

/** What these of the southbound database say of neighbours (ovn-sb(5)). */
export interface NeighbourTables {
  readonly macBindings: readonly Row[];
  readonly portBindings: readonly Row[];
  readonly datapaths: readonly Row[];
}

/**
 * The flow has put the address into reg0, or into all of xxreg0, and the MAC address into the
 * packet (OVN lib/actions.c, encode_put_mac_bind).
 */
export function neighbourIn(
  { frame, metadata }: Pick<HandedOver, 'frame' | 'metadata'>,
  family: 'IPv4' | 'IPv6',
  behind: 'inport' | 'outport' = 'inport',
): Neighbour {
  const match = readFields(metadata);
  const parts = [0, 1, 2, 3].map((number) => register(match, number));
  const address = parts.reduce((sum, part) => (sum << 32n) | BigInt(part), 0n);
  return {
    datapath: Number(match.find(({ field }) => field.name === 'metadata')?.value ?? 0n),
    port: register(match, registers[behind]),
    ip: formatAddress(family === 'IPv4' ? fromIpv4(parts[0] ?? 0) : address),
    mac: formatMac(frame, 6),
  };
}

const registers = { inport: 14, outport: 15 } as const;

/** OpenFlow 1.5 has them in pairs (ovs-fields(7), "xreg0"). */
function register(match: Match, number: number): number {
  const pair = match.find(({ field }) => field.name === `xreg${number >> 1}`)?.value ?? 0n;
  return Number(number % 2 === 0 ? pair >> 32n : pair & 0xffff_ffffn);
}

/** Whether both are the same neighbour, whatever its MAC address is. */
export function isSameNeighbour(one: Neighbour, other: Neighbour): boolean {
  return one.datapath === other.datapath && one.port === other.port && one.ip === other.ip;
}

/** Of neighbours, each as it was learned last, those that no row says: one line each. */
export function unwritten(
  learned: readonly Neighbour[],
  { macBindings, portBindings, datapaths }: NeighbourTables,
): readonly string[] {
  const last = new Map(learned.map((one) => [`${one.datapath} ${one.port} ${one.ip}`, one]));
  return [...last.values()].flatMap(({ datapath, port, ip, mac }) => {
    const at = uuidIn(datapaths.find((row) => row['tunnel_key'] === datapath) ?? {}, '_uuid');
    const behind = portBindings.find(
      (row) => row['tunnel_key'] === port && uuidIn(row, 'datapath') === at,
    )?.['logical_port'];
    const found = macBindings.find(
      (row) => row['logical_port'] === behind && row['ip'] === ip && uuidIn(row, 'datapath') === at,
    );
    const what = `${ip} at port ${String(behind)}`;
    if (found === undefined) return [`no MAC binding of ${what}, which has ${mac}`];
    return found['mac'] === mac
      ? []
      : [`the MAC binding of ${what} has ${String(found['mac'])}, and not ${mac}`];
  });
}
