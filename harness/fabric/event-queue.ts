/**
 * What is to happen, by virtual time; what is due at the same instant stays in the order it was put
 * in.
 */
export interface EventQueue<Entry> {
  put(timeUs: number, entry: Entry): void;
  /**
   * The time of what comes next that is still `live`; entries that no longer are get thrown away
   * without time passing.
   */
  nextTime(live: (entry: Entry) => boolean): number | undefined;
  /** Takes out everything that is due at `timeUs`. */
  take(timeUs: number): readonly Entry[];
}

export function createEventQueue<Entry>(): EventQueue<Entry> {
  const instants = new Map<number, Entry[]>();
  return {
    put(timeUs, entry) {
      const due = instants.get(timeUs);
      if (due === undefined) instants.set(timeUs, [entry]);
      else due.push(entry);
    },
    nextTime(live) {
      for (const [timeUs, entries] of [...instants].sort(([a], [b]) => a - b)) {
        if (entries.some(live)) return timeUs;
        instants.delete(timeUs);
      }
      return undefined;
    },
    take(timeUs) {
      const due = instants.get(timeUs) ?? [];
      instants.delete(timeUs);
      return due;
    },
  };
}
