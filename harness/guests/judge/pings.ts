/** Echo requests of a client to a machine that migrates: where each came to, and its answer. */
import type { PortAt, SeenFrame } from '../live-network.js';
import { echoIn, segmentIn } from './packets.js';

const isAt = (seen: SeenFrame, { node, port }: PortAt) => seen.node === node && seen.port === port;

/** Requests that left the client since then, and how many of them were answered. */
export function answersSince(
  seen: readonly SeenFrame[],
  client: PortAt,
  machine: string,
  sinceMs: number,
): { readonly requests: number; readonly answers: number } {
  const [asked, answered] = [new Set<string>(), new Set<string>()];
  for (let at = seen.length - 1; at >= 0; at--) {
    const one = seen[at];
    if (one === undefined || one.atMs < sinceMs) break;
    if (!isAt(one, client)) continue;
    const echo = echoIn(one);
    if (echo?.kind === 'request' && echo.dst === machine) asked.add(echo.key);
    if (echo?.kind === 'reply' && echo.src === machine) answered.add(echo.key);
  }
  const answers = [...answered].filter((key) => asked.has(key)).length;
  return { requests: asked.size, answers };
}

/** Whether data of the machine's came to the client by TCP since then. */
export function echoedSince(
  seen: readonly SeenFrame[],
  client: PortAt,
  machine: string,
  sinceMs: number,
): boolean {
  for (let at = seen.length - 1; at >= 0; at--) {
    const one = seen[at];
    if (one === undefined || one.atMs < sinceMs) return false;
    if (!isAt(one, client) || one.direction !== 'from the switch') continue;
    const segment = segmentIn(one);
    if (segment?.src === machine && segment.data.length > 0) return true;
  }
  return false;
}

export interface PingAccount {
  readonly key: string;
  readonly sentMs: number;
  /** When the answer came to the client; missing where none did. */
  readonly answeredMs?: number;
  /** How often it, and an answer to it, were handed over. */
  readonly atSource: number;
  readonly atTarget: number;
  readonly answers: number;
}

/** Of each request, in the order in which they were sent. */
export function accountForPings(
  seen: readonly SeenFrame[],
  client: PortAt,
  machine: string,
  source: PortAt,
  target: PortAt,
): readonly PingAccount[] {
  const accounts = new Map<string, PingAccount>();
  const change = (key: string, by: (before: PingAccount) => Partial<PingAccount>) => {
    const before = accounts.get(key);
    if (before !== undefined) accounts.set(key, { ...before, ...by(before) });
  };
  for (const one of seen) {
    const echo = echoIn(one);
    if (echo === undefined) continue;
    const { kind, src, dst, key } = echo;
    const isIn = one.direction === 'to the switch';
    if (kind === 'request' && dst === machine && isAt(one, client) && isIn)
      accounts.set(key, { key, sentMs: one.atMs, atSource: 0, atTarget: 0, answers: 0 });
    else if (kind === 'request' && dst === machine && !isIn)
      change(key, ({ atSource, atTarget }) => ({
        atSource: atSource + Number(isAt(one, source)),
        atTarget: atTarget + Number(isAt(one, target)),
      }));
    else if (kind === 'reply' && src === machine && isAt(one, client) && !isIn)
      change(key, ({ answers, answeredMs }) => ({
        answers: answers + 1,
        answeredMs: answeredMs ?? one.atMs,
      }));
  }
  return [...accounts.values()];
}
