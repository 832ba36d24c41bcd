/** The programs of OVS and OVN that are used, by the name they have on PATH. */
export type Program =
  | 'ovs-vswitchd'
  | 'ovsdb-server'
  | 'ovsdb-tool'
  | 'ovsdb-client'
  | 'ovs-ofctl'
  | 'ovs-vsctl'
  | 'ovs-appctl'
  | 'ovn-northd'
  | 'ovn-controller'
  | 'ovn-nbctl'
  | 'ovn-sbctl';

/**
 * One build of OVS and OVN that can be run on this machine: a root folder of a Debian suite, or
 * what is on PATH.
 */
export interface Image {
  /** `trixie`, `bookworm`, `sid` or `system`. */
  readonly name: string;
  /**
   * What it is made of, to identify a run: a digest of the package versions, or of the programs.
   */
  readonly digest: string;
  /** Its root folder; missing where its programs are the machine's own. */
  readonly root?: string;
  /**
   * The command line that starts `program`: the file and the arguments that come before the
   * program's own.
   */
  command(program: Program): readonly [file: string, ...args: string[]];
  /** Absolute path of a schema file, such as `vswitch.ovsschema`. */
  schema(file: string): string;
}
