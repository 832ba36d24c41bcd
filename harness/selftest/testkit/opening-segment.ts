import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';

/** A SYN without options and payload. */
export function openingSegment(
  srcPort: number,
  dstPort: number,
  addresses: { readonly src: string; readonly dst: string },
): Uint8Array {
  const header = {
    srcPort,
    dstPort,
    sequence: 77,
    acknowledgement: 0,
    flags: tcpFlags.SYN,
    window: 1000,
    urgentPointer: 0,
    options: new Uint8Array(),
  };
  return encodeTcp(header, new Uint8Array(), addresses);
}
