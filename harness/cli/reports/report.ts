/** `flowbed report …`: reports of conformance, written, compared, signed and verified. */
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { renderConformance, renderConformancePage } from '../../../reports/render-conformance.js';
import { randomFor } from '../../base/random.js';
import { InputError } from '../../base/errors/errors.js';
import { colors } from '../../base/text/colors.js';
import { makeFolder } from '../../base/files/make-folder.js';
import { readInput } from '../../base/files/read-input.js';
import { sha256 } from '../../base/files/digest.js';
import { compareImplementations, compareReports } from '../../conformance/compare-reports.js';
import {
  conformanceOf,
  readConformanceReport,
  type ConformanceReport,
} from '../../conformance/conformance-report.js';
import { readRunFolder } from '../../run/records/read-run-folder.js';
import { exitCodes, type Context } from '../context.js';
import { openMatrixRun } from '../runs/matrix-run.js';
import { playPoint } from '../runs/play-point.js';
import { runSpecOf, type RunRequest } from '../runs/run-spec.js';
import { loadScenario } from '../scenarios/scenarios.js';
import { signFile, signerOf } from './sign-report.js';

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

export interface VerifyOptions {
  readonly sample: string;
  /** A file of ssh-keygen(1), "ALLOWED SIGNERS", or a public key of minisign. */
  readonly signers?: string;
  /** Files of scenarios that are not the project's, separated by commas. */
  readonly files?: string;
}

/**
 * Holds a report to its signature, and runs a sample of its scenarios again, which follows from the
 * report.
 * @returns 0 where the sample gives the same, 1 where it does not, 3 where it has no verdict.
 */
export async function reportVerify(
  context: Context,
  file: string,
  { sample, signers, files = '' }: VerifyOptions,
): Promise<number> {
  const text = (await readInput(file)).toString('utf8');
  const report = readConformanceReport(text, file);
  if (signers !== undefined)
    context.print(`${colors.green('✔')} signed by ${await signerOf(file, signers)}`);
  const scenarios = report.profiles.flatMap((profile) => profile.scenarios);
  if (!/^[1-9]\d{0,3}$/.test(sample))
    throw new InputError(`--sample: expected a number from 1 on, got "${sample}"`);
  const fileOf = new Map<string, string>();
  for (const one of files.split(',').filter((path) => path !== ''))
    fileOf.set((await loadScenario(context.root, one)).name, one);
  const { image, backend, imageDigest } = report.implementation;
  const request: RunRequest = {
    names: [],
    options: { image, backend, seed: String(report.seed), passes: passesOf(report) },
    points: drawn(scenarios, Number(sample), sha256(text)).map(({ name, axes }) => ({
      scenario: fileOf.get(name) ?? name,
      axes,
    })),
  };
  const run = await openMatrixRun(context, request, await runSpecOf(context.root, request));
  if (run.switches.real.image.digest !== imageDigest)
    context.say(`image ${image} holds other programs than it did: what differs may be theirs`);
  const codes: number[] = [];
  for (const [index, point] of run.spec.points.entries()) {
    const played = await playPoint(run, index, point);
    const wanted = scenarios.find(
      ({ name, axes }) =>
        name === point.scenario.name && JSON.stringify(axes) === JSON.stringify(point.axes),
    );
    const { traceHash, verdict } = played.report;
    const isSame = traceHash === wanted?.traceHash;
    const mark = isSame ? colors.green('✔') : colors.red('✖');
    const what = isSame
      ? 'the same trace again'
      : `trace ${traceHash.slice(0, 12)}, reported ${wanted?.traceHash.slice(0, 12) ?? 'none'}`;
    context.print(`${mark} ${point.scenario.name}: ${what}, ${verdict}`);
    codes.push(
      isSame ? exitCodes.conforms : exitCodes[verdict === 'inconclusive' ? verdict : 'diverges'],
    );
  }
  return codes.includes(exitCodes.diverges) ? exitCodes.diverges : Math.max(...codes);
}

/** As the command to run it again has it. */
function passesOf({ again }: ConformanceReport): 'all' | 'cold' {
  return / --passes cold\b/.test(again) ? 'cold' : 'all';
}

/** So many of them, by the digest of the report: nobody chooses them. */
function drawn<T>(all: readonly T[], count: number, digest: string): readonly T[] {
  const left = [...all];
  const random = randomFor(Number.parseInt(digest.slice(0, 8), 16), 'sample of a report');
  return Array.from({ length: Math.min(count, all.length) }, () =>
    left.splice(random.integer(0, left.length - 1), 1),
  ).flat();
}
