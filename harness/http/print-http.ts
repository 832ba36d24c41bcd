/** What people read of HTTP on a path. */
import type { PathResult } from './run-http.js';

export function printHttp(result: PathResult): readonly string[] {
  const { path, connections, requests, requestsPerSecond, milliseconds, checks } = result;
  const passes = checks.reduce((sum, one) => sum + one.passes, 0);
  const fails = checks.reduce((sum, one) => sum + one.fails, 0);
  const times = Object.entries(milliseconds).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  return [
    `${result.differences.length === 0 ? '✔' : '✖'} ${path}, connections ${connections}`,
    `    ${requests} requests, ${requestsPerSecond.toFixed(0)} a second; ` +
      `${(result.failed * 100).toFixed(2)} % failed; ${passes} of ${passes + fails} checks passed`,
    `    milliseconds: ${times.join(', ')}`,
    ...result.differences.map((difference) => `    ${difference}`),
  ];
}
