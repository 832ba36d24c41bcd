/** A DHCP client's state, as its host keeps it. */
import type { InterfacePlan } from '../../domain/plan/host-plan.js';

/** What the client waits for. */
export interface DhcpClient {
  readonly state: 'selecting' | 'requesting';
  readonly via: InterfacePlan;
  readonly message: Uint8Array;
  readonly transmissions: number;
}
