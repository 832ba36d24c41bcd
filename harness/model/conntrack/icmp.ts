/** Requests of ICMP and their answers (RFC 792, RFC 950), as connections. */
import type { Update } from './update.js';

export interface IcmpProgress {
  readonly kind: 'icmp';
  answered: boolean;
}

const timeouts = { firstMs: 60_000, answeredMs: 30_000 } as const;

/** Requests that open a connection, with the type of their answer: echo, timestamp, information. */
const requests: ReadonlyMap<number, number> = new Map([[8, 0], [13, 14], [15, 16]]);
const answers: ReadonlyMap<number, number> = new Map([...requests].map(([request, answer]) => [answer, request]));

export function opensIcmp(type: number): boolean {
  return requests.has(type);
}

/** The type that answers `type`, or that it answers; undefined for messages that are neither. */
export function counterpart(type: number): number | undefined {
  return requests.get(type) ?? answers.get(type);
}

export function beginIcmp(): { readonly progress: IcmpProgress; readonly timeoutMs: number } {
  return { progress: { kind: 'icmp', answered: false }, timeoutMs: timeouts.firstMs };
}

/** A request goes on being new until there is an answer. */
export function updateIcmp(progress: IcmpProgress, reply: boolean): Update {
  progress.answered ||= reply;
  return progress.answered ? { kind: 'valid', timeoutMs: timeouts.answeredMs } : { kind: 'new', timeoutMs: timeouts.firstMs };
}
