import type { TrackedSegment } from './tcp-peer.js';

/** What a window may be shifted by at most (RFC 7323, section 2.3). */
const scaleMax = 14;

/** How an end scales its windows, as its SYN says (RFC 7323, section 2). */
export function readTcpOptions({ options }: Pick<TrackedSegment, 'options'>): {
  readonly scale: number;
  readonly scales: boolean;
} {
  for (let at = 0; at < options.length; ) {
    const kind = options[at] ?? 0;
    if (kind === 0) break;
    const length = kind === 1 ? 1 : (options[at + 1] ?? 0);
    if (kind !== 1 && (length < 2 || at + length > options.length)) break;
    if (kind === 3 && length === 3)
      return { scale: Math.min(options[at + 2] ?? 0, scaleMax), scales: true };
    at += length;
  }
  return { scale: 0, scales: false };
}
