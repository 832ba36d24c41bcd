/**
 * `flowbed fuzz`: random flows, groups and frames, and sequences of what happens, through the model
 * and real switches of several versions.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openImage } from '../../../images/images.js';
import {
  fuzzAsJson,
  renderCoverage,
  renderFuzzImage,
  type ImageResult,
} from '../../../reports/render-fuzz.js';
import { InputError } from '../../base/errors/errors.js';
import { attempt, type Outcome } from '../../base/errors/outcome.js';
import type { FuzzCase, PacketStep } from '../../fuzz/fuzz-case.js';
import { runCampaign, type CampaignResult } from '../../fuzz/campaign.js';
import { enoughPackets } from '../../fuzz/coverage/required.js';
import { printRegression } from '../../fuzz/regression-case.js';
import { languageCalled, type Language } from '../../fuzz/languages.js';
import { bridge, meters, networkOf, portNumbers, tunnelOptions } from '../../fuzz/fuzz-network.js';
import { withinOneNode } from '../../fuzz/within-one-node.js';
import { openAllSides } from '../../fuzz/open-sides.js';
import type { Backend } from '../../testbeds/backend.js';
import { backendNamed, defaultBackend } from '../../testbeds/registry.js';
import { fuzzInGuest } from './fuzz-in-guest.js';
import { exitCodes, type Context } from '../context.js';
import { lineToType } from '../../base/text/shell-line.js';

export interface FuzzOptions {
  readonly seed: string;
  readonly count: string;
  readonly image: string;
  /** What brings up the switches: the first of the registry unless given. */
  readonly backend?: string;
  /** Where it takes place: `host` unless given, or `uml`. */
  readonly world?: string;
  readonly freeze?: string;
  /** Of events alone: the timeline that is to be played. */
  readonly case?: string;
  readonly json?: true;
}

/**
 * @returns 0 when model and switches agree in all, 1 when they diverge or something was never met,
 *   3 when something was not compared. @throws InputError for a wrong request.
 */
export async function fuzz(
  context: Context,
  languageName: string,
  options: FuzzOptions,
): Promise<number> {
  const language = languageCalled(languageName);
  if (options.case !== undefined)
    throw new InputError(
      `--case: expected with "events" or "dumps" alone, got it with "${languageName}"`,
    );
  const [seed, count] = [wholeNumber('seed', options.seed), wholeNumber('count', options.count)];
  const names = imageNames(options);
  if (options.world !== undefined && options.world !== 'host')
    return await fuzzInGuest(context, languageName, options, names);
  const backend = options.backend === undefined ? defaultBackend : backendNamed(options.backend);
  const results: ImageResult[] = [];
  const codes: number[] = [];
  for (const name of names) {
    const outcome = await fuzzImage(context, language, { name, backend }, seed, count);
    if (outcome.kind === 'unavailable') {
      context.print(
        [
          `? ${name}: ${outcome.cause.message}`,
          ...outcome.cause.evidence.map((line) => `    ${line}`),
          ...outcome.cause.remedies.map((line) => `  - ${line}`),
        ].join('\n'),
      );
      codes.push(exitCodes.inconclusive);
      continue;
    }
    results.push(outcome.value);
    codes.push(exitCodeOf(language, outcome.value.result, count));
    if (options.json !== true) context.print(renderFuzzImage(outcome.value));
    if (options.freeze !== undefined)
      await writeRegressions(context, options.freeze, seed, outcome.value);
  }
  if (options.json === true) context.print(fuzzAsJson(language, seed, count, results));
  else
    for (const { image, result } of results)
      context.print(
        '\nwhat the packets met on ' +
          `${image}` +
          `\n\n${renderCoverage(language, result)}${describeUncovered(language, result, count)}`,
      );
  return codes.includes(exitCodes.diverges) ? exitCodes.diverges : Math.max(...codes);
}

/** @throws InputError where cases of a language cannot be written to files, and are to be. */
export function refuseFreeze({ freeze }: Pick<FuzzOptions, 'freeze'>, languageName: string): void {
  if (freeze !== undefined)
    throw new InputError(
      `--freeze: expected with openflow, sequences, dumps or ovn, got it with "${languageName}"`,
    );
}

/** @throws InputError where there is none. */
export function imageNames({ image }: Pick<FuzzOptions, 'image'>): readonly string[] {
  const names = image.split(',').filter((name) => name !== '');
  if (names.length === 0)
    throw new InputError(
      '--image: expected one or more of trixie, bookworm, sid, system, with commas between',
    );
  return names;
}

export function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw new InputError(`--${name}: expected a whole number, got "${text}"`);
  return Number(text);
}

/**
 * Switches at a time: one waits for its packets while others are asked. They are worth bringing up
 * for as many packets each.
 */
const maxWorkers = 4;
const packetsPerWorker = 500;

/** What a kernel switches takes ten times as long to try. */
const triesOnKernels = 200;

async function fuzzImage(
  context: Context,
  { draw }: Language,
  { name, backend }: { readonly name: string; readonly backend: Backend },
  seed: number,
  count: number,
): Promise<Outcome<ImageResult>> {
  return await attempt(async () => {
    const image = await openImage(name, context.say);
    const workers = await openAllSides(
      image,
      Math.min(maxWorkers, Math.ceil(count / packetsPerWorker)),
      {
        teardown: context.teardown,
        backend,
      },
    );
    try {
      const onProgress = progressOf(context, name, count);
      const drawn = backend === defaultBackend ? draw : withinOneNode(draw);
      const result = await runCampaign(workers, {
        draw: drawn,
        seed,
        count,
        onProgress,
        ...(backend === defaultBackend ? {} : { shrinkTriesMax: triesOnKernels }),
      });
      return { image: `${name} ${workers[0]?.version ?? ''}`, result };
    } finally {
      await Promise.all(workers.map((sides) => sides.close()));
    }
  });
}

function exitCodeOf({ missingFrom }: Language, result: CampaignResult, count: number): number {
  if (result.findings.length > 0) return exitCodes.diverges;
  if (result.unknown.size > 0 || result.gone !== undefined) return exitCodes.inconclusive;
  return count >= enoughPackets && missingFrom(result.coverage).length > 0
    ? exitCodes.diverges
    : exitCodes.conforms;
}

function describeUncovered(
  { missingFrom }: Language,
  result: CampaignResult,
  count: number,
): string {
  const missing = missingFrom(result.coverage);
  if (missing.length === 0) return '';
  return (
    '\n\nnever met: ' +
    `${missing.join(', ')}${count >= enoughPackets ? '' : `\n(with fewer than ${enoughPackets} packets that may be chance)`}`
  );
}

/** A file a finding, to be kept and played again, and a folder with what `flowbed check` takes. */
async function writeRegressions(
  context: Context,
  folder: string,
  seed: number,
  { image, result }: ImageResult,
): Promise<void> {
  for (const { index, smallest, differences } of result.findings) {
    const name = join(folder, `seed-${seed}-case-${index}`);
    await mkdir(name, { recursive: true });
    await writeFile(
      `${name}.json`,
      printRegression({
        ...smallest,
        why: differences.map(({ aspect, summary }) => `${aspect}: ${summary}`).join('; '),
        found: [image],
      }),
    );
    await writeFile(join(name, 'flows'), smallest.flows.map((flow) => `${flow}\n`).join(''));
    await writeFile(join(name, 'groups'), smallest.groups.map((group) => `${group}\n`).join(''));
    await writeFile(join(name, 'meters'), meters.map((meter) => `${meter}\n`).join(''));
    await writeFile(join(name, 'tlv-map'), tunnelOptions.map((option) => `${option}\n`).join(''));
    await writeFile(
      join(name, 'ports'),
      portNumbers.map((port) => ` ${port}(${port}): addr:02:00:00:00:00:0${port}\n`).join(''),
    );
    context.print(`frozen: ${name}.json`);
    for (const { port, frame } of packetsOfOneBridge(smallest))
      context.print(
        '  ' +
          lineToType([
            './flowbed',
            'check',
            '--image',
            image.split(' ')[0] ?? image,
            '--bridge',
            `${bridge}=${name}`,
            '--in-port',
            port,
            '--packet',
            Buffer.from(frame).toString('hex'),
          ]),
      );
  }
}

/** The packets that one bridge alone makes sense of, one by one. */
function packetsOfOneBridge({ beyond, steps, ...programs }: FuzzCase): readonly PacketStep[] {
  return beyond.length > 0 ||
    networkOf(programs) !== 'one node' ||
    steps.some(({ kind }) => kind !== 'packet')
    ? []
    : steps.flatMap((step) => (step.kind === 'packet' ? [step] : []));
}

/**
 * Every case on a terminal; elsewhere a line for each tenth, or for each thousand of many packets,
 * and for each difference, so that a log stays readable.
 */
function progressOf(
  context: Context,
  name: string,
  total: number,
): (sent: number, doing: string) => void {
  let lastReported = -1;
  const step = Math.min(total / 10, 1000);
  return (sent, doing) => {
    const reached = Math.floor(sent / step);
    if (!process.stderr.isTTY && reached <= lastReported && doing === 'playing') return;
    lastReported = reached;
    context.say(`${name}: ${doing}: ${sent} of ${total} packets`);
  };
}
