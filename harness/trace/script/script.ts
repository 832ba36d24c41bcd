/** What happens to a switch one after the other: packets, time, changes, and looks at what it holds. */
import type { SwitchCall } from '../../nouns/switching.js';
import type { Stimulus } from '../stimulus.js';

export interface ScriptStep {
  readonly file: string;
  readonly line: number;
  /** As it stands there, without comment. */
  readonly text: string;
  readonly command: Command;
}

export type Command =
  | { readonly kind: 'inject'; readonly stimulus: Stimulus }
  | { readonly kind: 'call'; readonly call: Exclude<SwitchCall, { readonly kind: 'receive' }> }
  | { readonly kind: 'dump'; readonly what: 'flows' | 'macs'; readonly bridge: string }
  /** Connections of all zones where none is named. */
  | { readonly kind: 'dump'; readonly what: 'connections'; readonly zone?: number };
