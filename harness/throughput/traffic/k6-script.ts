/** The script of a run of k6 (https://grafana.com/docs/k6/latest/using-k6/). */

export interface HttpLoad {
  /** `http://10.96.0.10:7/` */
  readonly url: string;
  /** The pod that has to answer. */
  readonly answers: string;
  /** Clients at once, and for how many seconds. */
  readonly clients: number;
  readonly seconds: number;
  /** Whether a client keeps its connection for the next request. */
  readonly connections: 'kept' | 'one a request';
  /** A request that fails ends the run, within two seconds. */
  readonly onFailure?: 'end';
}

/** Percentiles that are asked for, beside the median and the longest. */
export const percentiles = ['p(90)', 'p(95)', 'p(99)'] as const;

export function k6Script({
  url,
  answers,
  clients,
  seconds,
  connections,
  onFailure,
}: HttpLoad): string {
  const thresholds =
    onFailure === undefined
      ? ''
      : "\n  thresholds: { checks: [{ threshold: 'rate==1', abortOnFail: true }] },";
  return `import http from 'k6/http';
import { check } from 'k6';

export const options = {
  vus: ${clients},
  duration: '${seconds}s',
  noConnectionReuse: ${connections === 'one a request'},${thresholds}
  summaryTrendStats: ['med', ${percentiles.map((one) => `'${one}'`).join(', ')}, 'max'],
};

// What ./flowbed throughput waits for.
export const setup = () => console.log('it begins');
export const teardown = () => console.log('it ends');

export default function () {
  const answer = http.get('${url}');
  check(answer, {
    'it is answered with 200': ({ status }) => status === 200,
    'pod ${answers} answers': ({ body }) => body === '${answers}\\n',
  });
}

// What Flowbed reads.
export function handleSummary(data) {
  return { stdout: JSON.stringify(data) };
}
`;
}

/** It asks nobody outside for anything, and listens nowhere that others do. */
export const k6Environment = [
  'K6_NO_USAGE_REPORT=true',
  'K6_AUTO_EXTENSION_RESOLUTION=false',
] as const;
export const k6Options = ['--quiet', '--no-color', '--address=127.0.0.1:0'] as const;
