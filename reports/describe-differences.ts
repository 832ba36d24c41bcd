/** What several formats say alike. */
import { flowText, locationKey, placeText, reasonLines } from '../harness/domain/location.js';
import { countPromises } from '../harness/domain/promise-kind.js';
import { aspects, type Aspect, type Counts, type Difference } from '../harness/domain/verdict.js';
import type { RunReport, ScenarioReport } from '../harness/run/records/run-report.js';
import type { VectorReport, Inconclusive, OnKernel } from '../harness/run/judging/vector-report.js';

/** `antrea/encap nodes=2 tunnel=geneve` */
export function scenarioLabel({ name, axes }: Pick<ScenarioReport, 'name' | 'axes'>): string {
  return [name, ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`)].join(' ');
}

/** What is compared of each aspect, in the plural. */
const names: Readonly<Record<string, string>> = {
  program: 'flows, groups and meters',
  intent: 'promises',
  silence: 'silent ports',
  'packet-ins': 'packet-ins',
  cache: 'cached passes',
  macs: 'learned MACs',
  'ovn-trace': 'packets by ovn-trace',
};

export function aspectName(aspect: Aspect): string {
  return names[aspect] ?? aspect;
}

/** The aspects that there was something to compare of. */
export function comparedAspects(counts: Counts): readonly {
  readonly aspect: Aspect;
  readonly expected: number;
  readonly made: number;
  readonly skipped: number;
}[] {
  return aspects.flatMap((aspect) =>
    counts[aspect].expected === 0 ? [] : [{ aspect, ...counts[aspect] }],
  );
}

/** How many consequences of a difference are printed. */
const maxFollowing = 8;

/** First in words, then where, then what else follows from it. */
export function describeDifferences(differences: readonly Difference[]): readonly string[] {
  const following = differences.filter(({ afterDivergence }) => afterDivergence);
  const hidden = following.length - maxFollowing;
  return [
    ...differences.filter(({ afterDivergence }) => !afterDivergence).flatMap(describeDifference),
    ...(following.length === 0
      ? []
      : [
          '',
          `${following.length} more that follow from it:`,
          ...following
            .slice(0, maxFollowing)
            .map(({ between, summary }) => `- ${between}: ${summary}`),
          ...(hidden > 0 ? [`- … and ${hidden} more`] : []),
        ]),
  ];
}

/** `model and switch diverge: in the sibling pass, a frame is missing …` */
export function headlineOf(difference: Difference): string {
  return `${difference.between} diverge: ${summaryIn(difference)}`;
}

/** What a difference is, and in which pass where it is not the first. */
export function summaryIn({ pass, summary }: Pick<Difference, 'pass' | 'summary'>): string {
  return pass === undefined || pass === 'cold' ? summary : `in the ${pass} pass, ${summary}`;
}

export function describeDifference(difference: Difference): readonly string[] {
  const { expected, actual, at } = difference;
  return [
    headlineOf(difference),
    `expected  ${expected}`,
    `actual    ${actual}`,
    ...(at === undefined
      ? []
      : [
          `first at  ${placeText(at)}`,
          ...[flowText(at), ...reasonLines(at)]
            .filter((line) => line !== '')
            .map((line) => `          ${line}`),
        ]),
  ];
}

/** What a kernel did with a vector that had diverged on the sim, in one line. */
export function describeOnKernel({ kind, what }: OnKernel): string {
  switch (kind) {
    case 'confirmed':
      return `confirmed on a kernel: ${what}`;
    case 'model only':
      return `model only: ${what}`;
    case 'inconclusive':
      return `not played on a kernel: ${what}`;
  }
}

export function describeInconclusive({
  cause,
  evidence,
  remedies,
}: Inconclusive): readonly string[] {
  return [cause, ...evidence, ...remedies.map((remedy) => `- ${remedy}`)];
}

/** Vectors by the first word of their id, in order of appearance. */
export function groupsOf<Vector extends Pick<VectorReport, 'id'>>(
  vectors: readonly Vector[],
): readonly (readonly [string, readonly Vector[]])[] {
  const found = new Map<string, Vector[]>();
  for (const vector of vectors) {
    const name = vector.id.split('/')[0] ?? vector.id;
    const group = found.get(name);
    if (group === undefined) found.set(name, [vector]);
    else group.push(vector);
  }
  return [...found];
}

/** What a group of vectors was promised: `must pass`, `must not pass`, or how many of each. */
export function describePromises(vectors: readonly Pick<VectorReport, 'intent'>[]): string {
  return countPromises(vectors.map(({ intent }) => intent));
}

/** `default/web:http (no vector sends to it)`: Services that nothing is known of behind the run. */
export function describeUntestedServices({
  services,
}: Pick<ScenarioReport, 'services'>): readonly string[] {
  return (services?.notAsked ?? []).map(({ name, why }) => `${name} (${why})`);
}

/** `own-node-egress in 4 vectors: …`, for the known divergences of a control plane. */
export function describeKnown({ known = [], vectors }: ScenarioReport): readonly string[] {
  return [
    ...known.map(
      ({ name, cause, vectors: count }) =>
        `${name} in ${count} vector${count === 1 ? '' : 's'}: ${cause}`,
    ),
    ...vectors.flatMap(({ id, knownDivergence }) =>
      knownDivergence === undefined
        ? []
        : [`${id} diverges: ${knownDivergence.cause} (until ${knownDivergence.expires})`],
    ),
  ];
}

/** Whether the host's network could reach into the switches, and why it could. */
export function describeIsolation({ network, why }: NonNullable<RunReport['isolation']>): string {
  if (network === 'own') return 'switches are isolated from that of the host';
  return `switches share that of the host${why === undefined ? '' : `: ${why}`}`;
}

/** What some vectors have in common: their first differences are alike and stand at one place. */
export interface Finding {
  /** The first vector's. */
  readonly difference: Difference;
  readonly ids: readonly string[];
  /** What a kernel did with the first of them, where one was asked. */
  readonly onKernel?: OnKernel;
}

/**
 * The vectors that diverge, by where they first do; each flow that differed right after programming
 * is reported apart from them.
 */
export function findingsOf({ vectors }: ScenarioReport): readonly Finding[] {
  const found = new Map<
    string,
    { readonly difference: Difference; readonly ids: string[]; onKernel?: OnKernel }
  >();
  for (const { id, differences, verdict, onKernel } of vectors) {
    const [difference] = differences;
    if (difference === undefined || verdict === 'known-divergence') continue;
    const { at, between, summary } = difference;
    const key = at === undefined ? `${between} ${summary}` : `${between} ${locationKey(at)}`;
    const known = found.get(key);
    if (known === undefined)
      found.set(key, { difference, ids: [id], ...(onKernel === undefined ? {} : { onKernel }) });
    else {
      known.ids.push(id);
      if (onKernel !== undefined) known.onKernel ??= onKernel;
    }
  }
  return [...found.values()];
}

/**
 * Vectors without a verdict by their cause, in order of appearance: one cause often costs all that
 * comes after it.
 */
export function causesOf(
  scenario: ScenarioReport,
): readonly { readonly inconclusive: Inconclusive; readonly ids: readonly string[] }[] {
  const found = new Map<string, { readonly inconclusive: Inconclusive; readonly ids: string[] }>();
  if (scenario.inconclusive !== undefined)
    found.set(scenario.inconclusive.cause, { inconclusive: scenario.inconclusive, ids: [] });
  for (const { id, inconclusive } of scenario.vectors) {
    if (inconclusive === undefined) continue;
    const known = found.get(inconclusive.cause);
    if (known === undefined) found.set(inconclusive.cause, { inconclusive, ids: [id] });
    else known.ids.push(id);
  }
  return [...found.values()];
}
