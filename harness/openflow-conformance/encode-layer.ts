/** One header of a packet of the corpus as bytes, with what follows it. */
import { InputError } from '../base/errors/errors.js';
import { encodeArp } from '../packet/protocols/link/arp.js';
import { encodeEthernet } from '../packet/protocols/link/ethernet.js';
import { concatBytes } from '../packet/bytes/header-layout.js';
import { encodeIpv4 } from '../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../packet/protocols/ip/ipv6.js';
import { encodeMpls } from '../packet/protocols/link/mpls.js';
import type { IpAddresses } from '../packet/protocols/ip/pseudo-header.js';
import { encodeVlan } from '../packet/protocols/link/vlan.js';
import { isCall, type Call, type Value } from './expression.js';
import { listOf, numberOf, textOf } from './layer-values.js';
import { encodeTransportLayer } from './encode-transport-layer.js';

const defaultAddresses = {
  ipv4: { src: '10.0.0.1', dst: '10.0.0.2' },
  ipv6: { src: '10::10', dst: '20::20' },
};

export function addressesOf(header: Call): IpAddresses {
  const { src, dst } = defaultAddresses[header.name === 'ipv6' ? 'ipv6' : 'ipv4'];
  return { src: textOf(header, 'src', src), dst: textOf(header, 'dst', dst) };
}

const noMac = 'ff:ff:ff:ff:ff:ff';

const ipv4Type = 0x0800,
  vlanType = 0x8100;

/** One header and what follows it. */
export function encodeLayer(layer: Value, payload: Uint8Array, addresses: IpAddresses): Uint8Array {
  if (layer instanceof Uint8Array) return concatBytes(layer, payload);
  if (!isCall(layer)) throw new InputError('expected a header or bytes in a packet of the corpus');
  const encoded =
    encodeLinkLayer(layer, payload) ??
    encodeIpLayer(layer, payload) ??
    encodeTransportLayer(layer, payload, addresses);
  if (encoded === undefined)
    throw new InputError(`a packet of the corpus has a header that is not known: ${layer.name}`);
  return encoded;
}

function encodeLinkLayer(layer: Call, payload: Uint8Array): Uint8Array | undefined {
  const number = (name: string, missing: number) => numberOf(layer, name, missing);
  const text = (name: string, missing: string) => textOf(layer, name, missing);
  switch (layer.name) {
    case 'ethernet':
      return encodeEthernet(
        {
          dst: text('dst', noMac),
          src: text('src', '00:00:00:00:00:00'),
          etherType: number('ethertype', ipv4Type),
        },
        payload,
      );
    case 'vlan':
    case 'svlan':
      return encodeVlan(
        {
          pcp: number('pcp', 0),
          dei: number('cfi', 0),
          vid: number('vid', 0),
          etherType: number('ethertype', layer.name === 'vlan' ? ipv4Type : vlanType),
        },
        payload,
      );
    case 'mpls':
      return encodeMpls(
        {
          label: number('label', 0),
          tc: number('exp', 0),
          bos: number('bsb', 1),
          ttl: number('ttl', 255),
        },
        payload,
      );
    case 'itag':
      return concatBytes(
        backboneTag(number('pcp', 0), number('dei', 0), number('uca', 0), number('sid', 0)),
        payload,
      );
    case 'arp':
      return concatBytes(
        encodeArp({
          op: number('opcode', 1),
          sha: text('src_mac', noMac),
          spa: text('src_ip', '0.0.0.0'),
          tha: text('dst_mac', noMac),
          tpa: text('dst_ip', '0.0.0.0'),
        }),
        payload,
      );
    default:
      return undefined;
  }
}

function encodeIpLayer(layer: Call, payload: Uint8Array): Uint8Array | undefined {
  const number = (name: string, missing: number) => numberOf(layer, name, missing);
  switch (layer.name) {
    case 'ipv4':
      return encodeIpv4(
        {
          ...addressesOf(layer),
          protocol: number('proto', 0),
          ttl: number('ttl', 255),
          tos: number('tos', 0),
        },
        payload,
      );
    case 'ipv6':
      return encodeIpv6(
        {
          ...addressesOf(layer),
          nextHeader: number('nxt', 6),
          hopLimit: number('hop_limit', 255),
          trafficClass: number('traffic_class', 0),
          flowLabel: number('flow_label', 0),
        },
        concatBytes(...extensionHeaders(layer), payload),
      );
    default:
      return undefined;
  }
}

/**
 * I-TAG of provider backbone bridges (IEEE 802.1Q, section 9.7): priority, drop eligible, use
 * customer address, service instance.
 */
function backboneTag(pcp: number, dei: number, uca: number, sid: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(((pcp << 29) | (dei << 28) | (uca << 27) | sid) >>> 0);
  return bytes;
}

/**
 * A hop-by-hop header that is padding alone (RFC 8200, section 4.2), and an authentication header
 * (RFC 4302) with 4 bytes of check value.
 */
function extensionHeaders(ipv6: Call): readonly Uint8Array[] {
  return listOf(ipv6, 'ext_hdrs').map((header) => {
    const next = numberOf(header, 'nxt', 6);
    if (header.name === 'hop_opts') return Uint8Array.of(next, 0, 1, 4, 0, 0, 0, 0);
    if (header.name === 'auth') return Uint8Array.of(next, 2, ...new Uint8Array(14));
    throw new InputError(
      `a packet of the corpus has an extension header that is not known: ${header.name}`,
    );
  });
}
