/** `flowbed replay RUN [VECTOR]`: a recorded run on fresh switches. */
import { openImage } from '../../../images/images.js';
import { colors } from '../../base/text/colors.js';
import { InputError, unknownName } from '../../base/errors/errors.js';
import { shown } from '../../base/text/visible.js';
import { replay, type ReplayResult } from '../../run/records/replay-record.js';
import { readRunFolder, withRecorded } from '../../run/records/read-run-folder.js';
import { backendNamed } from '../../testbeds/registry.js';
import { replayInGuest, replayOnOthers } from './replay-on-others.js';
import { exitCodes, type Context } from '../context.js';

/** As it was typed. */
export interface ReplayOptions {
  /** That of the run unless given. */
  readonly backend?: string;
  readonly world?: string;
  readonly json?: boolean;
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
  const { world = 'host', backend, json } = options;
  if (!['host', 'uml'].includes(world)) throw unknownName('world', world, ['host', 'uml']);
  if (world === 'uml') return await replayInGuest(context, run, vector, backend);
  const { report, scenarios } = await readRunFolder(context.root, run);
  if (backend !== undefined && backend !== report.backend)
    return await replayOnOthers(context, { run, vector, backend, json });
  if (json === true)
    throw new InputError('--json goes with --backend of other switches than those of the run');
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

function render(result: Exclude<ReplayResult, { kind: 'same' }>): string {
  if (result.kind === 'different')
    return `${colors.red('✖')} ${colors.bold(result.id)} is different: ${result.first}`;
  return [
    `${colors.yellow('?')} ${colors.bold(result.id)}: ${result.cause.cause}`,
    ...result.cause.evidence.map((line) => `    ${line}`),
  ].join('\n');
}
