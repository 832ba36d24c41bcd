/**
 * The smallest northbound content that still shows a difference of one aspect: fewer stimuli, rows
 * and columns, then less in each of them.
 */
import type { OvnContent } from '../../domain/plan/ovn-content.js';
import type {
  NorthboundAtom,
  NorthboundRow,
  NorthboundValue,
} from '../../domain/plan/northbound-plan.js';
import { deltaDebug } from '../../search/delta-debug.js';
import { simplify } from '../../search/simplify.js';
import type { ContentAspect, ContentCase } from './content-case.js';
import { playContent, type ContentSides } from './play-content.js';

export interface ShrunkContent {
  /** What OVN held before; missing where that does not matter. */
  readonly before?: OvnContent;
  readonly content: OvnContent;
  readonly stimuli: ContentCase['stimuli'];
}

/** Each has OVN compile all of it twice. */
const triesMax = 80;

/**
 * @param before the case that OVN held then.
 * @throws Unavailable where OVN or a switch is gone.
 */
export async function shrinkContent(
  sides: ContentSides,
  failing: ContentCase,
  before: ContentCase | undefined,
  aspect: ContentAspect,
  seed: number,
): Promise<ShrunkContent> {
  let tries = 0;
  const shows = async ({ before: held, content, stimuli }: ShrunkContent): Promise<boolean> => {
    if (tries++ >= triesMax) return false;
    const { index } = failing;
    await playContent(sides, { index, content: held ?? nothing, stimuli: [] }, seed);
    const { differences } = await playContent(sides, { index, content, stimuli }, seed);
    return differences.some((one) => one.aspect === aspect);
  };
  const { content, stimuli } = failing;
  const alone: ShrunkContent = { content, stimuli };
  const whole =
    before === undefined || (await shows(alone)) ? alone : { ...alone, before: before.content };
  return await smallest(whole, shows);
}

const nothing: OvnContent = { rows: [], columns: {} };

/** @param shows whether a case still shows it. */
export async function smallest(
  whole: ShrunkContent,
  shows: (smaller: ShrunkContent) => Promise<boolean>,
): Promise<ShrunkContent> {
  let found = whole;
  found = {
    ...found,
    stimuli: await deltaDebug(found.stimuli, (stimuli) => shows({ ...found, stimuli })),
  };
  const held = found.before;
  if (held !== undefined)
    found = {
      ...found,
      before: withRows(
        held,
        await deltaDebug(held.rows, (rows) => shows({ ...found, before: withRows(held, rows) })),
      ),
    };
  const { content } = found;
  const kept = await deltaDebug(content.rows, (rows) =>
    shows({ ...found, content: withRows(content, rows) }),
  );
  const fewer = withRows(content, kept);
  const simpler = await simplify(fewer.rows, simplerRows, (rows) =>
    shows({ ...found, content: { ...fewer, rows } }),
  );
  const columns = await deltaDebug(Object.entries(fewer.columns), (some) =>
    shows({ ...found, content: { rows: simpler, columns: Object.fromEntries(some) } }),
  );
  return { ...found, content: { rows: simpler, columns: Object.fromEntries(columns) } };
}

/** With these rows alone: references to others go with them, and columns that refer to nothing. */
export function withRows(
  { rows: all, columns }: OvnContent,
  rows: readonly NorthboundRow[],
): OvnContent {
  const gone = new Set(all.map(({ id }) => id));
  for (const { id } of rows) gone.delete(id);
  const isThere = (one: NorthboundAtom) => typeof one !== 'object' || !gone.has(one.row);
  const left = (held: Readonly<Record<string, NorthboundValue>>) =>
    Object.fromEntries(
      Object.entries(held).flatMap(([column, value]): [string, NorthboundValue][] => {
        if (typeof value !== 'object' || 'map' in value) return [[column, value]];
        if ('row' in value) return isThere(value) ? [[column, value]] : [];
        return [[column, { set: value.set.filter(isThere) }]];
      }),
    );
  return {
    rows: rows.map((row) => ({ ...row, columns: left(row.columns) })),
    columns: Object.fromEntries(
      Object.entries(columns)
        .map(([id, held]) => [id, left(held)] as const)
        .filter(([, held]) => Object.keys(held).length > 0),
    ),
  };
}

/** A term of its match less, or without options. */
function simplerRows(row: NorthboundRow): readonly NorthboundRow[] {
  const { match, options, ...columns } = row.columns;
  const without =
    options === undefined
      ? []
      : [{ ...row, columns: { ...columns, ...(match === undefined ? {} : { match }) } }];
  if (typeof match !== 'string') return without;
  const joint = match.includes(') || (') ? ' || ' : ' && ';
  const terms = match.split(joint);
  const fewer = terms.length < 2 ? [] : terms.map((_, index) => terms.toSpliced(index, 1));
  return [
    ...without,
    ...fewer.map((some) => ({ ...row, columns: { ...row.columns, match: some.join(joint) } })),
  ];
}
