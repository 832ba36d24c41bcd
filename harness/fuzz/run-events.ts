/**
 * Random timelines of a cluster, a few at a time, each on switches of its own; one that does not
 * conform is shrunk to a minimal one.
 */
import type { Sequence } from '../domain/timeline.js';
import { addCounts, noCounts, type Counts } from '../domain/verdict.js';
import { playTimeline } from '../run/timeline/play-timeline.js';
import { type JudgedStep, type TimelineContext } from '../run/timeline/timeline-run.js';
import { deltaDebug } from '../search/delta-debug.js';

/** What happens in a timeline, of which any part is a timeline as well. */
export interface DrawnTimeline<DrawnEvent> {
  /** Who programs it; the stage's control plane by default. */
  readonly controlPlane?: TimelineContext['controlPlane'];
  readonly events: readonly DrawnEvent[];
  readonly sequenceOf: (drawnEvents: readonly DrawnEvent[]) => Sequence;
}

export interface EventsCampaign<DrawnEvent> {
  readonly context: TimelineContext;
  /** Timeline `index` of a seed. */
  readonly draw: (index: number) => DrawnTimeline<DrawnEvent>;
  /** Timelines that are to be played, from number `first` on, which is 0 by default. */
  readonly count: number;
  readonly first?: number;
  /** Called for each timeline, in order. */
  readonly onPlayed?: (judged: readonly JudgedStep[]) => void;
  /** Called now and then: timelines so far. */
  readonly onProgress: (played: number, doing: string) => void;
}

export interface EventsFinding {
  /** Its number in the seed. */
  readonly index: number;
  /** The shortest timeline that still ends alike, step by step to where it parts. */
  readonly steps: readonly JudgedStep[];
}

export interface EventsResult {
  readonly timelines: number;
  readonly steps: number;
  readonly counts: Counts;
  /** How often what happened, and what was promised of what was sent. */
  readonly met: ReadonlyMap<string, number>;
  readonly findings: readonly EventsFinding[];
  /** Timelines that were aborted: never a pass. */
  readonly aborted: readonly AbortedTimeline[];
}

export interface AbortedTimeline {
  /** Its number in the seed. */
  readonly index: number;
  /** The step that has no verdict. */
  readonly step: string;
  readonly cause: string;
}

/** After as many the rest may well be the same again. */
const maxFindings = 3;

/** Timelines that are played at once: while switches of one work, another is judged. */
const timelinesAtOnce = 3;

export async function runEvents<DrawnEvent>(
  campaign: EventsCampaign<DrawnEvent>,
): Promise<EventsResult> {
  const [met, aborted, findings] = [
    new Map<string, number>(),
    [] as AbortedTimeline[],
    [] as EventsFinding[],
  ];
  const all: Counts[] = [noCounts];
  const total = { timelines: 0, steps: 0 };
  for await (const { index, drawn, judged } of playInOrder(campaign)) {
    campaign.onPlayed?.(judged);
    total.timelines++;
    total.steps += judged.length;
    all.push(...judged.map(({ counts }) => counts));
    for (const { step, intent } of judged)
      addOne(
        met,
        step.kind === 'vector'
          ? `${step.vector.stimulus.kind}: ${intent?.kind ?? 'nothing promised'}`
          : step.kind === 'cluster'
            ? kindOfChange(step.what)
            : step.kind,
      );
    const last = judged.at(-1);
    if (last?.inconclusive !== undefined)
      aborted.push({ index, step: last.id, cause: last.inconclusive.cause });
    if (last?.verdict !== 'diverges') continue;
    campaign.onProgress(index, `shortening timeline ${index}`);
    findings.push({
      index,
      steps: await shrinkTimeline(contextOf(campaign.context, drawn), drawn, last),
    });
    if (findings.length === maxFindings) break;
  }
  return { ...total, counts: addCounts(all), met, findings, aborted };
}

interface PlayedTimeline<DrawnEvent> {
  readonly index: number;
  readonly drawn: DrawnTimeline<DrawnEvent>;
  readonly judged: readonly JudgedStep[];
}

/**
 * Timelines as they were drawn, a few of them under way at any time; nobody is left under way when
 * no more are asked for.
 */
async function* playInOrder<DrawnEvent>({
  context,
  draw,
  count,
  first = 0,
  onProgress,
}: EventsCampaign<DrawnEvent>): AsyncGenerator<PlayedTimeline<DrawnEvent>> {
  const play = async (index: number): Promise<PlayedTimeline<DrawnEvent>> => {
    const drawn = draw(index);
    return {
      index,
      drawn,
      judged: await playTimeline(contextOf(context, drawn), drawn.sequenceOf(drawn.events)),
    };
  };
  const running: Promise<PlayedTimeline<DrawnEvent>>[] = [];
  try {
    for (let [index, begun] = [0, 0]; index < count; index++) {
      for (; begun < Math.min(count, index + timelinesAtOnce); begun++) {
        const played = play(first + begun);
        void played.catch(() => undefined); // it is reported when its turn comes
        running.push(played);
      }
      onProgress(index, 'playing');
      const [next] = running;
      if (next === undefined) return;
      yield await next;
      void running.shift();
    }
  } finally {
    await Promise.allSettled(running);
  }
}

function contextOf<DrawnEvent>(
  context: TimelineContext,
  { controlPlane = context.controlPlane }: DrawnTimeline<DrawnEvent>,
): TimelineContext {
  return { ...context, controlPlane };
}

/** Ends in a difference of the same aspect between the same levels. */
async function shrinkTimeline<DrawnEvent>(
  context: TimelineContext,
  { events: drawnEvents, sequenceOf }: DrawnTimeline<DrawnEvent>,
  last: JudgedStep,
): Promise<readonly JudgedStep[]> {
  const [wanted] = last.differences;
  const kept = await deltaDebug(drawnEvents, async (some) => {
    const end = (await playTimeline(context, sequenceOf(some))).at(-1);
    const [found] = end?.differences ?? [];
    return (
      found !== undefined && found.aspect === wanted?.aspect && found.between === wanted.between
    );
  });
  return await playTimeline(context, sequenceOf(kept));
}

/** `Pod shop/p3 goes` is one of `Pod goes`. */
function kindOfChange(what: string): string {
  return `${what.split(' ')[0] ?? ''} ${what.split(' ').at(-1) ?? ''}`;
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
