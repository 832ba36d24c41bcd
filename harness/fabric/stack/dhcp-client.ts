/** The state of a client of DHCP or DHCPv6, as its host keeps it. */
import type { InterfacePlan } from '../../domain/plan/host-plan.js';

/** What the client waits for. */
export interface DhcpClient {
  readonly version: 4 | 6;
  readonly state: 'selecting' | 'requesting';
  readonly via: InterfacePlan;
  /** What it has sent, and sends once more where nobody answers in time. */
  readonly frame: Uint8Array;
  readonly patienceUs: number;
  readonly transmissions: number;
}
