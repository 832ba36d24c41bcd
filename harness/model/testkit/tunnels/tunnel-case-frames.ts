/** The frames of tunnel-cases.ts, and how their results are printed. */
import { encodeArp } from '../../../packet/protocols/link/arp.js';
import { dissect } from '../../../packet/dissect/dissect.js';
import { encodeEthernet, etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { describeFrame } from '../../../packet/dissect/describe-frame.js';
import { encodeGeneve, genevePort } from '../../../packet/protocols/tunnel/geneve.js';
import { encodeGre } from '../../../packet/protocols/tunnel/gre.js';
import { encodeIcmp6 } from '../../../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols, type Ipv4Header } from '../../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../../packet/protocols/ip/ipv6.js';
import {
  addressOption,
  encodeNeighbour,
  neighbourTypes,
} from '../../../packet/protocols/ip/neighbour.js';
import { encodeUdp } from '../../../packet/protocols/transport/udp.js';
import { encodeVxlan, vxlanPort } from '../../../packet/protocols/tunnel/vxlan.js';

export const own = { mac: '02:00:00:00:01:01', ipv4: '172.30.0.1', ipv6: 'fd00:30::1' } as const;
export const neighbour = {
  mac: '02:00:00:00:09:01',
  ipv4: '172.30.0.9',
  ipv6: 'fd00:30::9',
} as const;

export function inner(tos = 0): Uint8Array {
  const addresses = { src: '10.0.0.1', dst: '10.0.0.2' };
  return encodeEthernet(
    { src: '0a:00:00:00:00:01', dst: '0a:00:00:00:00:02', etherType: etherTypes.ipv4 },
    encodeIpv4(
      { ...addresses, protocol: ipProtocols.udp, ttl: 9, tos },
      encodeUdp({ srcPort: 7, dstPort: 8 }, new Uint8Array(2), addresses),
    ),
  );
}

export function outer(
  src: string,
  protocol: number,
  payload: Uint8Array,
  header: Partial<Ipv4Header> = {},
): Uint8Array {
  return encodeEthernet(
    { src: '02:00:00:00:02:01', dst: own.mac, etherType: etherTypes.ipv4 },
    encodeIpv4({ src, dst: own.ipv4, protocol, ttl: 64, ...header }, payload),
  );
}

export const overUdp = (dstPort: number, payload: Uint8Array) =>
  encodeUdp({ srcPort: 50000, dstPort }, payload, 'no-checksum');
export const genevePayload = (
  vni: number,
  frame = inner(),
  protocolType: number = etherTypes.transparentEthernetBridging,
) =>
  overUdp(
    genevePort,
    encodeGeneve(
      { vni, protocolType, options: new Uint8Array(), critical: false, oam: false },
      frame,
    ),
  );
export const geneve = (
  src: string,
  vni: number,
  header: Partial<Ipv4Header> = {},
  frame = inner(),
) => outer(src, ipProtocols.udp, genevePayload(vni, frame), header);
export const vxlan = (flags: readonly number[], port: number = vxlanPort, last = 0) => {
  const bytes = encodeVxlan({ vni: 3 }, inner());
  bytes.set(flags);
  bytes[7] = last;
  return outer('172.30.0.2', ipProtocols.udp, overUdp(port, bytes));
};
export const gre = (header: Parameters<typeof encodeGre>[0]) =>
  outer('172.30.0.2', ipProtocols.gre, encodeGre(header, inner()));
export const teb = { protocolType: etherTypes.transparentEthernetBridging } as const;
/** One byte otherwise. */
export const changed = (frame: Uint8Array, at: number) => frame.with(at, (frame[at] ?? 0) ^ 0x10);

export const arp = (op: number, spa: string, tpa: string, sha: string = neighbour.mac) =>
  encodeEthernet(
    { src: neighbour.mac, dst: own.mac, etherType: etherTypes.arp },
    encodeArp({ op, sha, spa, tha: own.mac, tpa }),
  );
export const advertisement = (dst: string) => {
  const addresses = { src: neighbour.ipv6, dst };
  const message = encodeIcmp6(
    { type: neighbourTypes.advertisement, code: 0, rest: 0x60000000 },
    encodeNeighbour(neighbour.ipv6, [addressOption('target', neighbour.mac)]),
    addresses,
  );
  return encodeEthernet(
    { src: neighbour.mac, dst: own.mac, etherType: etherTypes.ipv6 },
    encodeIpv6({ ...addresses, nextHeader: ipProtocols.icmp6, hopLimit: 255 }, message),
  );
};

/** A frame as `gives` has it; `inner` is what most tunnels here carry. */
export function printOutput({
  port,
  frame,
}: {
  readonly port: string;
  readonly frame: Uint8Array;
}): string {
  const line = describeFrame(frame).replace(describeFrame(inner()), 'inner');
  const tos = dissect(frame).find(({ name }) => name === 'ip.tos')?.value ?? '0x00';
  return `${port} ${line}${line === 'inner' && tos !== '0x00' ? ` tos ${tos}` : ''}`;
}
