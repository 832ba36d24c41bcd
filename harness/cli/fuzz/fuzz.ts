/**
 * `flowbed fuzz`: random flows, groups and frames, and sequences of what happens, through the model
 * and real switches of several versions.
 */
import { openImage } from '../../../images/images.js';
import {
  fuzzAsJson,
  renderCoverage,
  renderFuzzImage,
  type ImageResult,
} from '../../../reports/render-fuzz.js';
import { InputError } from '../../base/errors/errors.js';
import { attempt, type Outcome } from '../../base/errors/outcome.js';
import type { FuzzCase } from '../../fuzz/fuzz-case.js';
import { runCampaign, type Campaign, type CampaignResult } from '../../fuzz/campaign.js';
import { enoughPackets } from '../../fuzz/coverage/required.js';
import { languageCalled, type Language } from '../../fuzz/languages.js';
import { networkOf } from '../../fuzz/fuzz-network.js';
import { withinOneNode } from '../../fuzz/within-one-node.js';
import { openAllSides, type SideOptions } from '../../fuzz/open-sides.js';
import type { Backend } from '../../testbeds/backend.js';
import { backendNamed, defaultBackend } from '../../testbeds/registry.js';
import { freezeCases } from './freeze-cases.js';
import { readFrozenCases } from './frozen-cases.js';
import { fuzzInGuest } from './fuzz-in-guest.js';
import { exitCodes, type Context } from '../context.js';

export interface FuzzOptions {
  readonly seed: string;
  readonly count: string;
  readonly image: string;
  /** What brings up the switches: the first of the registry unless given. */
  readonly backend?: string;
  readonly world?: string;
  readonly freeze?: string;
  /** A file or folder of cases, which are played instead of random ones. */
  readonly frozen?: string;
  readonly shrink?: boolean;
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
  const request: Request = {
    language,
    backend,
    seed,
    count,
    shrinks: options.shrink === false ? 'no' : 'yes',
    ...(options.frozen === undefined
      ? {}
      : { frozen: playableOn(context, backend, await readFrozenCases(options.frozen)) }),
  };
  const results: ImageResult[] = [];
  const codes: number[] = [];
  for (const name of names) {
    const outcome = await fuzzImage(context, name, request);
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
      await freezeCases(context, options.freeze, seed, outcome.value);
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

interface Request {
  readonly language: Language;
  readonly backend: Backend;
  readonly seed: number;
  readonly count: number;
  readonly shrinks: 'yes' | 'no';
  /** Instead of what the language draws. */
  readonly frozen?: readonly FuzzCase[];
}

async function fuzzImage(
  context: Context,
  name: string,
  request: Request,
): Promise<Outcome<ImageResult>> {
  const { language, backend, seed, count, frozen } = request;
  return await attempt(async () => {
    const image = await openImage(name, context.say);
    const workers = await openAllSides(
      image,
      frozen === undefined ? Math.min(maxWorkers, Math.ceil(count / packetsPerWorker)) : 1,
      { teardown: context.teardown, backend, ...withoutOf(language, backend) },
    );
    try {
      const onProgress = progressOf(context, name, count);
      const result = await runCampaign(workers, {
        ...casesOf(request),
        seed,
        count,
        onProgress,
        shrinkTriesMax: triesMax(request),
      });
      return { image: `${name} ${workers[0]?.version ?? ''}`, result };
    } finally {
      await Promise.all(workers.map((sides) => sides.close()));
    }
  });
}

function casesOf({
  language: { draw },
  backend,
  frozen,
}: Request): Pick<Campaign, 'draw' | 'casesMax'> {
  if (frozen !== undefined)
    return { draw: (_, index) => frozen[index % frozen.length]!, casesMax: frozen.length };
  return { draw: backend === defaultBackend ? draw : withinOneNode(draw) };
}

/** As `withinOneNode` has it of what is drawn. @throws InputError where none can be played. */
function playableOn(
  { say }: Context,
  backend: Backend,
  cases: readonly FuzzCase[],
): readonly FuzzCase[] {
  if (backend === defaultBackend) return cases;
  const playable = cases.filter((each) => networkOf(each) === 'one node');
  if (playable.length < cases.length)
    say(`${cases.length - playable.length} cases of two nodes are left out on ${backend.name}`);
  if (playable.length === 0)
    throw new InputError(`--frozen: expected a case of one node on backend ${backend.name}`);
  return playable;
}

function withoutOf({ without }: Language, backend: Backend): Pick<SideOptions, 'without'> {
  return backend === defaultBackend || without === undefined ? {} : { without };
}

function triesMax({ shrinks, backend }: Request): number {
  if (shrinks === 'no') return 0;
  return backend === defaultBackend ? Infinity : triesOnKernels;
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
