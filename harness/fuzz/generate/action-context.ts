/** Where drawn actions stand. */
import type { Pool } from './draw-pool.js';

/** Where actions stand. */
export interface ActionContext {
  readonly pool: Pool;
  /** Groups that may be named. */
  readonly groups: readonly number[];
  /** How many actions may still stand in one another. */
  readonly depth: number;
}

export const lastTable = 7;
