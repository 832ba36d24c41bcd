/**
 * A DHCPv6 client (RFC 8415, section 18.2): it asks who offers an address, and requests the first
 * that is offered. The host keeps the address that its plan has: a note says what it was given.
 */
import { groupMac, linkLocalOf } from '../../base/addresses/link-local.js';
import { formatMac, macBytes } from '../../base/addresses/mac-and-ipv4.js';
import type { Lease } from '../../domain/observation.js';
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import { concatBytes, viewOf } from '../../packet/bytes/header-layout.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { colons, encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import {
  decodeDhcpv6,
  dhcpv6Option,
  dhcpv6Options as codes,
  dhcpv6Ports as ports,
  dhcpv6Types as types,
  encodeDhcpv6,
  encodeDhcpv6Option,
  readDhcpv6Options,
  type Dhcpv6Option,
} from '../../packet/protocols/transport/dhcpv6.js';
import { decodeUdp, encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { DhcpClient } from './dhcp-client.js';
import { transmit } from './dhcp-transmission.js';
import type { Effect, Host } from './host.js';

/** All_DHCP_Relay_Agents_and_Servers (section 7.1). */
const allServers = 'ff02::1:2';
/** SOL_TIMEOUT and REQ_TIMEOUT (section 7.6). */
const patienceUs = 1_000_000;

export function solicitLease(host: Host, via: InterfacePlan): readonly Effect[] {
  return ask(host, via, 'selecting', [associationOf(via)]);
}

/** A DUID of the link-layer address, of Ethernet (section 11.4). */
const ethernetDuid = Uint8Array.of(0, 3, 0, 1);

function clientIdOf({ mac }: InterfacePlan): Uint8Array {
  return concatBytes(ethernetDuid, macBytes(mac));
}

/** Of one address, with the times left to the server (section 21.4). */
function associationOf({ mac }: InterfacePlan, address?: Dhcpv6Option): Dhcpv6Option {
  const value = concatBytes(
    macBytes(mac).subarray(2),
    new Uint8Array(8),
    address === undefined ? new Uint8Array() : encodeDhcpv6Option(address),
  );
  return { code: codes.iaNa, value };
}

function ask(
  host: Host,
  via: InterfacePlan,
  state: DhcpClient['state'],
  options: readonly Dhcpv6Option[],
): readonly Effect[] {
  const message = encodeDhcpv6({
    type: state === 'selecting' ? types.solicit : types.request,
    transaction: host.random.identifier,
    options: [
      { code: codes.clientId, value: clientIdOf(via) },
      ...options,
      { code: codes.elapsedTime, value: new Uint8Array(2) },
      { code: codes.optionRequest, value: Uint8Array.of(0, codes.dnsServers) },
    ],
  });
  const addresses = { src: linkLocalOf(via.mac), dst: allServers };
  const udp = encodeUdp({ srcPort: ports.client, dstPort: ports.server }, message, addresses);
  const frame = encodeEthernet(
    { dst: groupMac(allServers), src: via.mac, etherType: etherTypes.ipv6 },
    encodeIpv6({ ...addresses, nextHeader: ipProtocols.udp, hopLimit: 1 }, udp),
  );
  return transmit(host, { version: 6, state, via, frame, patienceUs, transmissions: 1 });
}

/** Undefined for a datagram that is no answer to a request of this host. */
export function receiveDhcpv6(
  host: Host,
  addresses: IpAddresses,
  bytes: Uint8Array,
): readonly Effect[] | undefined {
  const { client } = host.dhcp;
  if (client?.version !== 6) return undefined;
  const udp = decodeUdp(bytes, addresses);
  const isAnswer =
    udp?.checksum === 'valid' &&
    udp.header.dstPort === ports.client &&
    udp.header.srcPort === ports.server;
  const message = isAnswer ? decodeDhcpv6(udp.payload) : undefined;
  if (message?.transaction !== host.random.identifier) return undefined;
  const { type, options } = message;
  const toWhom = dhcpv6Option(options, codes.clientId) ?? new Uint8Array();
  if (Buffer.compare(toWhom, clientIdOf(client.via)) !== 0) return undefined;
  const address = addressIn(options);
  if (client.state === 'selecting' && type === types.advertise && address !== undefined)
    return ask(host, client.via, 'requesting', [
      { code: codes.serverId, value: dhcpv6Option(options, codes.serverId) ?? new Uint8Array() },
      associationOf(client.via, { code: codes.iaAddress, value: address }),
    ]);
  if (client.state !== 'requesting' || type !== types.reply) return undefined;
  host.dhcp.client = undefined;
  return [
    {
      kind: 'note',
      note:
        address === undefined
          ? { kind: 'unleased', why: `${addresses.src} gives no address` }
          : { kind: 'leased', lease: leaseOf(address, options) },
    },
  ];
}

/** Of what an association holds, the address with its lifetimes (section 21.6). */
function addressIn(options: readonly Dhcpv6Option[]): Uint8Array | undefined {
  const association = dhcpv6Option(options, codes.iaNa);
  if (association === undefined) return undefined;
  const address = dhcpv6Option(readDhcpv6Options(association.subarray(12)), codes.iaAddress);
  return address === undefined || address.length < 24 ? undefined : address;
}

function leaseOf(address: Uint8Array, options: readonly Dhcpv6Option[]): Lease {
  const server = dhcpv6Option(options, codes.serverId) ?? new Uint8Array();
  const dns = dhcpv6Option(options, codes.dnsServers)?.subarray(0, 16);
  const isOfEthernet = Buffer.compare(server.subarray(0, 4), ethernetDuid) === 0;
  return {
    ip: colons(address.subarray(0, 16)),
    netmask: '',
    router: '',
    server: isOfEthernet ? formatMac(server, 4) : Buffer.from(server).toString('hex'),
    dnsServer: dns === undefined ? '' : colons(dns),
    hostname: '',
    seconds: viewOf(address).getUint32(20),
  };
}
