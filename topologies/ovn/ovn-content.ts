/** Northbound content beside that of a network, as data. */
import type { NorthboundRow, NorthboundValue } from '../../harness/domain/plan/northbound-plan.js';

export interface OvnContent {
  readonly rows: readonly NorthboundRow[];
  /** Columns of rows that the network has, by the id of each. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, NorthboundValue>>>>;
}
