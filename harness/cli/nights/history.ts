/** `flowbed history`: what changed from one night to another. */
import { readInput } from '../../base/files/read-input.js';
import { InputError, Unavailable, unknownName } from '../../base/errors/errors.js';
import { printedJson } from '../../base/text/visible.js';
import {
  judgeChanges,
  readAcknowledged,
  type Acknowledgement,
} from '../../history/acknowledged.js';
import { measureChanges } from '../../history/measure-changes.js';
import { changesBetween, type Change } from '../../history/changes.js';
import { keyOf, type HistoryRow } from '../../history/history-row.js';
import { messageOf } from '../../history/parquet.js';
import { openStore, type HistoryStore, type NightName } from '../../history/store.js';
import { renderChanges } from '../../../reports/render-changes.js';
import { renderVectorHistory } from '../../../reports/render-vector-history.js';
import { exitCodes, type Context } from '../context.js';

export interface HistoryOptions {
  readonly store: string;
  /** A night, a date, or `PROGRAM=VERSION`. */
  readonly since?: string;
  readonly images?: string;
  readonly sql?: string;
  /** A file that the page is written to. */
  readonly html?: string;
  /** A file of changes that are known, and the day on which they are judged. */
  readonly acknowledged?: string;
  readonly today?: string;
  readonly json?: boolean;
}

/** @returns 0 where nothing changed, 1 where something did, 3 where only flips without a cause. */
export async function history(
  context: Context,
  vector: string | undefined,
  options: HistoryOptions,
): Promise<number> {
  const store = await openStore(options.store);
  for (const note of store.notes) context.complain(`note: ${note}`);
  try {
    if (options.sql !== undefined) {
      for (const row of await store.query(options.sql).catch(asWrongQuery))
        context.print(JSON.stringify(row));
      return exitCodes.conforms;
    }
    if (options.html !== undefined)
      return await (await import('./history-page.js')).writePage(context, store, options.html);
    if (vector !== undefined) return await printVector(context, store, vector, options);
    return await printChanges(context, store, options);
  } finally {
    store.close();
  }
}

/** What DuckDB says of a query that it does not take. */
function asWrongQuery(error: unknown): never {
  if (error instanceof Unavailable) throw error;
  throw new InputError(`--sql: ${messageOf(error).split('\n').slice(0, 2).join(' ').trim()}`);
}

async function printVector(
  { print }: Context,
  store: HistoryStore,
  vector: string,
  { json }: HistoryOptions,
): Promise<number> {
  const rows = await store.rows('vector = $1 ORDER BY "at", night', [vector]);
  if (rows.length === 0) {
    const known = await store.query("SELECT DISTINCT vector FROM history WHERE vector <> ''");
    throw unknownName(
      'vector',
      vector,
      known.map((row) => String(row['vector'])),
    );
  }
  print(json === true ? printedJson(rows) : renderVectorHistory(vector, rows));
  return exitCodes.conforms;
}

async function printChanges(
  { print }: Context,
  store: HistoryStore,
  options: HistoryOptions,
): Promise<number> {
  const { before, now, changes: all } = await changesAsked(store, options);
  const { changes, ...entries } = judgeChanges(all, ...(await acknowledgedOf(options)));
  const measures =
    options.images === undefined
      ? measureChanges(await store.rows(`level = 'measure' ORDER BY "at", night`))
      : [];
  print(
    options.json === true
      ? printedJson({
          before,
          now,
          changes: changes.map(asJson),
          measures,
          unmatched: entries.unmatched,
        })
      : renderChanges({ before, now, changes, ...entries, measures }),
  );
  if (changes.length === 0) return measures.length === 0 ? exitCodes.conforms : exitCodes.diverges;
  return changes.some(({ explainedBy }) => explainedBy.length > 0)
    ? exitCodes.diverges
    : exitCodes.inconclusive;
}

/** The entries, and the day: none has expired where no day is given. */
async function acknowledgedOf({
  acknowledged,
  today = '',
}: HistoryOptions): Promise<[readonly Acknowledgement[], string]> {
  if (acknowledged === undefined) return [[], today];
  if (!/^\d{4}-\d{2}-\d{2}$/.test(today))
    throw new InputError(
      `--acknowledged needs the day on which entries expire: --today 2026-11-25, got "${today}"`,
    );
  const text = (await readInput(acknowledged)).toString('utf8');
  return [readAcknowledged(text, acknowledged), today];
}

function asJson({ row: _, ...change }: Change): Omit<Change, 'row'> {
  return change;
}

interface AskedChanges {
  readonly before: string;
  readonly now: string;
  readonly changes: readonly Change[];
}

async function changesAsked(store: HistoryStore, options: HistoryOptions): Promise<AskedChanges> {
  const last = store.nights.at(-1);
  if (last === undefined) throw new InputError(`there is no night in ${store.folder}`);
  const earlier = store.nights.slice(0, -1);
  if (options.images !== undefined) return await betweenImages(store, last.night, options.images);
  const { since } = options;
  if (since?.includes('=') === true) return await sinceVersion(store, since, last);
  const before =
    since === undefined ? earlier.at(-1) : earlier.findLast((night) => isAt(night, since));
  if (before === undefined)
    throw since === undefined
      ? new InputError(`there is one night in ${store.folder}: nothing to compare it with`)
      : unknownName(
          'night or date',
          since,
          earlier.map(({ night }) => night),
        );
  return {
    before: before.night,
    now: last.night,
    changes: changesBetween(...(await store.differing(before, last))),
  };
}

function isAt({ night, at }: NightName, since: string): boolean {
  return night === since || at.startsWith(since);
}

/** One night, two images: the same point otherwise. */
async function betweenImages(
  store: HistoryStore,
  night: string,
  text: string,
): Promise<AskedChanges> {
  const [a, b, ...more] = text.split(',');
  if (a === undefined || b === undefined || more.length > 0)
    throw new InputError(`--images: expected two, such as bookworm,trixie, got "${text}"`);
  const known = await textsOf(
    store,
    "SELECT DISTINCT image AS text FROM history WHERE level = 'point' AND night = $1 ORDER BY 1",
    [night],
  );
  for (const image of [a, b]) if (!known.includes(image)) throw unknownName('image', image, known);
  const side = (image: string) => ({ night, parts: [{ image }] });
  return {
    before: a,
    now: `${b} of ${night}`,
    changes: changesBetween(...(await store.differing(side(a), side(b))), withoutImage),
  };
}

/** The last night in which the program reported that version. */
async function sinceVersion(
  store: HistoryStore,
  text: string,
  last: NightName,
): Promise<AskedChanges> {
  const [program = '', version = ''] = text.split('=');
  // A point has the versions of its vectors, and there are far fewer of them.
  const [before] = await textsOf(
    store,
    `SELECT night AS text FROM history WHERE level = 'point' AND versions[$1] = $2 ` +
      'ORDER BY "at" DESC, night DESC LIMIT 1',
    [program, version],
  );
  if (before === undefined)
    throw unknownName(
      `version of ${program}`,
      version,
      await textsOf(
        store,
        'SELECT DISTINCT unnest(map_values(versions)) AS text FROM history ' +
          `WHERE level = 'point' ORDER BY 1`,
      ),
    );
  const partsOf = async (night: string, is: 'IS' | 'IS NOT') => {
    const rows = await store.query(
      `SELECT DISTINCT backend, image, machine FROM history WHERE level = 'point' AND night = $1 ` +
        `AND coalesce(versions[$2] = $3, false) ${is} true`,
      [night, program, version],
    );
    const parts = rows.map(({ backend, image, machine }) => ({
      backend: String(backend),
      image: String(image),
      machine: String(machine),
    }));
    return { night, parts };
  };
  return {
    before: `${program} ${version} of ${before}`,
    now: last.night,
    changes: changesBetween(
      ...(await store.differing(await partsOf(before, 'IS'), await partsOf(last.night, 'IS NOT'))),
      withoutImage,
    ),
  };
}

/** Of a query that has one column, `text`. */
async function textsOf(
  store: HistoryStore,
  sql: string,
  values: readonly string[] = [],
): Promise<readonly string[]> {
  return (await store.query(sql, values)).map((row) => String(row['text']));
}

function withoutImage(row: HistoryRow): string {
  return keyOf({ ...row, image: '' });
}
