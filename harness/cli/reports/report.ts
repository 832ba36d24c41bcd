/** `flowbed report …`: reports of conformance, written, compared and signed. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { renderConformance, renderConformancePage } from '../../../reports/render-conformance.js';
import { colors } from '../../base/text/colors.js';
import { makeFolder } from '../../base/files/make-folder.js';
import { readInput } from '../../base/files/read-input.js';
import { compareImplementations, compareReports } from '../../conformance/compare-reports.js';
import {
  conformanceOf,
  readConformanceReport,
  type ConformanceReport,
} from '../../conformance/conformance-report.js';
import { readRunFolder } from '../../run/records/read-run-folder.js';
import { exitCodes, type Context } from '../context.js';
import { signFile } from './sign-report.js';

export async function reportConformance(
  context: Context,
  run: string,
  { out, sign }: { readonly out: string; readonly sign?: string },
): Promise<number> {
  const { report } = await readRunFolder(context.root, run);
  const conformance = conformanceOf(report);
  await makeFolder(out);
  const file = join(out, 'conformance.yaml');
  await writeFile(file, stringify(conformance, { lineWidth: 0 }));
  await writeFile(join(out, 'conformance.md'), renderConformance(conformance));
  await writeFile(join(out, 'conformance.html'), renderConformancePage(conformance));
  const signature = sign === undefined ? undefined : await signFile(file, sign);
  for (const { name, result, vectors } of conformance.profiles)
    context.print(`${name}: ${result}, ${describe(vectors)}`);
  context.print(
    `  reports   ${out}${signature === undefined ? '' : `, signed: ${basename(signature)}`}`,
  );
  return exitCodes[report.verdict];
}

function describe(vectors: Readonly<Record<string, number>>): string {
  return Object.entries(vectors)
    .flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]))
    .join(', ');
}

async function readReport(file: string): Promise<ConformanceReport> {
  return readConformanceReport((await readInput(file)).toString('utf8'), file);
}

/** @returns 0 where all results are the same, 1 where one is not. */
export async function reportDiff(context: Context, a: string, b: string): Promise<number> {
  const [before, now] = [await readReport(a), await readReport(b)];
  const lines = compareReports(before, now);
  for (const line of compareImplementations(before, now)) context.print(colors.dim(`  ${line}`));
  for (const line of lines) context.print(line);
  if (lines.length === 0) context.print('all results are the same');
  return lines.length === 0 ? exitCodes.conforms : exitCodes.diverges;
}
