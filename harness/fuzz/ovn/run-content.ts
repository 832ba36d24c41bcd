/** A campaign of northbound content: cases in order on one cluster, and what they have shown. */
import { playContent, type ContentSides } from './play-content.js';
import type { ContentCase, ContentOutcome } from './content-case.js';

export interface ContentCampaign {
  readonly seed: number;
  /** Cases that are to be played, from number `first` on. */
  readonly count: number;
  readonly first: number;
  readonly draw: (index: number) => ContentCase;
  readonly onPlayed: (outcome: ContentOutcome) => void;
}

export interface ContentResult {
  readonly version: string;
  readonly cases: number;
  readonly flows: number;
  readonly packets: number;
  readonly traced: { readonly made: number; readonly skipped: number };
  /** How often each kind of content was there. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly findings: readonly ContentOutcome[];
  /** What the model refuses, and how often. */
  readonly refused: ReadonlyMap<string, number>;
}

/** More are likely to be the same again. */
const findingsMax = 20;

export async function runContent(
  sides: ContentSides,
  { seed, count, first, draw, onPlayed }: ContentCampaign,
): Promise<ContentResult> {
  const [kinds, refused] = [new Map<string, number>(), new Map<string, number>()];
  const findings: ContentOutcome[] = [];
  const sum = { cases: 0, flows: 0, packets: 0, traced: { made: 0, skipped: 0 } };
  for (let index = first; index < first + count && findings.length < findingsMax; index++) {
    const outcome = await playContent(sides, draw(index), seed);
    onPlayed(outcome);
    sum.cases++;
    sum.flows += outcome.flows;
    sum.packets += outcome.packets;
    sum.traced.made += outcome.traced.made;
    sum.traced.skipped += outcome.traced.skipped;
    for (const kind of new Set(outcome.kinds)) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    for (const why of outcome.refused) refused.set(why, (refused.get(why) ?? 0) + 1);
    if (outcome.differences.length > 0) findings.push(outcome);
  }
  return { version: sides.version, ...sum, kinds, findings, refused };
}
