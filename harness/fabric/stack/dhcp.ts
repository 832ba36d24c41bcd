/**
 * A DHCP client (RFC 2131, section 4.4): it asks who offers an address, and requests the first that
 * is offered. The host keeps the address that its plan has: a note says what it was given.
 */
import { ipv4Number, formatIpv4 } from '../../base/addresses/mac-and-ipv4.js';
import type { Lease } from '../../domain/observation.js';
import type { InterfacePlan } from '../../domain/plan/host-plan.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { encodeIpv4, ipProtocols, type Ipv4Header } from '../../packet/protocols/ip/ipv4.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import {
  decodeDhcp,
  dhcpOperations,
  dhcpOption,
  dhcpOptions,
  dhcpPorts,
  dhcpTypes,
  encodeDhcp,
  type DhcpMessage,
  type DhcpOption,
} from '../../packet/protocols/transport/dhcp.js';
import { encodeUdp, type UdpHeader } from '../../packet/protocols/transport/udp.js';
import type { DhcpClient } from './dhcp-client.js';
import { transmit } from './dhcp-transmission.js';
import type { Effect, Host } from './host.js';

const nobody = '0.0.0.0';
const everybody = { ip: '255.255.255.255', mac: 'ff:ff:ff:ff:ff:ff' } as const;
/** Section 4.1: the first is repeated after four seconds. */
const patienceUs = 4_000_000;

export function discover(host: Host, via: InterfacePlan): readonly Effect[] {
  return ask(host, via, 'selecting', [option(dhcpOptions.messageType, dhcpTypes.discover)]);
}

function option(code: number, ...value: readonly number[]): DhcpOption {
  return { code, value: Uint8Array.from(value) };
}

function ask(
  host: Host,
  via: InterfacePlan,
  state: DhcpClient['state'],
  options: readonly DhcpOption[],
): readonly Effect[] {
  const wanted = [
    dhcpOptions.netmask,
    dhcpOptions.router,
    dhcpOptions.dnsServer,
    dhcpOptions.hostname,
    dhcpOptions.mtu,
  ];
  const message = encodeDhcp({
    operation: dhcpOperations.request,
    xid: host.random.identifier,
    flags: 0,
    ciaddr: nobody,
    yiaddr: nobody,
    chaddr: via.mac,
    options: [...options, option(dhcpOptions.parameterList, ...wanted)],
  });
  const addresses = { src: nobody, dst: everybody.ip };
  const ports = { srcPort: dhcpPorts.client, dstPort: dhcpPorts.server };
  const packet = encodeIpv4(
    { ...addresses, ttl: 64, protocol: ipProtocols.udp },
    encodeUdp(ports, message, addresses),
  );
  const header = { dst: everybody.mac, src: via.mac, etherType: etherTypes.ipv4 };
  const frame = encodeEthernet(header, packet);
  return transmit(host, { version: 4, state, via, frame, patienceUs, transmissions: 1 });
}

/** Undefined for a datagram that is no answer to a request of this host. */
export function receiveDhcp(
  host: Host,
  header: Ipv4Header,
  { dstPort, srcPort }: UdpHeader,
  payload: Uint8Array,
): readonly Effect[] | undefined {
  const { client } = host.dhcp;
  if (client?.version !== 4 || dstPort !== dhcpPorts.client || srcPort !== dhcpPorts.server)
    return undefined;
  const message = decodeDhcp(payload);
  const isForUs =
    message?.operation === dhcpOperations.reply &&
    message.xid === host.random.identifier &&
    message.chaddr === client.via.mac;
  if (!isForUs) return undefined;
  const type = dhcpOption(message.options, dhcpOptions.messageType)?.[0];
  if (client.state === 'selecting' && type === dhcpTypes.offer)
    return ask(host, client.via, 'requesting', [
      option(dhcpOptions.messageType, dhcpTypes.request),
      option(dhcpOptions.requestedAddress, ...bytesOf(message.yiaddr)),
      {
        code: dhcpOptions.serverId,
        value: dhcpOption(message.options, dhcpOptions.serverId) ?? new Uint8Array(),
      },
    ]);
  if (client.state !== 'requesting' || (type !== dhcpTypes.ack && type !== dhcpTypes.nak))
    return undefined;
  host.dhcp.client = undefined;
  return [
    {
      kind: 'note',
      note:
        type === dhcpTypes.nak
          ? { kind: 'unleased', why: `${header.src} refuses the address` }
          : { kind: 'leased', lease: leaseIn(message) },
    },
  ];
}

function bytesOf(ip: string): readonly number[] {
  const number = ipv4Number(ip);
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff);
}

/** Of what an acknowledgement says, in the order in which people read it. */
function leaseIn({ yiaddr, options }: DhcpMessage): Lease {
  const value = (code: number) => dhcpOption(options, code) ?? new Uint8Array();
  const address = (code: number) =>
    value(code).length === 4 ? formatIpv4(viewOf(value(code)).getUint32(0)) : '';
  const seconds = value(dhcpOptions.leaseTime);
  return {
    ip: yiaddr,
    netmask: address(dhcpOptions.netmask),
    router: address(dhcpOptions.router),
    server: address(dhcpOptions.serverId),
    dnsServer: address(dhcpOptions.dnsServer),
    hostname: Buffer.from(value(dhcpOptions.hostname)).toString('latin1'),
    seconds: seconds.length === 4 ? viewOf(seconds).getUint32(0) : 0,
  };
}
