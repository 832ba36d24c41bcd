/** Streams of datagrams: which of them were lost, and when. */
import type { TestVector } from '../domain/test-vector.js';
import type { ScenarioReport } from './records/run-report.js';
import type { VectorReport } from './judging/vector-report.js';

type Stream = NonNullable<ScenarioReport['streams']>[number];
type Loss = Stream['lost'][number];

/** Of which stream a vector is, and when it was sent; nothing where it was not played. */
export function streamOf(
  { stream, stimulus }: TestVector,
  beganMs: number | undefined,
): Pick<VectorReport, 'stream'> {
  if (stream === undefined) return {};
  const afterMs = stimulus.kind === 'udp' ? (stimulus.afterMs ?? 0) : 0;
  return {
    stream: { name: stream, sentMs: beganMs === undefined ? 0 : inWholeUs(beganMs + afterMs) },
  };
}

/** Virtual time counts these: sums of milliseconds have more digits. */
function inWholeUs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** By name, in the order in which they begin. */
export function streamsIn(vectors: readonly VectorReport[]): Pick<ScenarioReport, 'streams'> {
  const names = [...new Set(vectors.flatMap(({ stream }) => stream?.name ?? []))];
  if (names.length === 0) return {};
  return {
    streams: names.map((name): Stream => {
      const all = vectors.filter(({ stream }) => stream?.name === name);
      const played = all.filter(({ observed }) => observed !== undefined);
      return {
        name,
        sent: played.length,
        lost: lossesIn(played),
        notPlayed: all.length - played.length,
      };
    }),
  };
}

/** Runs of datagrams that are not answered. */
function lossesIn(played: readonly VectorReport[]): Loss[] {
  const losses: Loss[] = [];
  let open: Loss | undefined;
  for (const { id, stream, observed } of played) {
    if (observed?.kind === 'answered') {
      open = undefined;
      continue;
    }
    const [when = id] = id.split('/');
    const sentMs = stream?.sentMs ?? 0;
    if (open === undefined)
      losses.push((open = { datagrams: 0, fromMs: sentMs, untilMs: sentMs, during: [] }));
    open.datagrams++;
    open.untilMs = sentMs;
    if (open.during.at(-1) !== when) open.during.push(when);
  }
  return losses;
}
