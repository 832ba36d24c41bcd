/**
 * How the neighbours of tunnels become known: who is asked, and what of that which comes in is
 * believed (Open vSwitch ofproto/ofproto-dpif-xlate.c, tnl_send_arp_request,
 * is_neighbor_reply_correct; lib/tnl-neigh-cache.c, tnl_neigh_snoop).
 */
import { formatAddress, fromIpv4, isIpv4Address } from '../../base/addresses/ip-address.js';
import { arpOperations, encodeArp } from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { encodeIcmp6 } from '../../packet/protocols/ip/icmp6.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import {
  addressOption,
  encodeNeighbour,
  neighbourTypes,
} from '../../packet/protocols/ip/neighbour.js';
import { readWide } from './tunnel-addresses.js';
import { macOf } from './decapsulate.js';

const zeroMac = '00:00:00:00:00:00';
const broadcastMac = 'ff:ff:ff:ff:ff:ff';

/** The frame that asks who has `target`. */
export function neighbourRequest(mac: string, source: bigint, target: bigint): Uint8Array {
  if (isIpv4Address(target))
    return encodeEthernet(
      { src: mac, dst: broadcastMac, etherType: etherTypes.arp },
      encodeArp({
        op: arpOperations.request,
        sha: mac,
        spa: formatAddress(source),
        tha: zeroMac,
        tpa: formatAddress(target),
      }),
    );
  const tail = target & 0xffffffn;
  const addresses = {
    src: formatAddress(source),
    dst: formatAddress((0xff02_0000_0000_0000_0000_0001_ffn << 24n) | tail),
  };
  const dst = `33:33:ff:${[16n, 8n, 0n].map((shift) => ((tail >> shift) & 0xffn).toString(16).padStart(2, '0')).join(':')}`;
  const message = encodeIcmp6(
    { type: neighbourTypes.solicitation, code: 0, rest: 0 },
    encodeNeighbour(formatAddress(target), [addressOption('source', mac)]),
    addresses,
  );
  return encodeEthernet(
    { src: mac, dst, etherType: etherTypes.ipv6 },
    encodeIpv6({ ...addresses, nextHeader: ipProtocols.icmp6, hopLimit: 255 }, message),
  );
}

/**
 * The sender's address, as announced in a packet that leaves for a port with the addresses `own`.
 */
export function snoopedNeighbour(
  key: FlowKey,
  own: readonly bigint[],
): { readonly address: bigint; readonly mac: string } | undefined {
  const isArp = key[word.ethType] === etherTypes.arp;
  const announces = isArp && key[word.nwSrc] === key[word.nwDst];
  if (!announces && !own.some((address) => answers(key, address))) return undefined;
  if (isArp) {
    const mac = macOf(key, word.arpSha);
    const isAnswer = announces || key[word.nwProto] === arpOperations.reply;
    return isAnswer && mac !== zeroMac
      ? { address: fromIpv4(key[word.nwSrc] ?? 0), mac }
      : undefined;
  }
  const mac = macOf(key, word.arpTha);
  const advertises =
    key[word.ethType] === etherTypes.ipv6 &&
    key[word.nwProto] === ipProtocols.icmp6 &&
    key[word.tpSrc] === neighbourTypes.advertisement &&
    key[word.tpDst] === 0;
  return advertises && mac !== zeroMac ? { address: readWide(key, word.ndTarget), mac } : undefined;
}

/** To the address itself, or to those who listen to its last three bytes. */
function answers(key: FlowKey, own: bigint): boolean {
  if (isIpv4Address(own))
    return key[word.ethType] === etherTypes.arp && fromIpv4(key[word.nwDst] ?? 0) === own;
  if (key[word.ethType] === etherTypes.arp || key[word.nwProto] !== ipProtocols.icmp6) return false;
  const destination = readWide(key, word.ipv6Dst);
  const isSolicited =
    destination >> 112n === 0xff02n &&
    ((destination >> 24n) & 0xffffn) === 0x01ffn &&
    (destination & 0xffffffn) === (own & 0xffffffn);
  return destination === own || isSolicited;
}
