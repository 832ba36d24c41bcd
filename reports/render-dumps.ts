/** What `flowbed fuzz dumps` prints: for people, and as JSON. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson } from '../harness/base/text/visible.js';
import { printSetting } from '../harness/fuzz/dumps/dump-case.js';
import type { DumpFinding, DumpsResult } from '../harness/fuzz/dumps/run-dumps.js';

const { bold, dim, green, red } = colors;

/** What one image made of a seed. */
export interface ImageDumps {
  /** `trixie 3.5.0` */
  readonly image: string;
  readonly result: DumpsResult;
}

export function renderDumps({ image, result }: ImageDumps): string {
  const { cases, frames, findings, skipped } = result;
  const left = [...skipped.values()].reduce((sum, count) => sum + count, 0);
  const summary = `${cases} dumps: ${frames} frames compared, ${left} dumps refused or left out`;
  return [
    ...findings.flatMap((finding) => [...renderFinding(finding), '']),
    ...[...skipped]
      .toSorted(([, one], [, other]) => other - one)
      .slice(0, 10)
      .map(([why, count]) => dim(`  ${count} × ${why.slice(0, 140)}`)),
    findings.length > 0
      ? `${red('✖')} ${bold(image)}  ${findings.length} differences in ${summary}`
      : `${green('✔')} ${bold(image)}  ${summary}`,
  ].join('\n');
}

function renderFinding({ index, smallest, differences }: DumpFinding): readonly string[] {
  return [
    bold(`case ${index}, at its smallest`),
    ...smallest.settings.map((setting) => `  ${printSetting(setting)}`),
    ...smallest.packets.map(({ port, frame }) => `  packet into ${port} ${frame}`),
    ...differences.flatMap(({ aspect, summary, expected, actual }) => [
      `  ${red(aspect)}: ${summary}`,
      `    model   ${expected}`,
      `    switch  ${actual}`,
    ]),
  ];
}

/** One document: what differs on each image, with the settings and packets that it needs. */
export function dumpsAsJson(seed: number, results: readonly ImageDumps[]): string {
  return printedJson({
    language: 'dumps',
    seed,
    images: results.map(({ image, result: { skipped, ...result } }) => ({
      image,
      ...result,
      skipped: Object.fromEntries(skipped),
    })),
  });
}
