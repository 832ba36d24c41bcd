/** UDP, and protocols of which the tracker knows addresses only. */
import type { Update } from './update.js';

export interface OtherProgress {
  readonly kind: 'other';
  answered: boolean;
}

const timeouts = { unansweredMs: 60_000, answeredMs: 30_000 } as const;

export function beginOther(): { readonly progress: OtherProgress; readonly timeoutMs: number } {
  return { progress: { kind: 'other', answered: false }, timeoutMs: timeouts.unansweredMs };
}

/** Packets go on being new until there is an answer. */
export function updateOther(progress: OtherProgress, reply: boolean): Update {
  progress.answered ||= reply;
  return progress.answered ? { kind: 'valid', timeoutMs: timeouts.answeredMs } : { kind: 'new', timeoutMs: timeouts.unansweredMs };
}
