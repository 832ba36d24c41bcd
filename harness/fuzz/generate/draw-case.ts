/** A case out of a seed: flows that lead to one another, groups, and frames that meet them. */
import { randomFor, type Random } from '../../base/random.js';
import type { Attributes } from '../../openflow/flows/flow-attributes.js';
import type { Behaviour } from '../../model/behaviour.js';
import { printFlowKey, type Flow } from '../../openflow/flows/flow.js';
import { printGroup } from '../../openflow/groups/print-group.js';
import type { FuzzCase } from '../fuzz-case.js';
import { drawActions } from './draw-actions.js';
import { lastTable, type ActionContext } from './action-context.js';
import { drawConjunctions } from './draw-conjunctions.js';
import { chance, pick, times } from './weighted.js';
import { drawFrames } from './draw-frames.js';
import { drawGroups } from './draw-groups.js';
import { drawMatch } from './draw-match.js';
import { drawPool, type Pool } from './draw-pool.js';
import { drawTargetedFlows, type DrawnFlow } from './draw-targeted-flows.js';
import { writtenFlow } from './written-flow.js';

const plain: Attributes = { cookie: 0n, idleTimeout: 0, hardTimeout: 0, importance: 0, flags: [] };
const framesPerCase = { least: 20, most: 36 } as const;

/**
 * Case `index` of a seed: the same on every machine, whatever else is drawn; on versions with fewer
 * registers with other ones.
 */
export function drawCase(
  seed: number,
  index: number,
  behaviour: Pick<Behaviour, 'registers'>,
): FuzzCase {
  const random = randomFor(seed, `case ${index}`);
  const pool = drawPool(random, behaviour);
  const groups = drawGroups(random, pool);
  const around: ActionContext = { pool, groups: groups.map(({ id }) => id), depth: 2 };
  const flows = drawFlows(random, pool, around);
  const targeted = drawTargetedFlows(random, index, around);
  const first = flows.filter(({ table }) => table === 0).map(({ match }) => match);
  return {
    groups: groups.map((group) => printGroup(group)),
    flows: uniqueFlows(random, [...flows, ...targeted.flatMap((each) => each.flows)]).map(
      writtenFlow,
    ),
    beyond: uniqueFlows(random, drawBeyond(random, pool)).map(writtenFlow),
    steps: intersperse(
      random,
      drawFrames(
        random,
        random.integer(framesPerCase.least, framesPerCase.most),
        pool,
        first.length === 0 ? [[]] : first,
      ),
      targeted.flatMap(({ packets }) => packets),
    ),
  };
}

function drawFlows(random: Random, pool: Pool, around: ActionContext): readonly DrawnFlow[] {
  const singles = times(random.integer(3, 14), () => {
    const [table, match] = [drawTable(random), drawMatch(random, pool)];
    return {
      table,
      match,
      priority: drawPriority(random),
      actions: drawActions(random, match, table, around),
    };
  });
  const together = chance(random, 30)
    ? drawConjunctions(random, pool, (match, table) => drawActions(random, match, table, around))
    : [];
  const rest = times(lastTable + 1, (table) => table)
    .filter((table) => chance(random, table === 0 ? 85 : 60))
    .map((table) => ({
      table,
      match: [],
      priority: 0,
      actions: drawActions(random, [], table, around),
    }));
  return [...singles, ...together, ...rest];
}

/** What OpenFlow takes for one flow is one. */
function uniqueFlows(random: Random, drawn: readonly DrawnFlow[]): readonly Flow[] {
  const flows = drawn.map(
    (flow): Flow => ({
      ...plain,
      ...flow,
      cookie: chance(random, 10) ? BigInt(random.integer(1, 0xffff)) : 0n,
    }),
  );
  return [...new Map(flows.map((flow) => [printFlowKey(flow), flow])).values()];
}

/** A few flows, if any, for what goes through the patch port. */
function drawBeyond(random: Random, pool: Pool): readonly DrawnFlow[] {
  if (chance(random, 50)) return [];
  const around: ActionContext = { pool, groups: [], depth: 1 };
  return times(random.integer(1, 4), (index) => {
    const [table, match] = [
      index === 0 ? 0 : random.integer(0, 2),
      index === 0 ? [] : drawMatch(random, pool),
    ];
    return {
      table,
      match,
      priority: index === 0 ? 0 : drawPriority(random),
      actions: drawActions(random, match, table, around),
    };
  });
}

/** `others`, each at a place of its own among `all`. */
function intersperse<T>(random: Random, all: readonly T[], others: readonly T[]): readonly T[] {
  return others.reduce<readonly T[]>(
    (list, other) => list.toSpliced(random.integer(0, list.length), 0, other),
    all,
  );
}

function drawTable(random: Random): number {
  return chance(random, 45) ? 0 : random.integer(1, lastTable);
}

/**
 * Two flows of one priority are rare: which of them is taken is the switch's own business where
 * both match.
 */
function drawPriority(random: Random): number {
  return chance(random, 95) ? random.integer(1, 0xffff) : pick(random, [100, 200]);
}
