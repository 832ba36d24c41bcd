/** What `flowbed fuzz forms` prints: for people, and as JSON. */
import { colors } from '../harness/base/text/colors.js';
import { printedJson } from '../harness/base/text/visible.js';
import type { FormFinding, FormsResult } from '../harness/fuzz/forms/run-forms.js';

const { bold, dim, green, red } = colors;

/** What one image made of a seed. */
export interface ImageForms {
  /** `trixie 3.5.0` */
  readonly image: string;
  readonly result: FormsResult;
}

export function renderForms({ image, result }: ImageForms): string {
  const { cases, frames, findings, skipped } = result;
  const left = [...skipped.values()].reduce((sum, count) => sum + count, 0);
  const summary = `${cases} bridges in ${cases} dumps: ${frames} frames compared, ${left} left out`;
  return [
    ...findings.flatMap((finding) => [...renderFinding(finding), '']),
    ...[...skipped].map(([why, count]) => dim(`  ${count} × ${why.slice(0, 140)}`)),
    findings.length > 0
      ? `${red('✖')} ${bold(image)}  ${findings.length} differences in ${summary}`
      : `${green('✔')} ${bold(image)}  ${summary}`,
  ].join('\n');
}

function renderFinding({ index, form, smallest, differences }: FormFinding): readonly string[] {
  return [
    bold(`case ${index}, dumped with ${form}, at its smallest`),
    ...[...smallest.groups, ...smallest.flows].map((line) => `  ${line}`),
    ...smallest.packets.map(({ port, frame }) => `  packet into ${port} ${hex(frame)}`),
    ...differences.flatMap(({ aspect, summary, expected, actual }) => [
      `  ${red(aspect)}: ${summary}`,
      `    model   ${expected}`,
      `    switch  ${actual}`,
    ]),
  ];
}

function hex(frame: Uint8Array): string {
  return Buffer.from(frame).toString('hex');
}

/** One document: what differs on each image, with the flows and packets that it needs. */
export function formsAsJson(seed: number, results: readonly ImageForms[]): string {
  return printedJson({
    language: 'forms',
    seed,
    images: results.map(({ image, result: { skipped, findings, ...result } }) => ({
      image,
      ...result,
      findings: findings.map(({ smallest: { packets, ...smallest }, ...finding }) => ({
        ...finding,
        ...smallest,
        packets: packets.map(({ port, frame }) => ({ port, frame: hex(frame) })),
      })),
      skipped: Object.fromEntries(skipped),
    })),
  });
}
