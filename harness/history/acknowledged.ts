/** Changes that somebody knows of: with a reason, and a day from which they are news again. */
import { z } from 'zod';
import { readAs, readYaml } from '../base/text/yaml.js';
import { changeKinds, type Change } from './changes.js';

const entry = z.strictObject({
  scenario: z.string().min(1),
  vector: z.string().min(1).exactOptional().describe('an id; all unless given'),
  kind: z.enum(changeKinds).exactOptional().describe('all unless given'),
  image: z.string().exactOptional(),
  reason: z.string().min(1),
  expires: z.iso.date({
    error: ({ input }) => `expected a date such as 2027-01-31, got ${JSON.stringify(input)}`,
  }),
});

export type Acknowledgement = z.infer<typeof entry>;

/** @throws InputError with the place of what is wrong. */
export function readAcknowledged(text: string, file: string): readonly Acknowledgement[] {
  return readAs(readYaml(text, file), z.array(entry));
}

export interface JudgedChanges {
  readonly changes: readonly Change[];
  readonly acknowledged: readonly { readonly change: Change; readonly reason: string }[];
  /** Entries, expired ones too, that no change is like: `mine/wall, ping/p1/p2, image sid`. */
  readonly unmatched: readonly string[];
}

/**
 * A change is acknowledged where all its vectors are. Without a change of inputs none is: that is
 * no change of what is tested.
 * @param today as `2026-11-25`; entries that have expired by then count no more.
 */
export function judgeChanges(
  changes: readonly Change[],
  entries: readonly Acknowledgement[],
  today: string,
): JudgedChanges {
  const valid = entries.filter(({ expires }) => today < expires);
  const judged = changes.map((change) => ({ change, reason: reasonFor(change, valid) }));
  return {
    changes: judged.flatMap(({ change, reason }) => (reason === undefined ? [change] : [])),
    acknowledged: judged.flatMap(({ change, reason }) =>
      reason === undefined ? [] : [{ change, reason }],
    ),
    unmatched: entries
      .filter(
        (entry) =>
          !changes.some(
            (change) =>
              fits(entry, change) &&
              (entry.vector === undefined || change.vectors.includes(entry.vector)),
          ),
      )
      .map(({ scenario, vector, kind, image }) =>
        [scenario, vector, kind, image === undefined ? undefined : `image ${image}`]
          .filter((part) => part !== undefined)
          .join(', '),
      ),
  };
}

function fits({ scenario, kind, image }: Acknowledgement, change: Change): boolean {
  return (
    scenario === change.row.scenario &&
    (kind === undefined || kind === change.kind) &&
    (image === undefined || image === change.row.image)
  );
}

function reasonFor(change: Change, entries: readonly Acknowledgement[]): string | undefined {
  if (change.explainedBy.length === 0) return undefined;
  const fitting = entries.filter((entry) => fits(entry, change));
  const reasons = change.vectors.map(
    (id) => fitting.find(({ vector }) => vector === undefined || vector === id)?.reason,
  );
  if (change.vectors.length === 0)
    return fitting.find(({ vector }) => vector === undefined)?.reason;
  return reasons.includes(undefined) ? undefined : reasons[0];
}
