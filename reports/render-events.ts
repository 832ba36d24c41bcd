/** What `flowbed fuzz events` prints: for people, and as JSON. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson } from '../harness/base/text/visible.js';
import type { EventsFinding, EventsResult } from '../harness/fuzz/run-events.js';
import { aspects } from '../harness/domain/verdict.js';

const { bold, dim, green, red, yellow } = colors;

/** What one image made of a seed. */
export interface ImageEvents {
  /** `trixie 3.5.0` */
  readonly image: string;
  readonly result: EventsResult;
}

/**
 * The differences, each with its shortest timeline; what was aborted; what happened; and in a
 * line what was compared.
 */
export function renderEvents({ image, result }: ImageEvents): string {
  const { timelines, steps, findings, aborted, met, counts } = result;
  const compared = aspects
    .filter((aspect) => counts[aspect].made > 0)
    .map((aspect) => `${counts[aspect].made} ${aspect}`)
    .join(', ');
  const summary = `${timelines} timelines of ${steps} steps in all`;
  const headline =
    findings.length > 0
      ? `${red('✖')} ${bold(image)}  ${findings.length} differences in ${summary}`
      : aborted.length > 0
        ? `${yellow('?')} ${bold(image)}  ${summary}, ${aborted.length} of them aborted`
        : `${green('✔')} ${bold(image)}  ${summary}`;
  return [
    ...findings.flatMap(renderFinding),
    ...aborted.map(
      ({ index, step, cause }) => `timeline ${index} was aborted at ${step}: ${cause}`,
    ),
    `what happened: ${[...met]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([what, count]) => `${what} ${count}`)
      .join(', ')}`,
    headline,
    dim(`  compared: ${compared}`),
  ].join('\n');
}

function renderFinding({ index, steps }: EventsFinding): readonly string[] {
  return [
    bold(`timeline ${index}, at its shortest`),
    ...steps.flatMap(({ id, intent, differences }) => [
      `  ${id}${intent === undefined ? '' : dim(`  ${intent.kind}`)}`,
      ...differences
        .filter(({ afterDivergence }) => !afterDivergence)
        .flatMap(({ aspect, summary, expected, actual }) => [
          `    ${red(aspect)}: ${summary}`,
          `      expected ${expected}`,
          `      actual   ${actual}`,
        ]),
    ]),
    '',
  ];
}

export function eventsAsJson(seed: number, all: readonly ImageEvents[]): string {
  return printedJson({
    schema: 'flowbed/fuzz-events/2',
    seed,
    images: all.map(({ image, result: { met, ...result } }) => ({
      image,
      ...result,
      met: Object.fromEntries(met),
    })),
  });
}
