/** What `flowbed streams` prints of Services that were called. */
import type { CallsResult } from '../../streams/services/run-calls.js';

export interface PlayedCalls {
  readonly scenario: string;
  readonly axes: Readonly<Record<string, string>>;
  readonly result: CallsResult;
}

/** So many calls that differ are printed. */
const shownMax = 5;

export function callsLines({ scenario, axes, result }: PlayedCalls): readonly string[] {
  const { calls, packets, leftOut, verdict } = result;
  const point = Object.entries(axes).map(([axis, value]) => `${axis}=${value}`);
  const wrong = calls.filter(({ differences }) => differences.length > 0);
  const answered = calls.filter(({ endpoint }) => endpoint !== undefined);
  const endpoints = new Set(answered.map(({ endpoint }) => endpoint)).size;
  const out = Object.entries(leftOut).map(([kind, count]) => `${count} of ${kind}`);
  const free = calls.flatMap(({ freedom }) => freedom ?? []);
  return [
    `${verdict === 'conforms' ? '✔' : '✘'} ${scenario} ${point.join(' ')}`,
    `    ${calls.length} calls by nftables of the nodes, ${answered.length} answered by ` +
      `${endpoints} endpoints, ${packets} packets at ports of pods`,
    ...(out.length === 0 ? [] : [`    left out: ${out.join(', ')}`]),
    ...(free.length === 0 ? [] : [`    free: ${free[0]}, in ${free.length} calls`]),
    ...wrong
      .slice(0, shownMax)
      .flatMap(({ id, differences }) => [
        `    ${id} diverges:`,
        ...differences.slice(0, 4).map((difference) => `      ${difference}`),
      ]),
    ...(wrong.length <= shownMax ? [] : [`    and ${wrong.length - shownMax} more diverge`]),
  ];
}
