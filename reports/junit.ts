/**
 * A run as CI servers read it: JUnit's XML, a suite a scenario, a case a vector. What is
 * inconclusive is an error, never a pass. Time is given for the suite only: no vector has a
 * duration of its own, its time is virtual.
 */
import { describeReference } from './describe-reference.js';
import junit, { type Builder, type TestSuite } from 'junit-report-builder';
import type { RunReport, ScenarioReport } from '../harness/run/records/run-report.js';
import {
  describeIsolation,
  describeKnown,
  describePromises,
  scenarioLabel,
} from './describe-differences.js';
import { describePoint, summaryOf, pointsOf } from './describe-point.js';

/** The package's types are those of an ES module, and it is none. */
const root = junit as unknown as Builder;

export function renderJunit(report: RunReport): string {
  const builder = root.newBuilder().name(printable(report.again));
  for (const scenario of report.scenarios) addScenario(builder.testSuite(), report, scenario);
  return `${builder.build()}\n`;
}

function addScenario(suite: TestSuite, report: RunReport, scenario: ScenarioReport): void {
  const label = printable(scenarioLabel(scenario));
  suite.name(label).time(scenario.durationMs / 1000);
  for (const [name, value] of properties(report, scenario)) suite.property(name, printable(value));
  for (const point of pointsOf(scenario)) {
    const testCase = suite.testCase().className(label).name(printable(point.id));
    const [message, text] = [printable(summaryOf(point)), printable(describePoint(point))];
    if (point.verdict === 'diverges') testCase.failure(message, 'diverges').stacktrace(text);
    else if (point.verdict === 'known-divergence') testCase.skipped().standardOutput(text);
    else if (point.verdict === 'inconclusive') testCase.error(message, 'inconclusive', text);
  }
}

function properties(
  { again, seed, backend, image, imageDigest, versions, isolation, reference }: RunReport,
  scenario: ScenarioReport,
): readonly (readonly [string, string])[] {
  const { title, verdict, traceHash, axes, notCompared } = scenario;
  return [
    ['title', title],
    ['run again', again],
    ['seed', String(seed)],
    ['backend', backend],
    ['image', image],
    ['image digest', imageDigest],
    ...Object.entries(versions).map(
      ([program, version]) => [`version of ${program}`, version] as const,
    ),
    ...(reference === undefined ? [] : [['reference', describeReference(reference)] as const]),
    ...(isolation === undefined ? [] : [['network', describeIsolation(isolation)] as const]),
    ...Object.entries(axes).map(([axis, value]) => [`axis ${axis}`, value] as const),
    ['verdict', verdict],
    ['trace hash', traceHash],
    ['promised', describePromises(scenario.vectors)],
    ...describeKnown(scenario).map((line) => ['known divergence', line] as const),
    ...notCompared.map(({ what, why }) => ['not compared', `${what}: ${why}`] as const),
  ];
}

/**
 * Characters that XML 1.0 cannot hold (section 2.2), what would end a CDATA section, and what turns
 * the direction of text round, are spelled out: `\u001b`.
 */
function printable(text: string): string {
  return text.replace(
    /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]|[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|(?<=\]\])>/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
