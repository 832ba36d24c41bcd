import type { Location } from './location.js';
import type { PassName } from './test-vector.js';

/** What is compared, each with its own count. */
export const aspects = [
  'program',
  'intent',
  'frames',
  'silence',
  'packet-ins',
  'counters',
  'cache',
  'connections',
  'macs',
  'ovn-trace',
] as const;
export type Aspect = (typeof aspects)[number];

/**
 * Comparisons of one aspect. `made + skipped` must equal `expected`, or the verdict is
 * inconclusive.
 */
export interface Count {
  readonly expected: number;
  readonly made: number;
  readonly skipped: number;
}
export type Counts = Readonly<Record<Aspect, Count>>;

export type Verdict =
  | { readonly kind: 'conforms'; readonly counts: Counts }
  | {
      readonly kind: 'diverges';
      readonly counts: Counts;
      readonly differences: readonly Difference[];
    }
  | {
      readonly kind: 'inconclusive';
      readonly counts: Counts;
      readonly cause: string;
      readonly evidence: readonly string[];
    };
/** `known-divergence`: of a vector whose divergence people know, with its cause and a last day. */
export type VerdictKind = Verdict['kind'] | 'known-divergence';

/** One thing that two levels say differently. */
export interface Difference extends Finding {
  /** Where the two first diverge, as far as it is known. */
  readonly at?: Location;
  /** It follows from an earlier difference of the same vector. */
  readonly afterDivergence: boolean;
}

/** A difference as a checker finds it, before it is located. */
export interface Finding<About extends string = Aspect> {
  readonly aspect: About;
  /**
   * Which two levels diverge: intent from the model or the switch, or the switch from the model,
   * or from the switches that it was compared with instead (`--compare`). OpenFlow: model and
   * switch, which agree.
   */
  readonly between:
    | 'intent and model'
    | 'intent and switch'
    | 'model and switch'
    | 'reference and switch'
    | 'OpenFlow and ovn-trace';
  /** The pass in which it showed; missing where it is about all of them, or about none. */
  readonly pass?: PassName;
  /** Index of the step at which it shows, where steps are compared one by one. */
  readonly step?: number;
  /** One sentence: what was expected and what was seen. */
  readonly summary: string;
  readonly expected: string;
  readonly actual: string;
}

export const noCounts: Counts = Object.fromEntries(
  aspects.map((aspect) => [aspect, { expected: 0, made: 0, skipped: 0 }]),
) as unknown as Counts;

/** Adds counts aspect by aspect. */
export function addCounts(all: readonly Counts[]): Counts {
  const sums = {} as Record<Aspect, Count>;
  for (const aspect of aspects) {
    let [expected, made, skipped] = [0, 0, 0];
    for (const { [aspect]: count } of all) {
      expected += count.expected;
      made += count.made;
      skipped += count.skipped;
    }
    sums[aspect] = { expected, made, skipped };
  }
  return sums;
}

/**
 * Which comparisons were neither made nor skipped for a reason; undefined when there are none such.
 */
export function whatIsMissing(counts: Counts): string | undefined {
  const missing = aspects.flatMap((aspect) => {
    const { expected, made, skipped } = counts[aspect];
    return made + skipped === expected ? [] : [`${made} of ${expected} comparisons of ${aspect}`];
  });
  return missing.length === 0 ? undefined : `only ${missing.join(' and ')} were made`;
}

/**
 * The verdict on what was compared: a difference is one whatever else is missing, and nothing
 * conforms as long as a comparison is.
 */
export function verdictOn(differences: readonly Difference[], counts: Counts): Verdict['kind'] {
  if (differences.length > 0) return 'diverges';
  return whatIsMissing(counts) === undefined ? 'conforms' : 'inconclusive';
}

/**
 * The verdict on a whole from its parts: one divergence makes it diverge, else one inconclusive
 * part makes it so; a known divergence does neither.
 */
export function worstVerdict(kinds: readonly VerdictKind[]): Verdict['kind'] {
  if (kinds.includes('diverges')) return 'diverges';
  if (kinds.includes('inconclusive') || kinds.length === 0) return 'inconclusive';
  return 'conforms';
}
