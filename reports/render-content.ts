/** What `flowbed fuzz ovn` prints. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson } from '../harness/base/text/visible.js';
import type { ContentOutcome } from '../harness/fuzz/ovn/content-case.js';
import type { ContentResult } from '../harness/fuzz/ovn/run-content.js';

const { bold, dim, green, red, yellow } = colors;

export interface ImageContent {
  /** `trixie 25.03.0` */
  readonly image: string;
  readonly result: ContentResult;
}

/** The differences, what was refused, which content there was, and in a line what was compared. */
export function renderContent({ image, result }: ImageContent): string {
  const { cases, flows, packets, traced, kinds, findings, refused } = result;
  const what = `${cases} cases, ${packets} packets into ports, ${flows} flows`;
  const headline =
    findings.length > 0
      ? `${red('✖')} ${bold(image)}  ${findings.length} cases differ of ${what}`
      : refused.size > 0
        ? `${yellow('?')} ${bold(image)}  ${what}; not all of it was compared`
        : `${green('✔')} ${bold(image)}  ${what}`;
  return [
    ...findings.flatMap(renderFinding),
    ...[...refused].map(([why, times]) => yellow(`refused ${times} times: ${why}`)),
    `what there was: ${[...kinds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, times]) => `${kind} ${times}`)
      .join(', ')}`,
    headline,
    dim(
      `  ovn-trace was asked about ${traced.made + traced.skipped} packets; of ${traced.skipped} ` +
        'it could only suppose',
    ),
  ].join('\n');
}

function renderFinding({ index, differences }: ContentOutcome): readonly string[] {
  return [
    bold(`case ${index}`),
    ...differences.map(
      ({ aspect, stimulus, summary }) =>
        `  ${red(aspect)}${stimulus === undefined ? '' : ` of ${JSON.stringify(stimulus)}`}: ` +
        summary,
    ),
    '',
  ];
}

export function contentAsJson(seed: number, all: readonly ImageContent[]): string {
  return printedJson({
    schema: 'flowbed/fuzz-ovn/1',
    seed,
    images: all.map(({ image, result: { kinds, refused, ...result } }) => ({
      image,
      ...result,
      kinds: Object.fromEntries(kinds),
      refused: Object.fromEntries(refused),
    })),
  });
}
