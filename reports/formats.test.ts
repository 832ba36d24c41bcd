/**
 * Goal: what CI servers and people read says what the run came to: a divergence fails, nothing
 * inconclusive passes, and no text breaks a format. Method: a conforming, a diverging and an
 * inconclusive run of antrea/encap with the model in place of switches, read back by parsers that
 * are not ours; golden files for Markdown; hostile texts in every place.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import t from 'tap';
import { Parser, type Result } from 'tap-parser';
import encap from '../scenarios/antrea/encap.js';
import { Unavailable } from '../harness/base/errors/errors.js';
import { decodePcapng } from '../harness/packet/pcap/encode-pcapng.js';
import { noCounts, verdictOn } from '../harness/domain/verdict.js';
import type { RunReport } from '../harness/run/records/run-report.js';
import type { RunRecord, ScenarioRecord } from '../harness/run/records/run-record.js';
import { openFailing, openWithFlows, sampleRun } from '../harness/explain/sample-run.js';
import { viewOf } from '../harness/explain/run-view.js';
import { renderCapture, writeCapture } from './capture.js';
import { renderExplanation } from './render-explanation.js';
import { renderJunit } from './junit.js';
import { renderMarkdown } from './markdown.js';
import { renderTap } from './tap.js';
import { scenarioLabel } from './describe-differences.js';

const axes = { nodes: '2', tunnel: 'geneve' };
const only = ['ping/p1/p2', 'ping/p1/p4', 'ping/p4/p1', 'arp/p1/n1', 'spoof-ip/p1'];
const withoutRoute = openWithFlows('n1', 'br-int', (flows) =>
  flows.filter((flow) => !/tun_dst|TUN_IPV4_DST/i.test(flow)),
);
const dying = openFailing(
  20,
  () =>
    new Unavailable(
      'ovs-vswitchd of n1 is gone',
      ['see logs/n1/ovs-vswitchd.log'],
      ['|ERR|killed (Segmentation fault)'],
    ),
);
const runs: Readonly<Record<RunReport['verdict'], RunRecord>> = {
  conforms: await sampleRun([
    { scenario: encap, axes, only },
    { scenario: encap, axes: { ...axes, nodes: '3' }, only },
  ]),
  diverges: await sampleRun([{ scenario: encap, axes, only, open: withoutRoute }]),
  inconclusive: await sampleRun([{ scenario: encap, axes, only, open: dying }]),
};

/** Texts that would break a format that took them as they are. */
const hostile =
  '\u001b[31m ]]> <b> & "quoted" \'one\' # no comment \\ back | bar `tick` ``` \ud800 \u0000 ' +
  '\uffff\n1..0\nok 1 - planted';

/** The run with hostile texts in every place that holds words. */
function withHostileTexts({ report }: RunRecord): RunReport {
  const scenarios = report.scenarios.map((scenario) => ({
    ...scenario,
    title: hostile,
    vectors: scenario.vectors.map((vector) => ({
      ...vector,
      id: `${vector.id}${hostile}`,
      differences: vector.differences.map((difference) => ({
        ...difference,
        summary: hostile,
        expected: hostile,
        actual: hostile,
      })),
      ...(vector.inconclusive === undefined
        ? {}
        : { inconclusive: { cause: hostile, evidence: [hostile], remedies: [hostile] } }),
    })),
  }));
  return { ...report, again: hostile, image: hostile, scenarios };
}

interface Junit {
  readonly testsuites: { readonly testsuite: readonly JunitSuite[] };
}
interface JunitSuite {
  readonly '@name': string;
  readonly '@tests': string;
  readonly '@failures': string;
  readonly '@errors': string;
  readonly properties: {
    readonly property: readonly { readonly '@name': string; readonly '@value': string }[];
  };
  readonly testcase: readonly {
    readonly '@name': string;
    readonly '@classname': string;
    readonly '@time'?: string;
    readonly failure?: JunitProblem;
    readonly error?: JunitProblem;
  }[];
}
interface JunitProblem {
  readonly '@message': string;
  readonly '@type': string;
  readonly '#text': string;
}

function readJunit(xml: string): readonly JunitSuite[] {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseAttributeValue: false,
    isArray: (name) => ['testsuite', 'testcase', 'property'].includes(name),
  });
  return (parser.parse(xml) as Junit).testsuites.testsuite;
}

/** What each vector came to, as a format reports it; `program` comes first. */
function expected(report: RunReport): readonly string[] {
  return report.scenarios.flatMap((scenario) => [
    `${scenarioLabel(scenario)} program ` +
      verdictOn(scenario.program, { ...noCounts, program: scenario.counts.program }),
    ...scenario.vectors.map(({ id, verdict }) => `${scenarioLabel(scenario)} ${id} ${verdict}`),
  ]);
}

void t.test('the runs are what they are called', (t) => {
  for (const [verdict, { report }] of Object.entries(runs)) t.equal(report.verdict, verdict);
  t.match(expected(runs.inconclusive.report), [
    /program inconclusive/,
    /p2 conforms/,
    /p4 inconclusive/,
  ]);
  t.end();
});

void t.test('JUnit', (t) => {
  for (const { report } of Object.values(runs)) {
    const xml = renderJunit(report);
    t.equal(XMLValidator.validate(xml), true);
    const suites = readJunit(xml);
    t.strictSame(
      suites.flatMap(({ testcase }) =>
        testcase.map(
          (each) =>
            `${each['@classname']} ${each['@name']} ` +
            (each.failure?.['@type'] ?? each.error?.['@type'] ?? 'conforms'),
        ),
      ),
      expected(report),
    );
    for (const [index, suite] of suites.entries()) {
      const has = (what: 'failure' | 'error') =>
        String(suite.testcase.filter((each) => each[what] !== undefined).length);
      t.strictSame(
        [suite['@tests'], suite['@failures'], suite['@errors']],
        [String(suite.testcase.length), has('failure'), has('error')],
      );
      t.ok(
        suite.testcase.every((each) => each['@time'] === undefined),
        'no vector has a duration',
      );
      const properties = Object.fromEntries(
        suite.properties.property.map((property) => [property['@name'], property['@value']]),
      );
      const left = suite.properties.property.filter(
        (property) => property['@name'] === 'not compared',
      );
      t.strictSame(
        left.length,
        report.scenarios[index]?.notCompared.length,
        'what is not compared is named',
      );
      t.match(properties, {
        'run again': report.again,
        seed: '1',
        image: 'trixie',
        'version of ovs-vswitchd': '3.5.0',
        'trace hash': report.scenarios[index]?.traceHash,
      });
    }
  }
  const [, , across] = readJunit(renderJunit(runs.diverges.report))[0]?.testcase ?? [];
  t.match(
    across?.failure?.['#text'],
    /^model and switch diverge: a frame is missing out of uplink on n1[^]*first at {2}br-int on n1, table 70[^]*the switch does not hold this flow/,
  );
  const [, , open] = readJunit(renderJunit(runs.inconclusive.report))[0]?.testcase ?? [];
  t.match(open?.error, {
    '@message': 'ovs-vswitchd of n1 is gone',
    '#text': /Segmentation fault[^]*- see logs/,
  });
  for (const run of Object.values(runs)) {
    const xml = renderJunit(withHostileTexts(run));
    t.equal(XMLValidator.validate(xml), true);
    t.equal(readJunit(xml).flatMap(({ testcase }) => testcase).length, expected(run.report).length);
    t.notMatch(
      xml,
      /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u,
      'only characters that XML can hold',
    );
    t.match(xml, '\\u001b[31m', 'what it cannot hold is spelled out');
  }
  t.end();
});

function readTap(text: string): { readonly parser: Parser; readonly points: readonly Result[] } {
  const points: Result[] = [];
  const parser = new Parser({ strict: true });
  parser.on('assert', (result: Result) => points.push(result));
  parser.end(text);
  return { parser, points };
}

void t.test('TAP', (t) => {
  for (const { report } of Object.values(runs)) {
    const { parser, points } = readTap(renderTap(report));
    const verdictOf = ({ ok, diag }: Result): string =>
      ok ? 'conforms' : String((diag as { readonly verdict: string }).verdict);
    t.strictSame(
      points.map((point) => `${point.name} ${verdictOf(point)}`),
      expected(report),
    );
    t.equal(parser.results?.ok, report.verdict === 'conforms');
    t.match(renderTap(report), /^# not compared in \S.*: counters of meters: /m);
    t.strictSame(
      parser.results?.failures.filter(({ tapError }) => tapError),
      [],
      'nothing is wrong with the stream',
    );
  }
  const { points } = readTap(renderTap(runs.diverges.report));
  t.match(points[2]?.diag, {
    message: /^model and switch diverge: a frame is missing/,
    at: { node: 'n1', bridge: 'br-int', table: 70, because: 'the switch does not hold this flow' },
  });
  for (const run of Object.values(runs)) {
    const { parser, points: read } = readTap(renderTap(withHostileTexts(run)));
    t.strictSame(
      read.map(({ ok }) => ok),
      expected(run.report).map((line) => line.endsWith('conforms')),
      'hostile texts change no point',
    );
    t.strictSame(
      parser.results?.failures.filter(({ tapError }) => tapError),
      [],
    );
  }
  t.equal(
    readTap(renderTap({ ...runs.conforms.report, scenarios: [] })).parser.results?.ok,
    false,
    'a run of nothing is no pass',
  );
  t.end();
});

void t.test('Markdown', async (t) => {
  for (const [verdict, { report }] of Object.entries(runs)) {
    const file = new URL(`../../reports/golden/${verdict}.md`, import.meta.url);
    const text = renderMarkdown(report).replaceAll(report.traceHash, 'TRACE');
    if (process.env['FLOWBED_GOLDEN'] === 'write') await writeFile(file, text);
    t.equal(
      text,
      await readFile(file, 'utf8'),
      'if it was meant to change: FLOWBED_GOLDEN=write node dist/reports/formats.test.js',
    );
  }
  const fences = renderMarkdown(withHostileTexts(runs.diverges))
    .split('\n')
    .filter((line) => /^`{3,}/.test(line));
  t.equal(fences.length % 2, 0);
  t.ok(
    fences.every(
      (fence, index) =>
        fence === (index % 2 === 0 ? '````text' : '````') ||
        fence === (index % 2 === 0 ? '```text' : '```'),
    ),
    'a fence holds what has fences',
  );
});

void t.test('captures', (t) => {
  const { report, scenarios } = runs.conforms;
  const capture = decodePcapng(renderCapture(runs.conforms));
  const sent = scenarios.flatMap(({ vectors }) =>
    vectors.flatMap(({ vector, real }) =>
      (real?.passes ?? []).flatMap(({ pass, frames }) =>
        frames.map((event) => ({ id: `${vector.id}, ${pass.name}`, ...event })),
      ),
    ),
  );
  t.ok(sent.length > 50);
  t.match(capture?.application, report.again);
  t.strictSame(
    capture?.packets.map(({ frame, comment, direction }) => [
      comment.split(':')[0],
      direction,
      Buffer.from(frame).toString('hex'),
    ]),
    sent.map(({ id, direction, frame }) => [
      id,
      direction === 'in' ? 'inbound' : 'outbound',
      frame,
    ]),
  );
  t.strictSame(
    capture?.packets.map((packet) =>
      capture.interfaces[packet.interface]?.name.replace(/^\d:/, ''),
    ),
    sent.map(({ node, port }) => `${node}/${port}`),
  );
  const times = capture?.packets.map(({ timeUs }) => timeUs) ?? [];
  t.strictSame(
    times,
    [...times].sort((a, b) => a - b),
    'one line of time',
  );
  t.strictSame(
    times.map((time) => time % 1_000_000),
    sent.map(({ timeUs }) => timeUs % 1_000_000),
    'each pass begins with a second',
  );
  t.equal(
    new Set(capture?.interfaces.map(({ name }) => name)).size,
    capture?.interfaces.length,
    'each interface has a name of its own',
  );
  const [first] = scenarios;
  const recorded = (record: ScenarioRecord | undefined): number | undefined =>
    record?.vectors
      .flatMap(({ real }) => real?.passes ?? [])
      .reduce((sum, { frames }) => sum + frames.length, 0);
  t.equal(
    first === undefined ? undefined : decodePcapng(writeCapture(first))?.packets.length,
    recorded(first),
  );
  t.equal(
    decodePcapng(renderCapture(runs.inconclusive))?.packets.length,
    recorded(runs.inconclusive.scenarios[0]),
    'vectors that were not played are missing',
  );
  t.end();
});

void t.test('what was played in a batch', async (t) => {
  const run = await sampleRun([
    {
      scenario: {
        ...encap,
        vectors: (topology) =>
          encap.vectors(topology).map((vector) => ({ ...vector, together: 'all' })),
      },
      axes,
      only,
    },
  ]);
  const kept = run.scenarios.flatMap(({ vectors }) =>
    vectors.flatMap(
      ({ together: played }) =>
        played?.passes?.flatMap(({ frames }) => frames.map(({ frame }) => frame)) ?? [],
    ),
  );
  t.ok(kept.length > 20);
  t.strictSame(
    decodePcapng(renderCapture(run))?.packets.map(({ frame }) =>
      Buffer.from(frame).toString('hex'),
    ),
    kept,
  );
  const [ping] = (await viewOf(run)).scenarios.flatMap(({ vectors }) =>
    vectors.filter(({ report }) => report.id === 'ping/p1/p4'),
  );
  const explained = ping === undefined ? '' : renderExplanation(ping);
  t.match(explained, /^played {4}cold, again, sibling/m);
  t.match(explained, /^played {4}in a batch: /m);
  t.notMatch(explained, /≠|nobody looked|only\)/);
});
