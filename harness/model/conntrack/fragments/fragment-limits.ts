/** How many fragments are held, and for how long (Open vSwitch lib/ipf.c). */

/**
 * Of IP packets in bytes, where it is not the last fragment; numbers of fragments; milliseconds.
 */
export const limits = {
  smallest: { ipv4: 1200, ipv6: 1280 },
  held: 1000,
  ofIpv4: 58,
  sentAtOnce: 32,
  expiryMs: 15_000,
  purgeMs: 10_000,
  packet: 65_535,
} as const;
