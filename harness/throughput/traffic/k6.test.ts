/**
 * Goal: k6 gets a script that can be read, and what it says is read as it is meant. Method: the
 * script as people see it; a summary as k6 1.8 hands it to `handleSummary`, whole and broken.
 */
import t from 'tap';
import { k6Script } from './k6-script.js';
import { judgeHttp, readSummary } from './read-k6-summary.js';

const load = { url: 'http://10.96.0.10:7/', answers: 'server', clients: 4, seconds: 2 };

void t.test('the script', (t) => {
  t.match(
    k6Script({ ...load, connections: 'kept' })
      .split('\n')
      .slice(0, 22)
      .join('\n'),
    [
      "import http from 'k6/http';",
      "import { check } from 'k6';",
      '',
      'export const options = {',
      '  vus: 4,',
      "  duration: '2s',",
      '  noConnectionReuse: false,',
      "  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],",
      '};',
      '',
      '// What ./flowbed throughput waits for.',
      "export const setup = () => console.log('it begins');",
      "export const teardown = () => console.log('it ends');",
      '',
      'export default function () {',
      "  const answer = http.get('http://10.96.0.10:7/');",
      '  check(answer, {',
      "    'it is answered with 200': ({ status }) => status === 200,",
      "    'pod server answers': ({ body }) => body === 'server\\n',",
      '  });',
      '}',
    ].join('\n'),
  );
  t.match(k6Script({ ...load, connections: 'one a request' }), /noConnectionReuse: true/);
  const strict = k6Script({ ...load, connections: 'kept', onFailure: 'end' });
  t.match(strict, "checks: [{ threshold: 'rate==1', abortOnFail: true }]");
  t.end();
});

const values = { med: 1.5, 'p(90)': 2, 'p(95)': 3, 'p(99)': 4, max: 9 };
const summary = (failed: number, fails: number) =>
  JSON.stringify({
    metrics: {
      http_reqs: { type: 'counter', contains: 'default', values: { count: 100, rate: 50 } },
      http_req_duration: { type: 'trend', contains: 'time', values },
      http_req_failed: { type: 'rate', contains: 'default', values: { rate: failed } },
    },
    root_group: { checks: [{ name: 'pod server answers', passes: 100 - fails, fails }] },
  });

void t.test('what k6 says', (t) => {
  const good = readSummary(summary(0, 0));
  t.match(good, { requests: 100, requestsPerSecond: 50, milliseconds: values, failed: 0 });
  t.strictSame(judgeHttp(good), []);
  t.match(judgeHttp(readSummary(summary(0.1, 10))), [
    '10.00 % of 100 requests failed',
    '"pod server answers": 10 of 100 times it was not',
  ]);
  t.match(judgeHttp({ ...good, requests: 0 }), ['no request was made']);
  for (const broken of ['', 'time="…" level=error', '{"metrics":{}}'])
    t.throws(() => readSummary(broken), { name: 'Unavailable', message: /no summary/ });
  t.end();
});
