/** The flows and groups of a bridge, one a line as ovs-ofctl(8) reads them. */

export interface BridgeProgram {
  readonly flows: readonly string[];
  readonly groups: readonly string[];
}
