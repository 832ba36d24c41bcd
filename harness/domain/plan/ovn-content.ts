/** Northbound content beside that of a network, as data. */
import type { NorthboundRow, NorthboundValue } from './northbound-plan.js';

export interface OvnContent {
  readonly rows: readonly NorthboundRow[];
  /** Columns of rows that the network has, by the id of each. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, NorthboundValue>>>>;
}
