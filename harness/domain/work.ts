/**
 * What switches need to carry packets: exact, and the same on every run. A path that needs more of
 * anything than before is a regression that no statistics has to show.
 */

export const workKinds = [
  /** Packets that ask the datapath's cache: as they come in, and each time they recirculate. */
  'lookups',
  /** Of these, again: behind the tracker, out of a tunnel, or where a flow makes them. */
  'recirculations',
  /** Passes through the connection tracker. */
  'conntrack',
  /** Of these, those that write addresses or ports. */
  'nat',
  'encapsulations',
  'decapsulations',
  /** Changes of headers by flows, those that are next to each other as one. */
  'rewrites',
  /** Frames that leave through ports. */
  'outputs',
  /** Of these, copies beside the first of the same frame. */
  'copies',
  /** Packets to controllers. */
  'controller',
] as const;
export type WorkKind = (typeof workKinds)[number];
export type Work = Readonly<Record<WorkKind, number>>;

export function noWork(): Record<WorkKind, number> {
  return Object.fromEntries(workKinds.map((kind) => [kind, 0])) as Record<WorkKind, number>;
}

export function sumOfWork(all: readonly Work[]): Work {
  const sum = noWork();
  for (const one of all) for (const kind of workKinds) sum[kind] += one[kind];
  return sum;
}

export function workSince(before: Work, now: Work): Work {
  const since = noWork();
  for (const kind of workKinds) since[kind] = now[kind] - before[kind];
  return since;
}

/** What a switch itself counts of it, since it came up; all nodes together. */
export interface CountedWork {
  readonly lookups: number;
  readonly recirculations: number;
  /** Packets that its cache did not know. */
  readonly upcalls: number;
}

/** Undefined where one of them does not say. */
export function sumOfCounted(all: readonly (CountedWork | undefined)[]): CountedWork | undefined {
  let sum: CountedWork | undefined = { lookups: 0, recirculations: 0, upcalls: 0 };
  for (const one of all)
    sum =
      one === undefined || sum === undefined
        ? undefined
        : {
            lookups: sum.lookups + one.lookups,
            recirculations: sum.recirculations + one.recirculations,
            upcalls: sum.upcalls + one.upcalls,
          };
  return sum;
}

export function countedSince(before: CountedWork, now: CountedWork): CountedWork {
  return {
    lookups: now.lookups - before.lookups,
    recirculations: now.recirculations - before.recirculations,
    upcalls: now.upcalls - before.upcalls,
  };
}
