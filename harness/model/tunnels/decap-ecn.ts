/**
 * Congestion that a packet met inside a tunnel (RFC 6040, section 4.2; Open vSwitch
 * ofproto/tunnel.c, tnl_process_ecn).
 */
import { isIp, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { tunnelDestination } from './tunnel-addresses.js';

/** "Congestion experienced", in both bits of ECN. */
const experienced = 3;

/**
 * It is copied into the packet's own header; a receiver that would not understand it does not get
 * the packet.
 */
export function decapEcn(key: FlowKey): 'taken over' | 'not understood' {
  const isMet =
    ((key[word.tunTos] ?? 0) & experienced) === experienced &&
    tunnelDestination(key) !== 0n &&
    isIp(key[word.ethType] ?? 0);
  if (!isMet) return 'taken over';
  if (((key[word.nwTos] ?? 0) & experienced) === 0) return 'not understood';
  key[word.nwTos] = (key[word.nwTos] ?? 0) | experienced;
  return 'taken over';
}
