/** UDP as a host takes it. */
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { decodeUdp, encodeUdp } from '../../packet/protocols/transport/udp.js';
import { relayDatagram } from '../proxy/relay-datagrams.js';
import { listensOn, type Effect, type Host, type IpHeader } from './host.js';
import { dropped, sendIp } from './send-ip.js';

/** A datagram arrived: the echo service, or a program of the host's, answers it. */
export function receiveUdp(host: Host, header: IpHeader, bytes: Uint8Array): readonly Effect[] {
  const udp = decodeUdp(bytes, header);
  if (udp === undefined || udp.checksum === 'invalid' || udp.checksum === 'unverifiable')
    return dropped('a broken UDP datagram', header);
  const relayed = relayDatagram(host, header, udp.header, udp.payload);
  if (relayed !== undefined) return relayed;
  if (!listensOn(host, 'UDP', udp.header.dstPort)) return [received('udp', header)];
  const ports = { srcPort: udp.header.dstPort, dstPort: udp.header.srcPort };
  const encode = (addresses: { src: string; dst: string }) =>
    encodeUdp(ports, udp.payload, addresses);
  return [
    received('udp', header),
    ...sendIp(host, { dst: header.src, src: header.dst, protocol: ipProtocols.udp, encode }),
  ];
}

/** The stack has taken it. */
export function received(what: 'echo-request' | 'echo-reply' | 'udp', header: IpHeader): Effect {
  return {
    kind: 'note',
    note: { kind: 'received', what, src: header.src, dst: header.dst, ttl: header.ttl },
  };
}
