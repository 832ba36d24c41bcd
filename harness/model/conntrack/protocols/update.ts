import type { TimeoutName } from '../timeouts.js';

/** What a packet means to the connection that it belongs to. */
export type Update =
  /**
   * Part of it; the connection lives for that long from now, or as long as it would have where
   * there is none.
   */
  | { readonly kind: 'valid'; readonly timeout?: TimeoutName }
  /** Its last packet: nothing of it is kept. */
  | { readonly kind: 'last' }
  /** Part of it, and it is still as new as if there had been none. */
  | { readonly kind: 'new'; readonly timeout?: TimeoutName }
  /** No part of it. */
  | { readonly kind: 'invalid'; readonly why: string }
  /** Its end, and the begin of another one. */
  | { readonly kind: 'restart' };
