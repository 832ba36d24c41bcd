/**
 * What diverged on one testbed, on another, here or in a guest: whether it does the same there. Of
 * a kernel's datapath the answer stays in the run's folder, and its findings have it.
 */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { openImage } from '../../../images/images.js';
import { describeOnKernel, findingsOf } from '../../../reports/describe-differences.js';
import { BugInFlowbed, unknownName } from '../../base/errors/errors.js';
import { within } from '../../base/files/path-part.js';
import { colors } from '../../base/text/colors.js';
import { printedJson, shown } from '../../base/text/visible.js';
import type { Aspect } from '../../domain/verdict.js';
import type { HeldToRecord } from '../../run/records/held-to-record.js';
import { writeKernelAnswers } from '../../run/records/kernel-answers.js';
import { folderOf, readRunFolder, withRecorded } from '../../run/records/read-run-folder.js';
import { replay, type ReplayResult } from '../../run/records/replay-record.js';
import type { RunRecord } from '../../run/records/run-record.js';
import type { ScenarioReport } from '../../run/records/run-report.js';
import type { OnKernel } from '../../run/judging/vector-report.js';
import { backendNamed } from '../../testbeds/registry.js';
import { exitCodes, type Context } from '../context.js';
import { commandInGuest } from './command-in-guest.js';

/** What is to be played elsewhere. */
export interface OthersRequest {
  readonly run: string;
  /** The first vector of each finding unless given. */
  readonly vector: string | undefined;
  readonly backend: string;
  readonly json?: boolean | undefined;
}

/** As `--json` prints it. */
interface ReplayedElsewhere {
  readonly format: 'flowbed/replayed/1';
  /** The version of Linux whose datapath switched; missing where it was that of ovs-vswitchd. */
  readonly linux?: string;
  readonly answers: readonly {
    readonly scenario: number;
    readonly id: string;
    readonly onKernel: OnKernel;
  }[];
}

/**
 * @returns 0 where all of it does the same, 1 where something does not, 3 where nothing is said.
 */
export async function replayOnOthers(context: Context, request: OthersRequest): Promise<number> {
  const record = await readRunFolder(context.root, request.run);
  const played = await playElsewhere(context, record, request);
  if (request.json === true) context.print(printedJson(played));
  else await conclude(context, request, played);
  return codeOf(played);
}

/** The same in a guest. The record goes along: there it is the only one. */
export async function replayInGuest(
  context: Context,
  run: string,
  vector: string | undefined,
  backend: string | undefined,
): Promise<number> {
  const { report } = await readRunFolder(context.root, run);
  if (backend === undefined || backend === report.backend) {
    const { code, printed } = await replayThere(context, { run, vector }, report);
    context.print(printed.trimEnd());
    return code;
  }
  const request = { run, vector, backend };
  const played = await playInGuest(context, request);
  await conclude(context, request, played);
  return codeOf(played);
}

/** @throws Unavailable when the guest gives no answer. */
export async function playInGuest(
  context: Context,
  { run, vector, backend }: OthersRequest,
): Promise<ReplayedElsewhere> {
  const { report } = await readRunFolder(context.root, run);
  const { code, printed } = await replayThere(context, { run, vector, backend }, report);
  if (printed === '')
    throw new BugInFlowbed(`the replay in the guest ended with ${code}, and said nothing`);
  return JSON.parse(printed) as ReplayedElsewhere;
}

async function replayThere(
  context: Context,
  { run, vector, backend }: Pick<OthersRequest, 'run' | 'vector'> & { readonly backend?: string },
  { image, seed }: RunRecord['report'],
) {
  await openImage(image, context.say);
  const folder = /^\d+$/.test(run) ? within(join(context.root, 'runs'), run) : run;
  const words = [
    ...(vector === undefined ? [] : [vector]),
    ...(backend === undefined ? [] : ['--backend', backend, '--json']),
  ];
  return await commandInGuest(context, ['replay', '1', ...words], seed, (runs) =>
    cp(folder, join(runs, '1'), { recursive: true }),
  );
}

async function playElsewhere(
  context: Context,
  { report, scenarios }: RunRecord,
  { run, vector, backend }: OthersRequest,
): Promise<ReplayedElsewhere> {
  const ids = scenarios.flatMap(({ vectors }) => vectors.map((each) => each.vector.id));
  if (vector !== undefined && !ids.includes(vector)) throw unknownName('vector', vector, ids);
  const image = await openImage(report.image, context.say);
  const versions: Record<string, string> = {};
  const answers: ReplayedElsewhere['answers'][number][] = [];
  for (const [index, scenario] of scenarios.entries()) {
    const reported = report.scenarios[index];
    const wanted = reported === undefined ? [] : wantedOf(reported, vector);
    if (reported === undefined || wanted.length === 0) continue;
    context.say(`${reported.name}: playing again what diverged`);
    const results = await withRecorded({ root: context.root, run }, index, () =>
      replay(
        scenario,
        report.seed,
        (id) => wanted.includes(id),
        async (plan) => {
          const open = { teardown: context.teardown };
          const switches = await backendNamed(backend).open(plan, image, open);
          Object.assign(versions, switches.versions);
          return switches;
        },
        (id) => heldOf(reported, id),
      ),
    );
    for (const result of results)
      answers.push({ scenario: index, id: result.id, onKernel: answerOf(reported, result) });
  }
  const linux = versions['linux'];
  return { format: 'flowbed/replayed/1', ...(linux === undefined ? {} : { linux }), answers };
}

function wantedOf(scenario: ScenarioReport, vector: string | undefined): readonly string[] {
  if (vector !== undefined) return scenario.vectors.some(({ id }) => id === vector) ? [vector] : [];
  return findingsOf(scenario).flatMap(({ ids }) => ids.slice(0, 1));
}

/** What frames and notes of hosts show. */
const ofFrames: readonly Aspect[] = ['intent', 'frames', 'silence'];

function aspectOf({ vectors }: ScenarioReport, id: string): Aspect {
  return vectors.find((vector) => vector.id === id)?.differences[0]?.aspect ?? 'frames';
}

function heldOf(scenario: ScenarioReport, id: string): HeldToRecord {
  return aspectOf(scenario, id) === 'counters' ? 'frames, notes and counters' : 'frames and notes';
}

/** That frames are the same says nothing of a finding about anything else. */
function answerOf(scenario: ScenarioReport, result: ReplayResult): OnKernel {
  const aspect = aspectOf(scenario, result.id);
  switch (result.kind) {
    case 'inconclusive':
      return { kind: 'inconclusive', what: result.cause.cause };
    case 'different':
      return { kind: 'model only', what: result.first };
    case 'same':
      return ofFrames.includes(aspect) || aspect === 'counters'
        ? { kind: 'confirmed', what: `${result.events} events` }
        : {
            kind: 'inconclusive',
            what: `its finding is about ${aspect}, and frames are the same on each datapath`,
          };
  }
}

async function conclude(
  context: Context,
  { run, backend }: OthersRequest,
  { linux, answers }: ReplayedElsewhere,
): Promise<void> {
  if (linux !== undefined && answers.length > 0)
    await writeKernelAnswers(folderOf(context.root, run), answers);
  for (const { id, onKernel } of shown(answers))
    context.print(
      `${marks[onKernel.kind]} ${id} ` +
        (linux === undefined ? onOthers(onKernel, backend) : `is ${describeOnKernel(onKernel)}`),
    );
  if (answers.length === 0)
    context.print(`${colors.yellow('?')} there is nothing to confirm: no vector diverged`);
}

const marks = {
  confirmed: colors.green('✔'),
  'model only': colors.red('✖'),
  inconclusive: colors.yellow('?'),
} as const;

/** Of a testbed whose datapath is that of ovs-vswitchd. */
function onOthers({ kind, what }: OnKernel, backend: string): string {
  switch (kind) {
    case 'confirmed':
      return `is confirmed on ${backend}: ${what}`;
    case 'model only':
      return `is not confirmed on ${backend}: ${what}`;
    case 'inconclusive':
      return `was not played on ${backend}: ${what}`;
  }
}

function codeOf({ answers }: ReplayedElsewhere): number {
  const codes = {
    confirmed: 'conforms',
    'model only': 'diverges',
    inconclusive: 'inconclusive',
  } as const;
  const reached = answers.map(({ onKernel }) => exitCodes[codes[onKernel.kind]]);
  return reached.length === 0 ? exitCodes.inconclusive : Math.max(...reached);
}
