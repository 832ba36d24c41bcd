/**
 * The frame that a flow key describes, as Open vSwitch makes one of a flow (`ovs-ofctl
 * compose-packet`, `ofproto/trace -generate`; lib/flow.c, flow_compose): parsing it gives the key
 * again, as far as a frame holds it.
 */
import { arpLength, arpOperations } from '../protocols/link/arp.js';
import { etherTypes } from '../protocols/link/ethernet.js';
import { noType } from '../flow-key/extract/extract.js';
import { bottomOfStack, isMpls, most, word, type FlowKey } from '../flow-key/flow-key.js';
import { concatBytes, viewOf } from '../bytes/header-layout.js';
import { rewriteTags } from '../flow-key/rewrite/rewrite-tags.js';
import { composeIpv4, composeIpv6 } from './compose-ip.js';
import { put32, putMac } from './put-bytes.js';

const headerLength = 14;

/** What stands behind TCP, UDP and echo where nothing else is asked for: 64 bytes that count up. */
export const defaultPayload: Uint8Array = Uint8Array.from({ length: 64 }, (_, index) => index);

/**
 * @param payload of TCP without SYN, FIN and RST, of UDP, and of ICMP's and ICMPv6's echo; the
 *   others have none.
 */
export function compose(key: FlowKey, payload: Uint8Array = defaultPayload): Uint8Array {
  const type = key[word.ethType] ?? 0;
  const header = new Uint8Array(headerLength);
  const view = viewOf(header);
  putMac(view, 0, key, word.ethDst);
  putMac(view, 6, key, word.ethSrc);
  view.setUint16(12, type === noType ? headerLength : type);
  if (type === noType) return header;
  const frame = concatBytes(header, isMpls(type) ? labelsOf(key) : networkOf(key, type, payload));
  return rewriteTags(frame, new Uint32Array(key.length), key);
}

function networkOf(key: FlowKey, type: number, payload: Uint8Array): Uint8Array {
  switch (type) {
    case etherTypes.ipv4:
      return composeIpv4(key, payload);
    case etherTypes.ipv6:
      return composeIpv6(key, payload);
    case etherTypes.arp:
    case etherTypes.rarp:
      return composeArp(key);
    default:
      return new Uint8Array();
  }
}

/** Entries up to the last of the stack, or all that the key has room for; nothing behind them. */
function labelsOf(key: FlowKey): Uint8Array {
  let labels = 1;
  while (labels < most.labels && ((key[word.mplsLse + labels - 1] ?? 0) & bottomOfStack) === 0)
    labels++;
  const bytes = new Uint8Array(4 * labels);
  put32(viewOf(bytes), 0, key, word.mplsLse, labels);
  return bytes;
}

/** Addresses are those of requests and replies only. */
function composeArp(key: FlowKey): Uint8Array {
  const bytes = new Uint8Array(arpLength);
  const view = viewOf(bytes);
  const operation = key[word.nwProto] ?? 0;
  view.setUint32(0, 0x00010800);
  view.setUint16(4, 0x0604);
  view.setUint16(6, operation);
  if (operation !== arpOperations.request && operation !== arpOperations.reply) return bytes;
  putMac(view, 8, key, word.arpSha);
  put32(view, 14, key, word.nwSrc, 1);
  putMac(view, 18, key, word.arpTha);
  put32(view, 24, key, word.nwDst, 1);
  return bytes;
}
