/**
 * When ovn-controller makes the same address known again: "just 5 GARP packets with an exponential
 * backoff timeout" (ovn-controller(8), "garp-max-timeout-sec"), that of one second at first
 * (OVN controller/pinctrl.c, send_garp_rarp).
 */
export const announcementCopies = 5;

/** Of the `copy`th, since the first, in ms: 0, 1000, 3000, 7000, 15000. */
export function announcedAfterMs(copy: number): number {
  return (2 ** (copy - 1) - 1) * 1000;
}
