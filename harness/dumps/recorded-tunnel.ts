/** A tunnel's port as a dump has it. */
export interface RecordedTunnel {
  readonly bridge: string;
  readonly name: string;
  /** Its number on the bridge. */
  readonly ofport: number;
  /** `vxlan`, and the others of ovs-vswitchd.conf.db(5), table Interface, "type". */
  readonly type: string;
  readonly options: Readonly<Record<string, string>>;
}
