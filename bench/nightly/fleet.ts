/**
 * A night of 10,000 points on 100 machines, on paper: durations as a night recorded them, dealt to
 * machines by them, and drawn again with the noise that two nights of one machine have.
 */
import { randomFor } from '../../harness/base/random.js';
import { openStore } from '../../harness/history/store.js';
import { dealPoints } from '../../harness/run/shards/deal-points.js';
import { table } from '../describe-machine.js';

const [pointCount, machineCount, nightCount] = [10_000, 100, 40] as const;
/** Launching, loading images that are there, and merging a folder of 100 shards. */
const setUpS = 20;

interface Fleet {
  readonly noise: number;
  /** What durations are dealt by: those of the night before, or nothing. */
  readonly dealt: 'by durations' | 'by number';
}

/** @param store with at least one night that recorded durations. */
export async function estimateFleet(store: string): Promise<string> {
  const opened = await openStore(store);
  const recorded = await opened.query(
    `SELECT duration_ms FROM history WHERE level = 'point' AND duration_ms > 0`,
  );
  opened.close();
  const durationsS = recorded.map((row) => Number(row['duration_ms']) / 1000);
  const fleets: readonly Fleet[] = [0, 0.1, 0.3].flatMap((noise) =>
    (['by durations', 'by number'] as const).map((dealt) => ({ noise, dealt })),
  );
  const rows = fleets.map((fleet) => {
    const { medianS, worstS, idle } = simulate(fleet, durationsS);
    return [
      fleet.dealt,
      `${fleet.noise * 100} %`,
      minutes(medianS),
      minutes(worstS),
      `${(idle * 100).toFixed(0)} %`,
    ];
  });
  const totalS = (durationsS.reduce((sum, one) => sum + one, 0) / durationsS.length) * pointCount;
  return [
    `${pointCount.toLocaleString('en')} points on ${machineCount} machines, drawn from the ` +
      `durations of ${durationsS.length} recorded points; ${minutes(totalS)} on one machine`,
    '',
    table(['dealt', 'noise', 'median night', 'worst of 40', 'machines idle'], rows),
  ].join('\n');
}

function simulate(
  { noise, dealt }: Fleet,
  durationsS: readonly number[],
): { readonly medianS: number; readonly worstS: number; readonly idle: number } {
  const random = randomFor(Math.round(noise * 100), `fleet ${dealt}`);
  const usualS = Array.from(
    { length: pointCount },
    () => durationsS[random.integer(0, durationsS.length - 1)] ?? 0,
  );
  const shards = dealPoints(
    usualS.map((seconds, place) => ({
      label: String(place),
      durationMs: dealt === 'by durations' ? seconds * 1000 : undefined,
    })),
    machineCount,
  );
  const nights = Array.from({ length: nightCount }, () => {
    const loads = shards.map((places) =>
      places.reduce((sum, place) => {
        const factor = 1 + noise * (2 * (random.integer(0, 1_000_000) / 1_000_000) - 1) * 1.73;
        return sum + (usualS[place] ?? 0) * factor;
      }, setUpS),
    );
    return { longest: Math.max(...loads), busy: loads.reduce((sum, load) => sum + load, 0) };
  }).toSorted((a, b) => a.longest - b.longest);
  const middle = nights[Math.floor(nights.length / 2)];
  return {
    medianS: middle?.longest ?? NaN,
    worstS: nights.at(-1)?.longest ?? NaN,
    idle: 1 - (middle?.busy ?? 0) / ((middle?.longest ?? 1) * machineCount),
  };
}

function minutes(seconds: number): string {
  return seconds < 600 ? `${seconds.toFixed(0)} s` : `${(seconds / 60).toFixed(0)} min`;
}
