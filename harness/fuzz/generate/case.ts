/** A case out of a seed: flows that lead to one another, groups, and frames that meet them. */
import { randomFor, type Random } from '../../base/random.js';
import type { Attributes } from '../../openflow/attributes.js';
import { printFlow, printFlowKey, type Flow } from '../../openflow/flow.js';
import { printGroup } from '../../openflow/groups.js';
import type { FuzzCase } from '../case.js';
import { drawActions, lastTable, type Around } from './actions.js';
import { drawConjunctions } from './conjunctions.js';
import { chance, pick, times } from './draw.js';
import { drawFrames } from './frames.js';
import { drawGroups } from './groups.js';
import { drawMatch } from './match.js';
import { drawPool, type Pool } from './pool.js';

const plain: Attributes = { cookie: 0n, idleTimeout: 0, hardTimeout: 0, importance: 0, flags: [] };
const framesACase = { least: 20, most: 36 } as const;

/** Case `index` of a seed: the same on every machine, whatever else is drawn. */
export function drawCase(seed: number, index: number): FuzzCase {
  const random = randomFor(seed, `case ${index}`);
  const pool = drawPool(random);
  const groups = drawGroups(random, pool);
  const around: Around = { pool, groups: groups.map(({ id }) => id), depth: 2 };
  const flows = drawFlows(random, pool, around);
  const first = flows.filter(({ table }) => table === 0).map(({ match }) => match);
  return {
    groups: groups.map((group) => printGroup(group)),
    flows: flows.map(printFlow),
    frames: drawFrames(random, random.integer(framesACase.least, framesACase.most), pool, first.length === 0 ? [[]] : first),
  };
}

function drawFlows(random: Random, pool: Pool, around: Around): readonly Flow[] {
  const singles = times(random.integer(3, 14), () => {
    const [table, match] = [drawTable(random), drawMatch(random, pool)];
    return { table, match, priority: drawPriority(random), actions: drawActions(random, match, table, around) };
  });
  const together = chance(random, 30) ? drawConjunctions(random, pool, (match, table) => drawActions(random, match, table, around)) : [];
  const rest = times(lastTable + 1, (table) => table).filter((table) => chance(random, table === 0 ? 85 : 60)).map((table) => ({ table, match: [], priority: 0, actions: drawActions(random, [], table, around) }));
  const flows = [...singles, ...together, ...rest].map((flow): Flow => ({ ...plain, ...flow, cookie: chance(random, 10) ? BigInt(random.integer(1, 0xffff)) : 0n }));
  // What OpenFlow takes for one flow is one.
  return [...new Map(flows.map((flow) => [printFlowKey(flow), flow])).values()];
}

function drawTable(random: Random): number {
  return chance(random, 45) ? 0 : random.integer(1, lastTable);
}

/** Two flows of one priority are rare: which of them is taken is the switch's own business where both match. */
function drawPriority(random: Random): number {
  return chance(random, 95) ? random.integer(1, 0xffff) : pick(random, [100, 200]);
}
