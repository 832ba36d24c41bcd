/** What the datapath is left to do once a packet is translated. */
import type { DatapathPacket } from './datapath-packet.js';
import type { Frozen } from '../frozen.js';
import type { FrameRun } from '../frame-run.js';

/** What executes actions of the datapath. */
export interface DatapathExecution {
  readonly frameRun: FrameRun;
  /** Of the datapath's packet. */
  packetState: DatapathPacket;
  /** An xlate of its own, after this one. */
  readonly recirculate: (frozen: Frozen) => void;
  /** Where it continues from, for a fragment that does. */
  readonly reassemblyKey?: string;
}

/**
 * What the datapath does once a packet is translated, with so many others `behind`; a packet that a
 * meter drops, or that waits for others, is gone for all of them.
 */
export type OdpAction = (behind: number) => 'dropped' | void;

export function executeActions(actions: readonly OdpAction[], behind = 0): 'dropped' | undefined {
  for (let index = 0; index < actions.length; index++)
    if (actions[index]?.(actions.length - index - 1 + behind) === 'dropped') return 'dropped';
  return undefined;
}
