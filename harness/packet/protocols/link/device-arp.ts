import { arpOperations, decodeArp, encodeArp } from './arp.js';
import { decodeEthernet, encodeEthernet, etherTypes } from './ethernet.js';

/**
 * What the device of a LOCAL port answers by itself to a frame that leaves through it, where it was
 * given an address so that tunnels end there: an ARP request for that address (Open vSwitch
 * lib/netdev-dummy.c, netdev_dummy_send). Undefined for all else.
 */
export function deviceArpReply(
  frame: Uint8Array,
  device: { readonly ip: string; readonly mac: string },
): Uint8Array | undefined {
  const ethernet = decodeEthernet(frame);
  if (ethernet?.header.etherType !== etherTypes.arp) return undefined;
  const arp = decodeArp(ethernet.payload);
  if (arp?.op !== arpOperations.request || arp.tpa !== device.ip) return undefined;
  const { src } = ethernet.header;
  return encodeEthernet(
    { dst: src, src: device.mac, etherType: etherTypes.arp },
    encodeArp({ op: arpOperations.reply, sha: device.mac, spa: device.ip, tha: src, tpa: arp.spa }),
  );
}

/** Whether a frame without tags is one of ARP: no other gets an answer. */
export function isArp(frame: Uint8Array): boolean {
  return frame[12] === etherTypes.arp >>> 8 && frame[13] === (etherTypes.arp & 0xff);
}
