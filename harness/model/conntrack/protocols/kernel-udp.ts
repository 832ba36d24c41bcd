/**
 * UDP as Linux tracks it: once both ends have sent and two seconds have passed, it takes the
 * connection for a stream, and keeps it longer (net/netfilter/nf_conntrack_proto_udp.c,
 * nf_conntrack_udp_packet).
 */
import { Unpredictable } from '../../../base/errors/errors.js';
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';

export interface KernelUdpProgress {
  readonly kind: 'kernel-udp';
  readonly begunMs: number;
  answered: boolean;
}

const streamAfterMs = 2000;
/**
 * Linux counts in hundredths of a second, by a clock that may have run a little further than it was
 * asked to.
 */
const uncertainMs = { before: 100, after: 10 } as const;

export function beginKernelUdp(nowMs: number): {
  readonly progress: KernelUdpProgress;
  readonly timeout: TimeoutName;
} {
  return {
    progress: { kind: 'kernel-udp', begunMs: nowMs, answered: false },
    timeout: 'udp_first',
  };
}

/**
 * The first answer itself makes no stream. @throws Unpredictable where just about two seconds have
 * passed.
 */
export function updateKernelUdp(
  progress: KernelUdpProgress,
  isReply: boolean,
  nowMs: number,
): Update {
  const wasAnswered = progress.answered;
  progress.answered ||= isReply;
  if (!progress.answered) return { kind: 'new', timeout: 'udp_single' };
  if (!wasAnswered) return { kind: 'valid', timeout: 'udp_single' };
  const pastMs = nowMs - progress.begunMs - streamAfterMs;
  if (pastMs >= -uncertainMs.before && pastMs <= uncertainMs.after)
    throw new Unpredictable(
      'it is nondeterministic whether Linux takes a connection of UDP for a stream when just two ' +
        'seconds have passed since it began',
    );
  return { kind: 'valid', timeout: pastMs > 0 ? 'udp_multiple' : 'udp_single' };
}
