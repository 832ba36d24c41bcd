/** A Debian suite that nodes can be made of. */
export interface Suite {
  readonly name: string;
  /**
   * The releases of OVS and OVN that it brings, for people; the image's manifest has the exact
   * versions.
   */
  readonly holds: string;
  /** Options of apt that fetching it needs, in the syntax of apt.conf(5). */
  readonly aptOptions: readonly string[];
}

/** Suites in the order in which they are offered; the first is the default. */
export const suites = [
  { name: 'trixie', holds: 'OVS 3.5, OVN 25.03', aptOptions: [] },
  { name: 'bookworm', holds: 'OVS 3.1, OVN 23.03', aptOptions: [] },
  // Release files of a moving suite may be past their date on a mirror that is frozen; their
  // signature is still checked.
  { name: 'sid', holds: 'OVS 4.0, OVN 26.03', aptOptions: ['Acquire::Check-Valid-Until "false"'] },
] as const satisfies readonly Suite[];

export const defaultSuite = suites[0];

/** Debian's newest packages. */
export const newestSuite: Suite = suites[2];

/** The packages that hold OVS's and OVN's daemons and tools; apt adds what they depend on. */
export const packages = ['openvswitch-switch', 'ovn-central', 'ovn-host'] as const;
