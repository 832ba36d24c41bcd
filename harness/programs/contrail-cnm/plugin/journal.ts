/**
 * The plugin's only state: which calls are in progress. A call that is begun and not ended when the
 * plugin starts was cut off by its end; one that has failed to undo what it made stays as well.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** What of a call is needed to undo it, or to finish it. */
export const journalCall = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('create network'), hnsNetwork: z.string() }),
  z.object({ kind: z.literal('delete network'), networkId: z.string() }),
  z.object({ kind: z.literal('create endpoint'), endpointId: z.string() }),
  z.object({ kind: z.literal('delete endpoint'), endpointId: z.string() }),
  z.object({ kind: z.literal('request address'), name: z.string() }),
  z.object({ kind: z.literal('release address'), poolId: z.string(), ip: z.string() }),
]);
export type JournalCall = z.infer<typeof journalCall>;

export interface JournalEntry {
  readonly id: number;
  readonly call: JournalCall;
  /** `cut off` by an end of the plugin, or one whose work could not be done. */
  readonly state: 'in progress' | 'left over';
}

export interface Journal {
  /** Before anything is done. */
  begin(call: JournalCall): number;
  end(id: number): void;
  /** It has to be undone or finished later. */
  leave(id: number): void;
  entries(): readonly JournalEntry[];
}

const line = z.union([
  z.object({ begin: z.number(), call: journalCall }),
  z.object({ end: z.number() }),
]);

/**
 * A line a change, appended: what a killed plugin has half written is its last line, and says
 * nothing.
 */
export function openJournal(file: string): Journal {
  const open = new Map(readEntries(file).map((entry) => [entry.id, entry]));
  let next = Math.max(0, ...open.keys()) + 1;
  writeFileSync(
    `${file}.new`,
    [...open.values()].map(({ id, call }) => `${JSON.stringify({ begin: id, call })}\n`).join(''),
  );
  renameSync(`${file}.new`, file);
  const append = (change: z.infer<typeof line>) => {
    appendFileSync(file, `${JSON.stringify(change)}\n`);
  };
  return {
    begin: (call) => {
      const id = next++;
      append({ begin: id, call });
      open.set(id, { id, call, state: 'in progress' });
      return id;
    },
    end: (id) => {
      append({ end: id });
      open.delete(id);
    },
    leave: (id) => {
      const entry = open.get(id);
      if (entry !== undefined) open.set(id, { ...entry, state: 'left over' });
    },
    entries: () => [...open.values()],
  };
}

function readEntries(file: string): readonly JournalEntry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const open = new Map<number, JournalEntry>();
  for (const text of lines) {
    const change = line.parse(JSON.parse(text));
    if ('end' in change) open.delete(change.end);
    else open.set(change.begin, { id: change.begin, call: change.call, state: 'left over' });
  }
  return [...open.values()];
}
