import { isTupleTaken } from './connection.js';
import type { CtRequest, Tracker } from './tracked.js';
import { reversed, type Tuple } from './tuple.js';

/**
 * Linux gives a new connection no place whose answers would be what begins another, and drops the
 * packet (net/netfilter/nf_conntrack_core.c, nf_ct_resolve_clash). Where it is to be translated,
 * it is given another place.
 */
export function clashesInKernel(
  tracker: Tracker,
  tuple: Tuple,
  { commits, nat }: CtRequest,
): boolean {
  return (
    tracker.behaviour.datapath === 'in the kernel' &&
    commits !== 'nothing' &&
    nat === undefined &&
    isTupleTaken(tracker, reversed(tuple))
  );
}
