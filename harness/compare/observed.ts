/**
 * The outcome of a vector, as briefly as a report has room for: who got it, and what its sender
 * heard.
 */
import type { HostNote } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';

export interface Observed {
  /**
   * `answered`: an answer came back to the sender, or a connection stood. `refused`: a reset came
   * back. `rejected`: the sender got an ICMP error. `delivered`: somebody got it, and
   * the sender heard nothing. `nothing`: no host got it, and the sender heard nothing.
   */
  readonly kind: 'answered' | 'refused' | 'rejected' | 'delivered' | 'nothing';
  /** Who got it, the sender aside, in order of time. */
  readonly by: readonly string[];
}

/** @param notes what the hosts noted in one pass. */
export function observedIn(stimulus: Stimulus, notes: readonly HostNote[]): Observed {
  const { from } = stimulus;
  const senderNoted = (...kinds: readonly HostNote['kind'][]) =>
    notes.some((note) => note.host === from && kinds.includes(note.kind));
  const by = [
    ...new Set(
      notes.filter((note) => note.host !== from && isArrival(note)).map(({ host }) => host),
    ),
  ];
  // Senders ask by ARP on the way as well.
  const resolved =
    stimulus.kind === 'arp' &&
    notes.some(
      (note) => note.kind === 'resolved' && note.host === from && note.ip === stimulus.target,
    );
  if (resolved || senderNoted('received', 'connected')) return { kind: 'answered', by };
  if (senderNoted('refused', 'reset')) return { kind: 'refused', by };
  if (senderNoted('unreachable')) return { kind: 'rejected', by };
  return { kind: by.length > 0 ? 'delivered' : 'nothing', by };
}

function isArrival({ kind }: HostNote): boolean {
  return kind === 'received' || kind === 'connected' || kind === 'relayed' || kind === 'dropped';
}
