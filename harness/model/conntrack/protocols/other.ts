/** UDP, SCTP, and protocols of which the tracker knows addresses only. */
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';

export interface OtherProgress {
  readonly kind: 'other';
  answered: boolean;
}

export function beginOther(): { readonly progress: OtherProgress; readonly timeout: TimeoutName } {
  return { progress: { kind: 'other', answered: false }, timeout: 'udp_first' };
}

/** Packets go on being new until there is an answer. */
export function updateOther(progress: OtherProgress, reply: boolean): Update {
  progress.answered ||= reply;
  return progress.answered
    ? { kind: 'valid', timeout: 'udp_multiple' }
    : { kind: 'new', timeout: 'udp_single' };
}
