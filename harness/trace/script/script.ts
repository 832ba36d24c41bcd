/**
 * What happens to a switch one after the other: packets, time, changes, and readings of what it
 * holds.
 */
import type { SwitchCall } from '../../domain/switching.js';
import type { PacketStimulus } from '../packet-stimulus.js';
import type { SegmentCommand } from './tcp-talk.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import type { InitialConnection, InitialMac } from '../../dumps/initial-state.js';

export interface Script {
  readonly steps: readonly ScriptStep[];
  /** The switch with the ports that the script names, where nobody has listed its ports. */
  readonly target: DumpedSwitch;
  /** What it remembers when the script begins. */
  readonly initialState: InitialState;
}

/** Connections and learned addresses that a switch has to begin with. */
export interface InitialState {
  readonly connections: readonly InitialConnection[];
  readonly macs: readonly InitialMac[];
}

export interface ScriptStep {
  readonly file: string;
  readonly line: number;
  /** As it stands there, without comment. */
  readonly text: string;
  readonly command: Command;
}

export type Command =
  | { readonly kind: 'inject'; readonly stimulus: PacketStimulus }
  | SegmentCommand
  | { readonly kind: 'call'; readonly call: Exclude<SwitchCall, { readonly kind: 'receive' }> }
  | { readonly kind: 'dump'; readonly what: 'flows' | 'macs'; readonly bridge: string }
  /** Connections of all zones where none is named. */
  | { readonly kind: 'dump'; readonly what: 'connections'; readonly zone?: number };
