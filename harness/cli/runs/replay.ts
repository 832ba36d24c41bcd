/** `flowbed replay RUN [VECTOR]`: a recorded run on fresh switches. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { openImage } from '../../../images/images.js';
import { within } from '../../base/files/path-part.js';
import { colors } from '../../base/text/colors.js';
import { unknownName } from '../../base/errors/errors.js';
import { shown } from '../../base/text/visible.js';
import { replay, type ReplayResult } from '../../run/records/replay-record.js';
import { readRunFolder, withRecorded } from '../../run/records/read-run-folder.js';
import { backendNamed } from '../../testbeds/registry.js';
import { commandInGuest } from './run-in-world.js';
import type { RunRecord } from '../../run/records/run-record.js';
import { exitCodes, type Context } from '../context.js';

/** As it was typed. */
export interface ReplayOptions {
  /** That of the run unless given. */
  readonly backend?: string;
  readonly world?: string;
}

/**
 * @returns 0 when every vector was the same again, 1 when one was not, 3 when one could not be
 *   played, or there is none.
 */
export async function replayRun(
  context: Context,
  run: string,
  vector: string | undefined,
  options: ReplayOptions = {},
): Promise<number> {
  const { world = 'host', backend } = options;
  if (!['host', 'uml'].includes(world)) throw unknownName('world', world, ['host', 'uml']);
  if (world === 'uml') return await replayInGuest(context, run, vector, options);
  const { report, scenarios } = await readRunFolder(context.root, run);
  if (backend !== undefined && backend !== report.backend)
    return await replayOnOthers(context, run, { report, scenarios }, vector, backend);
  const ids = scenarios.flatMap(({ vectors }) => vectors.map((each) => each.vector.id));
  if (vector !== undefined && !ids.includes(vector)) throw unknownName('vector', vector, ids);
  const image = await openImage(report.image, context.say);
  if (image.digest !== report.imageDigest)
    context.say(
      `image ${image.name} holds other programs or libraries than it did then: what differs ` +
        'may be theirs',
    );
  const results: ReplayResult[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    context.say(`${report.scenarios[index]?.name ?? ''}: playing again`);
    results.push(
      ...(await withRecorded({ root: context.root, run }, index, () =>
        replay(
          scenario,
          report.seed,
          (id) => vector === undefined || id === vector,
          (plan) => backendNamed(report.backend).open(plan, image, { teardown: context.teardown }),
        ),
      )),
    );
  }
  for (const result of results) if (result.kind !== 'same') context.print(render(shown(result)));
  if (results.length === 0) {
    context.print(`${colors.yellow('?')} there is no vector to play again: the run had none`);
    return exitCodes.inconclusive;
  }
  const same = results.filter(({ kind }) => kind === 'same');
  const events = same.reduce(
    (sum, result) => sum + (result.kind === 'same' ? result.events : 0),
    0,
  );
  context.print(
    `${same.length === results.length ? colors.green('✔') : colors.red('✖')} ${same.length} ` +
      `of ${results.length} vectors are the same again, ${events} events compared`,
  );
  if (results.some(({ kind }) => kind === 'different')) return exitCodes.diverges;
  return same.length === results.length ? exitCodes.conforms : exitCodes.inconclusive;
}

/**
 * What diverged on one testbed, on another: whether it does the same there.
 * @returns 0 where all of it does, 1 where something does not.
 */
async function replayOnOthers(
  context: Context,
  run: string,
  { report, scenarios }: RunRecord,
  vector: string | undefined,
  backend: string,
): Promise<number> {
  const image = await openImage(report.image, context.say);
  const codes: number[] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const { name = '', vectors = [] } = report.scenarios[index] ?? {};
    const diverged = vectors.filter(({ verdict }) => verdict === 'diverges').map(({ id }) => id);
    const wanted = vector === undefined ? diverged : [vector];
    if (wanted.length === 0) continue;
    context.say(`${name}: playing again what diverged`);
    const results = await withRecorded({ root: context.root, run }, index, () =>
      replay(
        scenario,
        report.seed,
        (id) => wanted.includes(id),
        (plan) => backendNamed(backend).open(plan, image, { teardown: context.teardown }),
        'frames and notes',
      ),
    );
    for (const result of results) {
      context.print(confirmation(shown(result), backend));
      codes.push(
        {
          same: exitCodes.conforms,
          different: exitCodes.diverges,
          inconclusive: exitCodes.inconclusive,
        }[result.kind],
      );
    }
  }
  if (codes.length > 0) return Math.max(...codes);
  context.print(`${colors.yellow('?')} there is nothing to confirm: no vector diverged`);
  return exitCodes.inconclusive;
}

function confirmation(result: ReplayResult, backend: string): string {
  const where = backend.startsWith('netns') ? 'a kernel' : backend;
  switch (result.kind) {
    case 'same':
      return `${colors.green('✔')} ${result.id} is confirmed on ${where}: ${result.events} events`;
    case 'different':
      return `${colors.red('✖')} ${result.id} is not confirmed on ${where}: ${result.first}`;
    case 'inconclusive':
      return render(result);
  }
}

/** The record goes along: in the guest it is the only one. */
async function replayInGuest(
  context: Context,
  run: string,
  vector: string | undefined,
  { backend }: ReplayOptions,
): Promise<number> {
  const { report } = await readRunFolder(context.root, run);
  await openImage(report.image, context.say);
  const folder = /^\d+$/.test(run) ? within(join(context.root, 'runs'), run) : run;
  const given = backend === undefined ? [] : ['--backend', backend];
  const { code, printed } = await commandInGuest(
    context,
    ['replay', '1', ...(vector === undefined ? [] : [vector]), ...given],
    report.seed,
    (runs) => cp(folder, join(runs, '1'), { recursive: true }),
  );
  context.print(printed.trimEnd());
  return code;
}

function render(result: Exclude<ReplayResult, { kind: 'same' }>): string {
  if (result.kind === 'different')
    return `${colors.red('✖')} ${colors.bold(result.id)} is different: ${result.first}`;
  return [
    `${colors.yellow('?')} ${colors.bold(result.id)}: ${result.cause.cause}`,
    ...result.cause.evidence.map((line) => `    ${line}`),
  ].join('\n');
}
