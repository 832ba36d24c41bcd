/** What `flowbed fuzz ovn` prints. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson } from '../harness/base/text/visible.js';
import type { ContentFinding, ContentResult } from '../harness/fuzz/ovn/run-content.js';

const { bold, dim, green, red, yellow } = colors;

export interface ImageContent {
  /** `trixie 25.03.0` */
  readonly image: string;
  readonly result: ContentResult;
}

/** The differences, what was refused, which content there was, and in a line what was compared. */
export function renderContent({ image, result }: ImageContent): string {
  const { cases, flows, packets, traced, kinds, findings, refused, leftOut } = result;
  const what = `${cases} cases, ${packets} packets into ports, ${flows} flows`;
  const headline =
    findings.length > 0
      ? `${red('✖')} ${bold(image)}  ${findings.length} cases differ of ${what}`
      : refused.size > 0
        ? `${yellow('?')} ${bold(image)}  ${what}; not all of it was compared`
        : `${green('✔')} ${bold(image)}  ${what}`;
  return [
    ...findings.flatMap(renderFinding),
    ...[...leftOut].map(([what, times]) => dim(`left out ${times} times: ${what}`)),
    ...[...refused].map(([why, times]) => yellow(`refused ${times} times: ${why}`)),
    `what there was: ${[...kinds]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([kind, times]) => `${kind} ${times}`)
      .join(', ')}`,
    headline,
    dim(
      `  ovn-trace was asked about ${traced.made + traced.skipped} packets; of ${traced.skipped} ` +
        'it said nothing, or could only suppose',
    ),
    ...[...result.crashes].map(([how, times]) =>
      dim(`  ovn-trace ended itself ${times} times: ${how}`),
    ),
    ...[...result.supposed].map(([what, times]) =>
      dim(`  something differs ${times} times behind what it supposes: ${what}`),
    ),
  ].join('\n');
}

/** Of one case: more of them follow from these. */
const shownMax = 5;

function renderFinding({ index, differences, shrunk }: ContentFinding): readonly string[] {
  return [
    bold(`case ${index}`),
    ...differences
      .slice(0, shownMax)
      .map(
        ({ aspect, stimulus, summary }) =>
          `  ${red(aspect)}${stimulus === undefined ? '' : ` of ${JSON.stringify(stimulus)}`}: ` +
          summary,
      ),
    ...(differences.length > shownMax ? [`  and ${differences.length - shownMax} more`] : []),
    ...(shrunk === undefined ? [] : [`  smallest: ${JSON.stringify(shrunk)}`]),
    '',
  ];
}

export function contentAsJson(seed: number, all: readonly ImageContent[]): string {
  return printedJson({
    schema: 'flowbed/fuzz-ovn/1',
    seed,
    images: all.map(
      ({ image, result: { kinds, refused, crashes, supposed, leftOut, ...result } }) => ({
        image,
        ...result,
        kinds: Object.fromEntries(kinds),
        refused: Object.fromEntries(refused),
        crashes: Object.fromEntries(crashes),
        supposed: Object.fromEntries(supposed),
        leftOut: Object.fromEntries(leftOut),
      }),
    ),
  });
}
