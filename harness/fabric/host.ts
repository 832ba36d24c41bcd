/**
 * A host's network stack as data and effects: a pod's or a node's own. Each entry point takes the host and what
 * happened and returns what the host does about it; the event loop carries that out. Behaves as a Linux stack with
 * default settings does.
 */
import type { HostNote } from '../nouns/observation.js';
import type { HostPlan, InterfacePlan } from '../nouns/plan.js';

export interface Host {
  readonly plan: HostPlan;
  /** What ARP knows, by IP address. */
  readonly neighbours: Map<string, Neighbour>;
  /** Drawn once a vector, so that frames tell vectors apart. */
  readonly random: Draws;
}

/** Numbers that the sender of a vector puts into its frames. */
export interface Draws {
  readonly identifier: number;
  readonly srcPort: number;
  readonly payload: Uint8Array;
}

export type Neighbour =
  | { readonly kind: 'known'; readonly mac: string }
  /** Asked for; `waiting` goes out once the answer is there. `probes` requests were sent so far. */
  | { readonly kind: 'asking'; readonly probes: number; readonly waiting: readonly Waiting[] };

/** An IP packet that waits for the MAC address of its next hop. */
export interface Waiting {
  readonly via: InterfacePlan;
  readonly packet: Uint8Array;
}

export type Effect =
  | { readonly kind: 'send'; readonly via: InterfacePlan; readonly frame: Uint8Array }
  /** Wakes the host after `delayUs` to see whether `ip` has answered since. */
  | { readonly kind: 'wake'; readonly delayUs: number; readonly via: InterfacePlan; readonly ip: string; readonly probes: number }
  | { readonly kind: 'note'; readonly note: WithoutPlace<HostNote> };

/** A note before the event loop adds host and time to it. */
type WithoutPlace<Note> = Note extends unknown ? Omit<Note, 'host' | 'timeUs'> : never;

export function createHost(plan: HostPlan, random: Draws): Host {
  return { plan, random, neighbours: new Map() };
}

/** The interface that holds `ip`, if the address is the host's own. */
export function interfaceWith(host: Host, ip: string): InterfacePlan | undefined {
  return host.plan.interfaces.find((candidate) => candidate.ip === ip);
}
