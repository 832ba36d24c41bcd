/** Promises that no host gets what is sent. */
import type { Intent } from '../domain/intent.js';
import type { HostNote, Observation } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import { connectionNotes } from './connection-notes.js';
import { type BrokenPromise, describe, destinationOf } from './broken-promise.js';

function isArp(stimulus: Stimulus): boolean {
  return (
    stimulus.kind === 'arp' || (stimulus.kind === 'frame' && stimulus.frame.payload.kind === 'arp')
  );
}

export function judgeDenied(
  why: string,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const leak = notes.find(
    (note) =>
      note.kind === 'received' ||
      (connectionNotes.has(note.kind) && note.kind !== 'timed-out') ||
      (isArp(stimulus) && note.kind === 'resolved' && note.host === stimulus.from),
  );
  return leak === undefined
    ? undefined
    : { expected: `no host gets it: ${why}`, actual: describe(leak) };
}

/** What says so to the sender: an ICMP error, or a reset where it has asked for a connection. */
export function judgeRejection(
  { why, by }: Omit<Extract<Intent, { kind: 'rejected' }>, 'kind'>,
  stimulus: Stimulus,
  notes: readonly HostNote[],
): BrokenPromise | undefined {
  const notice = by ?? 'an ICMP error';
  const isNotice = (note: HostNote): boolean =>
    note.kind === (by === 'a reset' ? 'refused' : 'unreachable') &&
    note.host === stimulus.from &&
    note.peer === destinationOf(stimulus);
  const others = notes.filter((note) => by !== 'a reset' || !isNotice(note));
  return (
    judgeDenied(why, stimulus, others) ??
    (notes.some(isNotice)
      ? undefined
      : {
          expected: `${stimulus.from} gets ${notice}: ${why}`,
          actual: `it got no${notice.replace(/^an?/, '')}`,
        })
  );
}

export function judgeBlocked(
  why: string,
  stimulus: Stimulus,
  seen: Observation,
): BrokenPromise | undefined {
  const expected = `no frame comes out anywhere: ${why}`;
  const leak = seen.frames.find(({ direction }) => direction === 'out');
  if (leak !== undefined)
    return { expected, actual: `a frame came out of ${leak.port} on ${leak.node}` };
  return judgeDenied(why, stimulus, seen.notes);
}
