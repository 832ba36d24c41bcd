/** What `flowbed openflow-conformance` prints: for people, and as JSON. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson } from '../harness/base/text/visible.js';
import type { CaseResult } from '../harness/openflow-conformance/play-case.js';

const { bold, dim, green, red, yellow } = colors;

/** All cases on the switch of one image. */
export interface OpenflowConformanceRun {
  readonly image: string;
  readonly version: string;
  readonly results: readonly CaseResult[];
}

/**
 * How many cases came out how; then by name, with the reason, all that did not come out as the
 * corpus expects.
 */
export function renderOpenflowConformance({
  image,
  version,
  results,
}: OpenflowConformanceRun): string {
  const rejected = grouped(results, ({ switch: real, model }) =>
    real.kind === 'rejected'
      ? `${real.error}${model.kind === 'refuses' ? `: ${model.why}` : ''}`
      : undefined,
  );
  const known = grouped(results, ({ switch: real }) =>
    real.kind === 'unexpected' ? real.why : undefined,
  );
  const unexpected = results.filter(
    ({ switch: real }) => real.kind === 'unexpected' && real.why === undefined,
  );
  const differing = results.filter(({ model }) => model.kind === 'differs');
  const unknown = grouped(results, ({ model }) =>
    model.kind === 'unknown' ? model.why : undefined,
  );
  const refusing = results.filter(({ model }) => model.kind === 'refuses').length;
  const agreeing = results.filter(({ model }) => model.kind === 'agrees').length;
  const expected = results.filter(({ switch: real }) => real.kind === 'as-expected').length;
  return [
    bold(`${image}, Open vSwitch ${version}: ${results.length} cases of OpenFlow 1.3`),
    `  ${green('✔')} ${expected} as the corpus expects`,
    `  ${dim('·')} ${countOf(known)} different, for known reasons`,
    `  ${unexpected.length === 0 ? dim('·') : red('✖')} ${unexpected.length} different`,
    `  ${dim('·')} ${countOf(rejected)} refused by Open vSwitch, ${refusing} of them by both`,
    `  the model agrees in ${agreeing + refusing}, differs in ${differing.length}, does not ` +
      `know ${countOf(unknown)}`,
    ...section(
      red('different from what the corpus expects'),
      unexpected.flatMap(({ name, switch: real }) => [
        `  ${name}`,
        ...(real.kind === 'unexpected' ? real.complaints : []).map((line) => `    ${line}`),
      ]),
    ),
    ...section(
      red('the model differs from the switch'),
      differing.flatMap(({ name, model }) => [
        `  ${name}`,
        ...(model.kind === 'differs' ? model.differences : []).map((line) => `    ${line}`),
      ]),
    ),
    ...section(yellow('the model does not know'), byReason(unknown)),
    ...section('different from what the corpus expects, for known reasons', byReason(known)),
    ...section('refused by Open vSwitch', byReason(rejected)),
  ].join('\n');
}

/** One JSON document: an array, one object an image, with every case. */
export function conformanceAsJson(runs: readonly OpenflowConformanceRun[]): string {
  return printedJson(runs);
}

type Grouped = ReadonlyMap<string, readonly CaseResult[]>;

function grouped(
  results: readonly CaseResult[],
  reasonOf: (result: CaseResult) => string | undefined,
): Grouped {
  const found = new Map<string, CaseResult[]>();
  for (const result of results) {
    const reason = reasonOf(result);
    if (reason !== undefined) found.set(reason, [...(found.get(reason) ?? []), result]);
  }
  return found;
}

function countOf(groups: Grouped): number {
  return [...groups.values()].reduce((sum, { length }) => sum + length, 0);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', bold(title), ...lines];
}

function byReason(groups: Grouped): readonly string[] {
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([reason, results]) => [
      `  ${reason} ${dim(`(${results.length})`)}`,
      ...namesByFile(results).map((line) => `    ${line}`),
    ]);
}

/** `match/06_VLAN_VID 1-3, 7`: a line a file. */
function namesByFile(results: readonly CaseResult[]): readonly string[] {
  const files = new Map<string, number[]>();
  for (const { name } of results) {
    const [file = '', number] = name.split(' ');
    files.set(file, [...(files.get(file) ?? []), Number(number)]);
  }
  return [...files].map(([file, numbers]) => `${file} ${ranges(numbers)}`);
}

function ranges(numbers: readonly number[]): string {
  const starts = numbers.filter((number) => !numbers.includes(number - 1));
  return starts
    .map((start) => {
      let end = start;
      while (numbers.includes(end + 1)) end++;
      return end === start ? String(start) : `${start}-${end}`;
    })
    .join(', ');
}
