/** What `flowbed fuzz` prints: for people, and as JSON. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson } from '../harness/base/text/visible.js';
import { assertNever } from '../harness/base/errors/errors.js';
import type { CaseStep } from '../harness/fuzz/fuzz-case.js';
import { printStep } from '../harness/fuzz/regression-case.js';
import { describeFrame } from '../harness/packet/dissect/describe-frame.js';
import type { CampaignResult, Finding } from '../harness/fuzz/campaign.js';
import { requiredFields } from '../harness/fuzz/coverage/required.js';
import type { Language } from '../harness/fuzz/languages.js';
import { use, uses } from '../harness/fuzz/coverage/coverage.js';

const { bold, dim, green, red, yellow } = colors;

/** What one image made of a seed. */
export interface ImageResult {
  /** `trixie 3.5.0` */
  readonly image: string;
  readonly result: CampaignResult;
}

/**
 * The differences, each with its smallest case; then what was left out and refused, and in a line
 * what was compared.
 */
export function renderFuzzImage({ image, result }: ImageResult): string {
  const { cases, sent, frames, counters, findings, unknown, unseen, refused, gone } = result;
  const summary =
    `${sent} packets of ${cases} cases: ${frames} frames and ${counters} counters compared, ` +
    `${shareOf([...unknown, ...unseen], sent)} of the steps left out`;
  const headline =
    findings.length > 0
      ? `${red('✖')} ${bold(image)}  ${findings.length} differences in ${summary}`
      : `${unknown.size > 0 || gone !== undefined ? yellow('?') : green('✔')} ${bold(image)}  ` +
        summary;
  return [
    ...findings.flatMap((finding) => [...renderFinding(finding), '']),
    ...renderCounts('not modelled, so not compared', unknown),
    ...renderCounts('left out', unseen),
    ...renderCounts('refused by both', refused),
    headline,
    ...(gone === undefined
      ? []
      : [
          `  it ended there: ${gone.message}`,
          ...gone.evidence.map((line) => `    ${line}`),
          ...gone.remedies.map((line) => `  - ${line}`),
        ]),
  ].join('\n');
}

/** How much was left out beside what was not. */
function shareOf(left: readonly (readonly [string, number])[], sent: number): string {
  const out = left.reduce((sum, [, count]) => sum + count, 0);
  return `${((100 * out) / Math.max(1, out + sent)).toFixed(1)} %`;
}

function renderFinding({
  index,
  smallest: { groups, flows, beyond, afar = [], underlay = [], steps },
  differences,
}: Finding): readonly string[] {
  return [
    bold(`case ${index}, at its smallest`),
    ...groups.map((group) => `  group  ${group}`),
    ...flows.map((flow) => `  flow   ${flow}`),
    ...beyond.map((flow) => `  beyond ${flow}`),
    ...afar.map((flow) => `  afar   ${flow}`),
    ...underlay.map((flow) => `  under  ${flow}`),
    ...steps.map(renderStep),
    ...differences.flatMap(({ aspect, step, summary, expected, actual }) => [
      `  ${red(aspect)}${step === undefined ? '' : ` at step ${step + 1}`}: ${summary}`,
      `    model   ${expected}`,
      `    switch  ${actual}`,
    ]),
  ];
}

function renderStep(step: CaseStep): string {
  switch (step.kind) {
    case 'packet':
      return (
        `  frame  into ${step.port} ${Buffer.from(step.frame).toString('hex')}\n         ` +
        dim(describeFrame(step.frame))
      );
    case 'advance':
      return `  time   ${step.ms} ms pass`;
    case 'change':
      return step.lines.map((line) => `  change ${step.bridge}: ${line}`).join('\n');
    case 'link':
      return `  link   of ${step.port} ${step.state}`;
    case 'flush':
      return (
        '  flush  ' +
        ([
          ...(step.zone === undefined ? [] : [`zone ${step.zone}`]),
          ...(step.tuple === undefined ? [] : [step.tuple]),
        ].join(', ') || 'all connections')
      );
    default:
      return assertNever(step);
  }
}

function renderCounts(title: string, counts: ReadonlyMap<string, number>): readonly string[] {
  const rows = byNumber(counts).map(([name, count]) => `  ${String(count).padStart(7)}  ${name}`);
  return rows.length === 0 ? [] : [bold(title), ...rows, ''];
}

function byNumber(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1));
}

/** How often packets met each field, action and protocol; a zero in red. */
export function renderCoverage({ name }: Language, { coverage }: CampaignResult): string {
  const number = (count: number | undefined) =>
    count === undefined ? red('0'.padStart(9)) : String(count).padStart(9);
  const cells = (field: (typeof requiredFields)[number]) =>
    uses.map((how) =>
      field.uses.includes(how)
        ? number(coverage.fields.get(use(field.field.name, how)))
        : '·'.padStart(9),
    );
  const rows =
    name === 'openflow'
      ? requiredFields
      : requiredFields.filter(({ field }) =>
          uses.some((how) => coverage.fields.has(use(field.name, how))),
        );
  return [
    bold(`${'field'.padEnd(18)}${uses.map((how) => how.padStart(9)).join('')}`),
    ...rows.map((row) => `${row.field.name.padEnd(18)}${cells(row).join('')}`),
    '',
    bold('action'),
    ...byName(coverage.actions).map(([name, count]) => `${name.padEnd(27)}${number(count)}`),
    '',
    bold('protocol'),
    ...byName(coverage.protocols).map(([name, count]) => `${name.padEnd(27)}${number(count)}`),
    ...(coverage.operations.size === 0
      ? []
      : [
          '',
          bold('beside packets'),
          ...byName(coverage.operations).map(
            ([name, count]) => `${name.padEnd(27)}${number(count)}`,
          ),
        ]),
  ].join('\n');
}

function byName(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * One JSON document: `{language, seed, count, images: [{image, cases, sent, frames, counters,
 * findings, unknown, unseen, refused, coverage, missing}]}`.
 */
export function fuzzAsJson(
  { name, missingFrom }: Language,
  seed: number,
  count: number,
  images: readonly ImageResult[],
): string {
  return printedJson({
    language: name,
    seed,
    count,
    images: images.map(
      ({
        image,
        result: {
          cases,
          sent,
          frames,
          counters,
          findings,
          unknown,
          unseen,
          refused,
          coverage,
          gone,
        },
      }) => ({
        image,
        cases,
        sent,
        frames,
        counters,
        ...(gone === undefined ? {} : { gone: gone.message }),
        findings: findings.map(({ index, smallest, differences }) => ({
          index,
          groups: smallest.groups,
          flows: smallest.flows,
          beyond: smallest.beyond,
          afar: smallest.afar,
          underlay: smallest.underlay,
          steps: smallest.steps.map(printStep),
          differences,
        })),
        unknown: Object.fromEntries(byNumber(unknown)),
        unseen: Object.fromEntries(byNumber(unseen)),
        refused: Object.fromEntries(byNumber(refused)),
        coverage: {
          fields: Object.fromEntries(byName(coverage.fields)),
          actions: Object.fromEntries(byName(coverage.actions)),
          protocols: Object.fromEntries(byName(coverage.protocols)),
          operations: Object.fromEntries(byName(coverage.operations)),
        },
        missing: missingFrom(coverage),
      }),
    ),
  });
}
