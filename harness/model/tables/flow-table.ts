import type { Subtable } from './classifier/subtable.js';
import type { Rule } from './classifier/rule.js';

export interface FlowTable {
  /** By falling priority, and in the order in which they came. */
  readonly rules: Rule[];
  /** By falling highest priority. */
  readonly subtables: Subtable[];
}
/** By number; those without a flow may be missing. */

export type FlowTables = Map<number, FlowTable>;
