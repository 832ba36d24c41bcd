// Goal: what scenarios, vectors, nodes, bridges and ports are called steers nothing that a report
// is read with: no terminal, no parser of TAP, no renderer of Markdown, no reader of a page or of
// JSON. Method: one run and one trace, once with plain names and once with hostile ones in every
// text; a report of both has the same lines, and in the second stands nothing that steers.
import { inflateRawSync } from 'node:zlib';
import picocolors from 'picocolors';
import t from 'tap';
import { Parser } from 'tap-parser';
import { printable } from '../harness/base/text/colors.js';
import { InputError } from '../harness/base/errors/errors.js';
import { printedJson } from '../harness/base/text/visible.js';
import encap from '../scenarios/antrea/encap.js';
import type { RunRecord } from '../harness/run/records/run-record.js';
import { openWithFlows, sampleRun } from '../harness/explain/sample-run.js';
import { viewOf } from '../harness/explain/run-view.js';
import { renderCheck } from './render-check.js';
import { renderExplanation } from './render-explanation.js';
import { renderPage } from './html/html.js';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';
import { renderScript } from './render-script.js';
import { renderTap } from './tap.js';
import { renderTerminal } from './terminal.js';
import { renderTrace } from './render-trace.js';

const painter = picocolors.createColors(true);
const steers =
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
/**
 * A terminal's title and colours, bidirectional marks, lines of all kinds, ends of markup, and a
 * point of TAP.
 */
const hostile =
  '\x1b]0;x\x07\x1b[2J\x9b31m\x7f\u202e\u2066\u200f\u061c\r\u2028\u0085\n- | `x` ``` <b> ' +
  '&amp; [l](http://x) \\| # \\ \nok 99 - planted\n::error::planted\n# planted';

const withoutRoute = openWithFlows('n1', 'br-int', (flows) =>
  flows.filter((flow) => !/tun_dst|TUN_IPV4_DST/i.test(flow)),
);
const record = await sampleRun([
  {
    scenario: encap,
    axes: { nodes: '2', tunnel: 'geneve' },
    only: ['ping/p1/p2', 'ping/p1/p4'],
    open: withoutRoute,
  },
]);

/** The same with `suffix` behind every text of its report that is no closed word of our own. */
function suffixed(suffix: string): RunRecord {
  const closed = new Set([
    'kind',
    'verdict',
    'aspect',
    'between',
    'pass',
    'schema',
    'backend',
    'format',
    'network',
    'from',
    'to',
    'played',
    'when',
    'order',
  ]);
  const change = (data: unknown, key: string): unknown => {
    if (typeof data === 'string') return closed.has(key) ? data : `${data}${suffix}`;
    if (Array.isArray(data)) return data.map((item) => change(item, key));
    if (data === null || typeof data !== 'object') return data;
    return Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, change(value, name)]),
    );
  };
  return { ...record, report: change(record.report, '') as RunRecord['report'] };
}

const [plain, planted] = [suffixed('-x').report, suffixed(hostile).report];

void t.test('terminal, TAP, Markdown and JUnit', (t) => {
  for (const [name, render] of Object.entries({ renderTerminal, renderTap, renderMarkdown })) {
    const text = render(planted);
    t.notMatch(text, steers, name);
    t.equal(
      text.split('\n').length,
      render(plain).split('\n').length,
      `${name}: names begin no line`,
    );
    t.match(text, String.raw`\x1b`, `${name}: what is taken out is reported`);
  }
  t.notMatch(renderJunit(planted).replaceAll(/[\t\r]/g, ''), steers, 'JUnit');
  t.end();
});

void t.test('TAP has the points that it had', (t) => {
  const read = (text: string) => {
    const parser = new Parser({ strict: true });
    const points: boolean[] = [];
    parser.on('assert', ({ ok }: { ok: boolean }) => points.push(ok));
    parser.end(text);
    return { points, errors: parser.results?.failures.filter(({ tapError }) => tapError) };
  };
  t.same(read(renderTap(planted)), read(renderTap(plain)));
  t.end();
});

void t.test('Markdown has the markup that it had', (t) => {
  const markup = (text: string) =>
    text.split('\n').map((line) => ({
      begins: /^(#+|-|\||```+text|```+|\*\*|\d+\.)?/.exec(line)?.[0].replace(/`+/, '```'),
      cells: /^\|/.test(line) ? line.replaceAll(/\\./g, '').split('|').length : 0,
    }));
  t.same(markup(renderMarkdown(planted)), markup(renderMarkdown(plain)));
  const outside = renderMarkdown(planted)
    .replaceAll(/^(```+)text$[^]*?^\1$/gm, '')
    .replaceAll(/(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '');
  t.notMatch(outside, /<b>|(?<!\\)\[l|http:\/\//);
  t.end();
});

void t.test('the page', async (t) => {
  const view = await viewOf(record);
  const [scenario] = view.scenarios;
  if (scenario === undefined) throw new Error('a scenario was run');
  const page = renderPage({
    report: planted,
    scenarios: [
      {
        ...scenario,
        report: planted.scenarios[0] ?? scenario.report,
        vectors: scenario.vectors.map((vector) => ({ ...vector, promise: hostile })),
      },
    ],
  });
  t.notMatch(
    page.replace(/<script[^]*?<\/script>/g, '').replace(/<style>[^]*?<\/style>/, ''),
    steers,
  );
  t.notMatch(page, /<b>|&amp;amp;(?!)/);
  const [, data = ''] = /id="data">([^<]*)</.exec(page) ?? [];
  const text = inflateRawSync(Buffer.from(data, 'base64')).toString();
  t.match(text, String.raw`\\x1b[2J`);
  t.notMatch(text, steers);
  t.notMatch(text, String.raw`\u001b`);
});

void t.test('check, trace, scripts and explain', async (t) => {
  const packet = {
    translations: [
      {
        taken: hostile,
        bridge: hostile,
        flow: hostile,
        nodes: [
          { kind: 'action' as const, text: hostile },
          { kind: 'note' as const, text: hostile },
        ],
        finalFlow: hostile,
      },
    ],
    outputs: [{ bridge: hostile, port: hostile, frame: new Uint8Array(14) }],
    packetIns: [],
    kernel: [hostile],
    refused: hostile,
  };
  const [vector] = (await viewOf(record)).scenarios[0]?.vectors ?? [];
  if (vector === undefined) throw new Error('a vector was played');
  const rendered = {
    check: renderCheck({
      image: hostile,
      verdict: 'inconclusive',
      differences: [],
      inconclusive: { cause: hostile, evidence: [hostile], remedies: [hostile] },
    } as unknown as Parameters<typeof renderCheck>[0]),
    trace: renderTrace(packet as unknown as Parameters<typeof renderTrace>[0]),
    script: renderScript([
      { line: 1, text: hostile, result: { kind: 'refused', why: hostile } },
      { line: 2, text: 'x', result: { kind: 'lost', port: hostile } },
    ] as unknown as Parameters<typeof renderScript>[0]),
    explain: renderExplanation({
      ...vector,
      stimulus: hostile,
      promise: hostile,
      hops: vector.hops.map((hop) => ({ ...hop, node: hostile, port: hostile })),
      notes: [{ text: hostile, seen: 'by both' }],
    }),
  };
  for (const [name, text] of Object.entries(rendered)) {
    t.notMatch(text, steers, name);
    t.notMatch(text, /^\s*(ok 99|::error|# planted)/m, `${name}: names begin no line`);
  }
});

void t.test('what goes to a terminal has our colours and nothing else that steers it', (t) => {
  t.equal(
    printable('\x1b[1mbold\x1b[22m \x1b[31mred\x1b[39m \x1b[8m\x1b[2J\x1b[38;5;1m\u202e', {
      isColorSupported: true,
    }),
    '\x1b[1mbold\x1b[22m \x1b[31mred\x1b[39m \\x1b[8m\\x1b[2J\\x1b[38;5;1m\\u202e',
  );
  t.equal(printable('\x1b[31mred\n\tx', { isColorSupported: false }), '\\x1b[31mred\n\tx');
  const painted = [painter.bold, painter.dim, painter.green, painter.red, painter.yellow]
    .map((paint) => paint(`a${painter.bold('b')}c`))
    .join('');
  t.equal(printable(painted, { isColorSupported: true }), painted);
  t.notMatch(new InputError(`port "${hostile}"`).message, new RegExp(`${steers.source}|\n`));
  t.notMatch(printedJson({ [hostile]: hostile }), steers);
  t.same(JSON.parse(printedJson({ [hostile]: hostile })), { [hostile]: hostile });
  t.end();
});
