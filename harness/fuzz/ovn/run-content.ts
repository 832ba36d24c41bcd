/** A campaign of northbound content: cases in order on one cluster, and what they have shown. */
import { playContent, type ContentSides } from './play-content.js';
import type { ContentCase, ContentOutcome } from './content-case.js';
import { shrinkContent, type ShrunkContent } from './shrink-content.js';

export interface ContentCampaign {
  readonly seed: number;
  /** Cases that are to be played, from number `first` on. */
  readonly count: number;
  readonly first: number;
  readonly draw: (index: number) => ContentCase;
  readonly onPlayed: (outcome: ContentOutcome) => void;
  /** Whether findings are shrunk to minimal cases. */
  readonly findings: 'shrunk' | 'as they are';
}

export interface ContentFinding extends ContentOutcome {
  /** The minimal case, where it was asked for. */
  readonly shrunk?: ShrunkContent;
}

export interface ContentResult {
  readonly version: string;
  readonly cases: number;
  readonly flows: number;
  readonly packets: number;
  readonly traced: { readonly made: number; readonly skipped: number };
  /** How often each kind of content was there. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly findings: readonly ContentFinding[];
  /** How ovn-trace has ended itself, and how often. */
  readonly crashes: ReadonlyMap<string, number>;
  /** What ovn-trace supposes where something differs, and how often. */
  readonly supposed: ReadonlyMap<string, number>;
  /** What was not compared, and how often. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** What the model refuses, and how often. */
  readonly refused: ReadonlyMap<string, number>;
}

/** More are likely to be the same again. */
const findingsMax = 20;

export async function runContent(
  sides: ContentSides,
  { seed, count, first, draw, onPlayed, findings: how }: ContentCampaign,
): Promise<ContentResult> {
  const kinds = new Map<string, number>();
  const refused = new Map<string, number>();
  const crashes = new Map<string, number>();
  const supposed = new Map<string, number>();
  const leftOut = new Map<string, number>();
  const findings: ContentFinding[] = [];
  let before: ContentCase | undefined;
  const sum = { cases: 0, flows: 0, packets: 0, traced: { made: 0, skipped: 0 } };
  for (let index = first; index < first + count && findings.length < findingsMax; index++) {
    const played = draw(index);
    const outcome = await playContent(sides, played, seed);
    onPlayed(outcome);
    sum.cases++;
    sum.flows += outcome.flows;
    sum.packets += outcome.packets;
    sum.traced.made += outcome.traced.made;
    sum.traced.skipped += outcome.traced.skipped;
    countEach(kinds, new Set(outcome.kinds));
    countEach(refused, outcome.refused);
    countEach(crashes, outcome.crashes);
    countEach(supposed, outcome.supposed);
    countEach(leftOut, outcome.leftOut);
    const [difference] = outcome.differences;
    if (difference !== undefined)
      findings.push(
        how === 'as they are'
          ? outcome
          : {
              ...outcome,
              shrunk: await shrinkContent(sides, played, before, difference.aspect, seed),
            },
      );
    before = played;
  }
  const counts = { kinds, refused, crashes, supposed, leftOut };
  return { version: sides.version, ...sum, ...counts, findings };
}

function countEach(counts: Map<string, number>, all: Iterable<string>): void {
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
}
