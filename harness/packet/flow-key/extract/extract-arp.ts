import { arpLength } from '../../protocols/link/arp.js';
import type { ByteView } from '../../bytes/byte-view.js';
import { word, type FlowKey } from '../flow-key.js';

/**
 * ARP and reverse ARP. Only that for IPv4 over Ethernet has fields (RFC 826: hardware 1, protocol
 * 0x0800, lengths 6 and 4), and only the low byte of the operation.
 */
export function extractArp(view: ByteView, l3: number, key: FlowKey): void {
  if (!resolvesIpv4(view, l3)) return;
  const operation = view.getUint16(l3 + 6);
  key[word.nwProto] = operation <= 0xff ? operation : 0;
  key[word.nwSrc] = view.getUint32(l3 + 14);
  key[word.nwDst] = view.getUint32(l3 + 24);
  key[word.arpSha] = view.getUint16(l3 + 8);
  key[word.arpSha + 1] = view.getUint32(l3 + 10);
  key[word.arpTha] = view.getUint16(l3 + 18);
  key[word.arpTha + 1] = view.getUint32(l3 + 20);
}

/** Whether it is there in full, and for IPv4 over Ethernet. */
export function resolvesIpv4(view: ByteView, l3: number): boolean {
  return (
    view.byteLength >= l3 + arpLength &&
    view.getUint32(l3) === 0x00010800 &&
    view.getUint16(l3 + 4) === 0x0604
  );
}
