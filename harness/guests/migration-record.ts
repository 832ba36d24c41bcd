/** What is known of a migration once it is over. */
import type { Lease } from '../domain/observation.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { PortAt, SeenFrame } from './live-network.js';

/** What happened, in the order in which it does. */
export const momentNames = [
  'the guests talk',
  'the target is there',
  'the migration is asked for',
  'the guest stops on the source',
  'the guest runs on the target',
  'KubeVirt says so, and OVN has programmed it',
  'the source is gone',
  'the end',
] as const;
export type MomentName = (typeof momentNames)[number];

export interface MigrationRecord {
  /** Of this machine's clock, as frames have it. */
  readonly moments: Readonly<Record<MomentName, number>>;
  /** Whether L0 promises the client an answer to a ping, from that moment on. */
  readonly promises: readonly { readonly fromMs: number; readonly isPromised: boolean }[];
  readonly seen: readonly SeenFrame[];
  readonly client: HostPlan;
  readonly clientPort: PortAt;
  readonly machine: HostPlan;
  readonly source: PortAt;
  readonly target: PortAt;
  readonly promisedLease: Lease;
  /** `name=value` a line, as its DHCP client has it. */
  readonly lease: readonly string[];
}
