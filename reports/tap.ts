/**
 * A run in the Test Anything Protocol, version 14: a point a vector, with its diagnosis in YAML.
 * What is inconclusive is not ok.
 */
import { stringify } from 'yaml';
import { shown } from '../harness/base/text/visible.js';
import type { RunReport } from '../harness/run/records/run-report.js';
import {
  describeIsolation,
  describeKnown,
  describePromises,
  scenarioLabel,
} from './describe-differences.js';
import { describePoint, summaryOf, pointsOf, type Point } from './describe-point.js';
import { describeReference } from './describe-reference.js';

export function renderTap(raw: RunReport): string {
  const report = shown(raw);
  const points = report.scenarios.flatMap((scenario) =>
    pointsOf(scenario).map((point) => ({ point, label: scenarioLabel(scenario) })),
  );
  const network =
    report.isolation === undefined ? {} : { network: describeIsolation(report.isolation) };
  const reference =
    report.reference === undefined ? {} : { 'compared with': describeReference(report.reference) };
  const about = {
    'run again': report.again,
    seed: report.seed,
    image: report.image,
    ...report.versions,
    ...reference,
    ...network,
    trace: report.traceHash,
    verdict: report.verdict,
  };
  return [
    'TAP version 14',
    ...Object.entries(about).map(([name, value]) => `# ${name}: ${oneLine(String(value))}`),
    ...report.scenarios.map(
      (scenario) =>
        `# promised in ${oneLine(scenarioLabel(scenario))}: ${describePromises(scenario.vectors)}`,
    ),
    ...report.scenarios.flatMap((scenario) =>
      describeKnown(scenario).map(
        (line) => `# known divergence in ${scenarioLabel(scenario)}: ${oneLine(line)}`,
      ),
    ),
    ...report.scenarios.flatMap((scenario) =>
      scenario.notCompared.map(
        ({ what, why }) =>
          `# not compared in ${oneLine(scenarioLabel(scenario))}: ${oneLine(`${what}: ${why}`)}`,
      ),
    ),
    `1..${Math.max(points.length, 1)}`,
    ...(points.length === 0
      ? ['not ok 1 - a scenario was run']
      : points.flatMap(({ point, label }, index) => renderPoint(point, label, index + 1))),
    '',
  ].join('\n');
}

function renderPoint(point: Point, label: string, number: number): readonly string[] {
  const description = `${label} ${point.id}`.replace(/[\\#]/g, '\\$&');
  if (point.verdict === 'conforms') return [`ok ${number} - ${oneLine(description)}`];
  // TAP 14, "TODO tests": it does not pass, and is expected not to.
  const directive = point.verdict === 'known-divergence' ? ' # TODO known divergence' : '';
  const diagnosis = stringify(
    {
      verdict: point.verdict,
      message: summaryOf(point),
      diagnosis: describePoint(point),
      ...locationOf(point),
    },
    { lineWidth: 0 },
  );
  return [
    `not ok ${number} - ${oneLine(description)}${directive}`,
    '  ---',
    ...diagnosis
      .trimEnd()
      .split('\n')
      .map((line) => (line === '' ? '' : `  ${line}`)),
    '  ...',
  ];
}

function locationOf({ differences }: Point): object {
  const at = differences.find((difference) => difference.at !== undefined)?.at;
  return at === undefined
    ? {}
    : {
        at: {
          ...('flow' in at ? at.flow : 'miss' in at ? at.miss : { host: at.host }),
          ...('flow' in at && at.field !== undefined ? { field: at.field } : {}),
          because: at.because,
        },
      };
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}
