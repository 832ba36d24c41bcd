/**
 * arp, nd_ns, nd_na and nd_na_router (ovn-sb(5), Logical_Flow, "actions"): who is asked for, and
 * answers, in a packet that the actions that are nested complete (OVN controller/pinctrl.c,
 * pinctrl_handle_arp, pinctrl_handle_nd_ns, pinctrl_handle_nd_na).
 */
import { formatIpv6 } from '../../base/addresses/ipv6.js';
import { linkLocalOf } from '../../base/addresses/link-local.js';
import { encodeArp } from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { neighbourTypes } from '../../packet/protocols/ip/neighbour.js';
import {
  advertisementFlags,
  advertisementFrame,
  solicitationFrame,
} from '../../packet/protocols/ip/neighbour-frames.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { readField } from '../fields/field-values.js';
import { endsOf, isIpv4, isIpv6 } from './made-packet.js';

/** Undefined where the packet that waits for the answer is no IP. */
export function arpRequest(key: FlowKey): Uint8Array | undefined {
  if (!isIpv4(key) && !isIpv6(key)) return undefined;
  const { macs, addresses } = endsOf(key);
  const none = '0.0.0.0';
  return encodeEthernet(
    { ...macs, etherType: etherTypes.arp },
    encodeArp({
      op: 1,
      sha: macs.src,
      tha: '00:00:00:00:00:00',
      spa: isIpv4(key) ? addresses.src : none,
      tpa: isIpv4(key) ? addresses.dst : none,
    }),
  );
}

const allOnes = formatIpv6((1n << 128n) - 1n);

/** Undefined where the packet that waits for the answer is no IP. */
export function solicitation(key: FlowKey): Uint8Array | undefined {
  if (!isIpv4(key) && !isIpv6(key)) return undefined;
  const { macs, addresses } = endsOf(key);
  const from = { mac: macs.src, ip: linkLocalOf(macs.src) };
  return solicitationFrame(from, isIpv6(key) ? addresses.dst : allOnes);
}

/** Undefined where it is no neighbour discovery that is answered. */
export function advertisement(key: FlowKey, by: 'a host' | 'a router'): Uint8Array | undefined {
  const isDiscovery =
    isIpv6(key) &&
    key[word.nwProto] === ipProtocols.icmp6 &&
    (key[word.tpSrc] === neighbourTypes.solicitation ||
      key[word.tpSrc] === neighbourTypes.advertisement) &&
    key[word.tpDst] === 0;
  if (!isDiscovery) return undefined;
  const { macs, addresses } = endsOf(key);
  const from = { mac: macs.dst, ip: formatIpv6(readField(key, fieldCalled('nd_target'))) };
  const { router, solicited, override } = advertisementFlags;
  const flags = solicited | override | (by === 'a router' ? router : 0);
  return advertisementFrame(from, { mac: macs.src, ip: addresses.src }, flags);
}
