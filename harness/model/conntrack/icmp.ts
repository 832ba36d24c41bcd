/** Requests of ICMP and their answers (RFC 792, RFC 950; RFC 4443), as connections. */
import type { Family } from './tuple.js';
import type { Update } from './update.js';

export interface IcmpProgress {
  readonly kind: 'icmp';
  answered: boolean;
}

const timeouts = { firstMs: 60_000, answeredMs: 30_000 } as const;

/** Requests that open a connection, with the type of their answer: echo, timestamp, information. */
const requests: Readonly<Record<Family, ReadonlyMap<number, number>>> = { ipv4: new Map([[8, 0], [13, 14], [15, 16]]), ipv6: new Map([[128, 129]]) };
const answers = { ipv4: inverse(requests.ipv4), ipv6: inverse(requests.ipv6) };

function inverse(types: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  return new Map([...types].map(([request, answer]) => [answer, request]));
}

export function opensIcmp(family: Family, type: number): boolean {
  return requests[family].has(type);
}

/** The type that answers `type`, or that it answers; undefined for messages that are neither. */
export function counterpart(family: Family, type: number): number | undefined {
  return requests[family].get(type) ?? answers[family].get(type);
}

export function beginIcmp(): { readonly progress: IcmpProgress; readonly timeoutMs: number } {
  return { progress: { kind: 'icmp', answered: false }, timeoutMs: timeouts.firstMs };
}

/** A request goes on being new until there is an answer. */
export function updateIcmp(progress: IcmpProgress, reply: boolean): Update {
  progress.answered ||= reply;
  return progress.answered ? { kind: 'valid', timeoutMs: timeouts.answeredMs } : { kind: 'new', timeoutMs: timeouts.firstMs };
}
