import type { Teardown } from '../base/concurrency/teardown.js';
import type { SwitchStep } from '../domain/switching.js';
import type { Version } from '../ovs/openflow/openflow-messages.js';
import type { Switches } from './testbed.js';

export interface OpenOptions {
  /**
   * Closes them when the program ends by another way than close(): queued before anything is
   * brought up.
   */
  readonly teardown?: Teardown;
  /** What close() does with the folder of sockets, databases and logs. */
  readonly folder?: 'remove' | 'keep';
  /** What a reset does with flows and groups; by default they are brought back. */
  readonly program?: ProgramUse;
  /** A fault on the wire: changes what came out of a node's ports before anyone sees it. */
  readonly wire?: (step: SwitchStep, node: string) => SwitchStep;
}
export interface DaemonLog {
  /** `k8s-node-1/ovs-vswitchd.log` */
  readonly name: string;
  readonly text: string;
}
/** Open vSwitch at hand: its daemons, for those who inspect them or harm them. */

export interface OvsSwitches extends Switches {
  /**
   * Where each node's folder is (`nodeFolder`), with the sockets that ovs-ofctl and ovs-appctl
   * take.
   */
  readonly dir: string;
  /** Process ids by node. */
  readonly daemons: ReadonlyMap<string, { readonly vswitchd: number; readonly server: number }>;
  /** Process ids of OVN's daemons, by name; missing where none run. */
  readonly ovnDaemons?: ReadonlyMap<string, number>;
  /** `ovs-ofctl COMMAND BRIDGE ARGS…` on one node, behind the back of the program; its output. */
  ofctl(node: string, bridge: string, command: string, ...args: readonly string[]): Promise<string>;
  /**
   * What one node's ovs-vswitchd answers, as `ovs-appctl` asks it. @throws InputError with its
   * words where it refuses.
   */
  ask(node: string, command: string, ...args: readonly string[]): Promise<string>;
  /**
   * What `ovs-ofctl -O OpenFlow15 --no-names dump-flows` prints of one node's bridge, with all
   * packets counted.
   */
  dumpFlows(node: string, bridge: string): Promise<string>;
  /**
   * Throws away what the datapaths have cached, once it has counted: the next packets are
   * translated again.
   */
  purge(): Promise<void>;
  /**
   * Sends messages of OpenFlow as they are to one node's bridge. @throws InputError with the errors
   * that the switch answers with.
   */
  send(
    node: string,
    bridge: string,
    version: Version,
    messages: readonly Uint8Array[],
  ): Promise<void>;
  /** Everything that the daemons have printed; after close() as it was then. */
  logs(): Promise<readonly DaemonLog[]>;
}
/**
 * `brought back`: a reset makes flows and groups what they were, whatever packets, time and changes
 * have done to them. `replaced`: whoever plays replaces them before each reset, so that nothing is
 * kept of them, and does without what is cached: where flows remember, it is thrown away.
 * `replaced, never cached`: the same, and each packet is translated.
 */
export type ProgramUse = 'brought back' | 'replaced' | typeof neverCached;
export const neverCached = 'replaced, never cached';
