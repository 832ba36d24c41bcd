/** `flowbed report verify`: a report held to its signature, to itself, and to another run. */
import { randomFor } from '../../base/random.js';
import { InputError } from '../../base/errors/errors.js';
import { colors } from '../../base/text/colors.js';
import { readInput } from '../../base/files/read-input.js';
import { sha256 } from '../../base/files/digest.js';
import {
  readConformanceReport,
  type ConformanceReport,
} from '../../conformance/conformance-report.js';
import { differencesFrom, inconsistenciesIn } from '../../conformance/verify-report.js';
import { exitCodes, type Context } from '../context.js';
import { knownDivergencesOf } from '../runs/known-divergence-file.js';
import { openMatrixRun } from '../runs/matrix-run.js';
import { playPoint } from '../runs/play-point.js';
import { runSpecOf, type RunRequest } from '../runs/run-spec.js';
import { loadScenario } from '../scenarios/scenarios.js';
import { signerOf } from './sign-report.js';

export interface VerifyOptions {
  /** So many scenarios; with a signature one, and all without. */
  readonly sample?: string;
  /** A file of ssh-keygen(1), "ALLOWED SIGNERS", or a public key of minisign. */
  readonly signers?: string;
  /** Files of scenarios that are not the project's, separated by commas. */
  readonly files?: string;
}

/**
 * Holds a report to its signature and to itself, and plays scenarios again: all that it says of
 * them must be so. With a signature a sample is enough, which follows from the report.
 * @returns 0 where all is so, 1 where something is not, 3 where something has no verdict now.
 */
export async function reportVerify(
  context: Context,
  file: string,
  options: VerifyOptions,
): Promise<number> {
  const text = (await readInput(file)).toString('utf8');
  const report = readConformanceReport(text, file);
  const { signers } = options;
  const wrong = colors.red('✖');
  context.print(
    signers === undefined
      ? `${colors.yellow('?')} no signature was checked: give --signers`
      : `${colors.green('✔')} signed by ${await signerOf(file, signers)}`,
  );
  const inconsistent = inconsistenciesIn(report);
  for (const line of inconsistent) context.print(`${wrong} ${line}`);
  const scenarios = report.profiles.flatMap((profile) => profile.scenarios);
  const request = await requestOf(
    context,
    report,
    sampleOf(report, options, sha256(text)),
    options,
  );
  const spec = await runSpecOf(context.root, request);
  const judgeKnown = await knownDivergencesOf(context.root, request.options, spec.points);
  const run = await openMatrixRun(context, request, spec, judgeKnown);
  if (run.switches.real.image.digest !== report.implementation.imageDigest)
    context.say(
      `image ${request.options.image} holds other programs than it did: what differs may be theirs`,
    );
  const codes: number[] = inconsistent.length === 0 ? [] : [exitCodes.diverges];
  for (const [index, point] of spec.points.entries()) {
    const { report: played } = await playPoint(run, index, point);
    const reported = scenarios.find(
      ({ name, axes }) =>
        name === point.scenario.name && JSON.stringify(axes) === JSON.stringify(point.axes),
    );
    const different = reported === undefined ? [] : differencesFrom(reported, played);
    context.print(
      different.length === 0
        ? `${colors.green('✔')} ${point.scenario.name}: all of it again, ${played.verdict}`
        : different.map((line) => `${wrong} ${line}`).join('\n'),
    );
    if (different.length > 0)
      codes.push(exitCodes[played.verdict === 'inconclusive' ? played.verdict : 'diverges']);
  }
  const left = scenarios.length - spec.points.length;
  if (left > 0)
    context.print(`  ${left} of ${scenarios.length} scenarios were not played again (--sample)`);
  return codes.includes(exitCodes.diverges) ? exitCodes.diverges : Math.max(0, ...codes);
}

type Entry = ConformanceReport['profiles'][number]['scenarios'][number];

/** @throws InputError for what is no number. */
function sampleOf(
  { profiles }: ConformanceReport,
  { sample, signers }: VerifyOptions,
  digest: string,
): readonly Entry[] {
  const scenarios = profiles.flatMap((profile) => profile.scenarios);
  if (sample === undefined && signers === undefined) return scenarios;
  if (sample !== undefined && !/^[1-9]\d{0,3}$/.test(sample))
    throw new InputError(`--sample: expected a number from 1 on, got "${sample}"`);
  return drawn(scenarios, Number(sample ?? '1'), digest);
}

/** @throws InputError for a report of a network of somebody's own, which is not in it. */
async function requestOf(
  { root }: Context,
  { implementation: { image, backend }, seed, again }: ConformanceReport,
  entries: readonly Entry[],
  { files = '' }: VerifyOptions,
): Promise<RunRequest> {
  const own = /--(manifests|topology|compare) /.exec(again);
  if (own !== null)
    throw new InputError(
      `the report is of a run with ${own[0].trim()}, which is not in it: ${again}`,
    );
  const fileOf = new Map<string, string>();
  for (const one of files.split(',').filter((path) => path !== ''))
    fileOf.set((await loadScenario(root, one)).name, one);
  const [known, today] = ['known', 'today'].map(
    (name) => new RegExp(` --${name} (\\S+)`).exec(again)?.[1],
  );
  return {
    names: [],
    options: {
      image,
      backend,
      seed: String(seed),
      passes: / --passes cold\b/.test(again) ? 'cold' : 'all',
      ...(known === undefined ? {} : { known }),
      ...(today === undefined ? {} : { today }),
    },
    points: entries.map(({ name, axes }) => ({ scenario: fileOf.get(name) ?? name, axes })),
  };
}

/** So many of them, by the digest of the report: nobody chooses them. */
function drawn<T>(all: readonly T[], count: number, digest: string): readonly T[] {
  const left = [...all];
  const random = randomFor(Number.parseInt(digest.slice(0, 8), 16), 'sample of a report');
  return Array.from({ length: Math.min(count, all.length) }, () =>
    left.splice(random.integer(0, left.length - 1), 1),
  ).flat();
}
