/** What differs between two sets of rows, and whether an input explains it. */
import { keyOf, type HistoryRow } from './history-row.js';

export const changeKinds = [
  'verdict',
  'trace',
  'counters',
  'work',
  'convergence',
  'came',
  'went',
] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** One thing that changed, in all vectors of a point that it concerns. */
export interface Change {
  readonly kind: ChangeKind;
  readonly point: string;
  /** `conforms → diverges`, `n1 br-int table=70, …: 6 → 0 packets` */
  readonly what: string;
  /** Ids, in order; empty where it is about the point itself. */
  readonly vectors: readonly string[];
  /** Names of inputs that changed as well; none: the testbed is not deterministic. */
  readonly explainedBy: readonly string[];
  /** The first difference of the first vector now, where it has one. */
  readonly finding: string;
  readonly folders: readonly [before: string, now: string];
  /** Of the row that is there now, or was. */
  readonly row: HistoryRow;
}

/** `antrea/encap nodes=2 tunnel=geneve, sim:trixie, seed 1` */
export function pointOf({ scenario, axes, backend, image, seed }: HistoryRow): string {
  return `${[scenario, axes].join(' ').trim()}, ${backend}:${image}, seed ${seed}`;
}

/**
 * @param identity what makes two rows the same one; without the image where images are compared.
 */
export function changesBetween(
  before: readonly HistoryRow[],
  now: readonly HistoryRow[],
  identity: (row: HistoryRow) => string = keyOf,
): readonly Change[] {
  const old = new Map(before.map((row) => [identity(row), row]));
  const current = new Set(now.map(identity));
  const found = now.flatMap((row): readonly Single[] => {
    const earlier = old.get(identity(row));
    if (earlier === undefined) return [single('came', row, row, 'was not there before')];
    return changesOf(earlier, row);
  });
  const gone = before
    .filter((row) => !current.has(identity(row)))
    .map((row) => single('went', row, row, 'is no longer there'));
  return grouped([...found, ...gone]);
}

interface Single {
  readonly kind: ChangeKind;
  readonly what: string;
  readonly before: HistoryRow;
  readonly now: HistoryRow;
}

function single(kind: ChangeKind, before: HistoryRow, now: HistoryRow, what: string): Single {
  return { kind, before, now, what };
}

/**
 * What changed in one row. A verdict says more than all behind it; the trace says less than what
 * is named. Counters and convergence are two changes: one may hide the other.
 */
function changesOf(before: HistoryRow, now: HistoryRow): readonly Single[] {
  if (now.level === 'measure') return [];
  const changed = (kind: ChangeKind, what: string | undefined) =>
    what === undefined ? [] : [single(kind, before, now, what)];
  if (before.verdict !== now.verdict)
    return changed('verdict', `${before.verdict} → ${now.verdict}`);
  const counter = firstChanged(before.counters, now.counters);
  const found = [
    ...changed('counters', counter === undefined ? undefined : `${counter} packets`),
    ...changed('convergence', convergenceChanged(before, now)),
  ];
  if (found.length > 0) return found;
  const work = firstChanged(before.work, now.work);
  if (work !== undefined) return changed('work', work);
  if (before.trace === now.trace) return [];
  const names = [before.trace, now.trace].map((hash) => hash.slice(0, 8) || 'none');
  return changed('trace', now.level === 'vector' ? 'other observations' : names.join(' → '));
}

function convergenceChanged(before: HistoryRow, now: HistoryRow): string | undefined {
  return before.converged_us === now.converged_us
    ? undefined
    : `${before.converged_us ?? 'no'} → ${now.converged_us ?? 'no'} µs of virtual time`;
}

type Numbers = Readonly<Record<string, number>>;

/** `n1 br-int table=70, …: 6 → 0`, and how many more. */
function firstChanged(before: Numbers, now: Numbers): string | undefined {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
    .filter((name) => (before[name] ?? 0) !== (now[name] ?? 0))
    .sort();
  const [first] = names;
  if (first === undefined) return undefined;
  const more = names.length > 1 ? ` and ${names.length - 1} more` : '';
  return `${first}${more}: ${before[first] ?? 0} → ${now[first] ?? 0}`;
}

/** Vectors of a point with the same change are one. */
function grouped(all: readonly Single[]): readonly Change[] {
  const pointsWithVectors = new Set(
    all.filter(({ now }) => now.level === 'vector').map(({ now }) => pointOf(now)),
  );
  const groups = new Map<string, Single[]>();
  for (const one of all) {
    // What changed in a vector is what changed in its point.
    if (one.now.level === 'point' && pointsWithVectors.has(pointOf(one.now))) continue;
    const key = JSON.stringify([one.kind, pointOf(one.now), groupedBy(one), one.now.place]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group): readonly Change[] => {
    const [first] = group;
    if (first === undefined) return [];
    const { kind, before, now, what } = first;
    return [
      {
        kind,
        point: pointOf(now),
        what,
        vectors: group.flatMap(({ now: { vector } }) => (vector === '' ? [] : [vector])),
        explainedBy:
          kind === 'came' || kind === 'went' ? ['the matrix'] : inputsChanged(before, now),
        finding: [now.place, now.summary].filter((part) => part !== '').join(': '),
        folders: [before.folder, now.folder],
        row: now,
      },
    ];
  });
}

/** Counters differ in many flows for one reason: they are one group a point. */
function groupedBy({ kind, what }: Single): string {
  return kind === 'verdict' ? what : '';
}

/** Names of the inputs that differ. */
export function inputsChanged(before: HistoryRow, now: HistoryRow): readonly string[] {
  const names = [...new Set([...Object.keys(before.inputs), ...Object.keys(now.inputs)])];
  return names.filter((name) => before.inputs[name] !== now.inputs[name]).sort();
}
