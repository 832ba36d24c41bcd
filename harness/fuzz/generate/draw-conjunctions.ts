import type { Random } from '../../base/random.js';
import type { Flow } from '../../openflow/flows/flow.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import type { Action } from '../../openflow/actions/actions.js';
import { exactly, type Match } from '../../openflow/match/match.js';
import { lastTable } from './action-context.js';
import { chance, pick, times } from './weighted.js';
import { drawBeside, inOrder } from './draw-match.js';
import type { Pool } from './draw-pool.js';

type Drawn = Pick<Flow, 'table' | 'priority' | 'match' | 'actions'>;

/**
 * Flows of one or two conjunctions in a table: clauses of two or three dimensions over one kind of
 * packet, some of both conjunctions or of another priority, and a flow for each conjunction
 * (ovs-fields(7), "Conjunctive Match Fields").
 */
export function drawConjunctions(
  random: Random,
  pool: Pool,
  then: (match: Match, table: number) => readonly Action[],
): readonly Drawn[] {
  const table = random.integer(0, lastTable);
  const kind = pick(random, pool.kinds);
  const ids = chance(random, 50) ? [11] : [11, 12];
  const clauses = random.integer(2, 3);
  const priority = random.integer(200, 400);
  const parts = times(clauses, (clause) =>
    times(
      random.integer(1, 3),
      (): Drawn => ({
        table,
        priority: chance(random, 85) ? priority : priority - 1,
        match: drawBeside(random, pool, kind, clause === 0 ? 1 : 2),
        actions: drawOwners(random, ids).map(
          (id): Action => ({ kind: 'conjunction', id, clause: clause + 1, clauses }),
        ),
      }),
    ),
  ).flat();
  const found = ids.map((id): Drawn => {
    const match = inOrder([...kind, exactly(fieldCalled('conj_id'), id)]);
    return { table, priority: random.integer(1, 450), match, actions: then(match, table) };
  });
  return [...parts, ...found];
}

function drawOwners(random: Random, ids: readonly number[]): readonly number[] {
  return chance(random, 40) ? ids : [pick(random, ids)];
}
