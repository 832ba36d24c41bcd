/** `flowbed run`: scenarios on real switches. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import { openImage } from '../../images/images.js';
import { renderTerminal } from '../../reports/terminal.js';
import { readCluster } from '../../topologies/kubernetes.js';
import { readManifestFolder } from '../../topologies/manifest-folder.js';
import { readTopology } from '../../topologies/yaml.js';
import { atOnce } from '../base/at-once.js';
import { InputError } from '../base/errors.js';
import { sha256 } from '../base/digest.js';
import type { Network } from '../kube/objects.js';
import type { Scenario } from '../nouns/scenario.js';
import { addCounts, worst } from '../nouns/verdict.js';
import type { Image } from '../ovs/image.js';
import { versionOf } from '../ovs/version.js';
import type { Depth } from '../run/passes.js';
import type { RunRecord } from '../run/record.js';
import { reportFormat, type RunReport } from '../run/report.js';
import { writeRunFolder, type LogFile } from '../run/run-folder.js';
import { runScenario, type ScenarioRun } from '../run/scenario-run.js';
import { openSim } from '../testbeds/sim/sim.js';
import { exitCodes, type Context } from './context.js';
import type { Kept } from './keep.js';
import { loadScenario, matrix, parseSettings, scenarioNames } from './scenarios.js';
import { shellLine } from './shell-line.js';

export interface RunOptions {
  readonly image: string;
  readonly set?: string;
  readonly seed: string;
  readonly topology?: string;
  readonly manifests?: string;
  readonly passes: string;
  readonly json?: boolean;
  readonly report?: string;
  readonly keep?: boolean;
}

/**
 * @returns the exit code: 0 all conform, 1 something diverges, 3 inconclusive; with `keep` it does not return while there are
 * switches to keep. @throws InputError for a wrong request.
 */
export async function run(context: Context, names: readonly string[], options: RunOptions): Promise<number> {
  if (options.keep === true && options.json === true) throw new InputError('--keep waits for Ctrl-C and --json is for programs: choose one of them');
  const seed = parseSeed(options.seed);
  const depth = parseDepth(options.passes);
  const named = await Promise.all((names.length > 0 ? names : await scenarioNames(context.root)).map((name) => loadScenario(context.root, name)));
  const network = await networkOf(options);
  const scenarios = network === undefined ? named : onNetwork(named, network, names.length === 0);
  const settings = parseSettings(options.set, scenarios);
  const points = scenarios.flatMap((scenario) => matrix(scenario, settings).map((axes) => ({ scenario, axes })));
  const image = await openImage(options.image, context.say);
  const version = await versionOf(image);
  const again = commandLine(context.root, names, options);
  if (options.json !== true) context.print(`run again: ${again}\n`);

  const logs: LogFile[] = [];
  let kept: Kept | undefined;
  const runs = await atOnce(options.keep === true ? 1 : pointsAtOnce, [...points.entries()], async ([index, { scenario, axes }]) => {
    let clusters = 0;
    const label = [scenario.name, ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`)].join(' ');
    context.say(`${label}: bringing up switches`);
    const played = await runScenario(scenario, axes, {
      seed,
      depth,
      version,
      lanes: options.keep === true ? 1 : lanesMax(points.length),
      nowMs: () => performance.now(),
      onProgress: (done, total) => progress(context, label, done, total),
      openReal: async (plan) => {
        await kept?.sim.close();
        kept = undefined;
        const name = `point-${index + 1}/cluster-${++clusters}`;
        const sim = await openSim(plan, image, { teardown: context.teardown });
        return { ...sim, close: async () => {
          if (options.keep === true) kept = { label: points.length === 1 ? label : `${label}, the last of ${points.length}`, plan, sim };
          else await sim.close();
          logs.push(...(await sim.logs()).map((log) => ({ ...log, name: `${name}/${log.name}` })));
        } };
      },
    });
    if (kept !== undefined) kept = withNodesLeft(kept, played);
    return played;
  });
  const report = assemble(runs, { seed, image, again });
  const record: RunRecord = { report, scenarios: runs.map((each) => each.record) };
  const folder = await writeRunFolder(context.root, record, logs);
  if (options.report !== undefined) await writeReports(options.report, record);
  context.print(options.json === true ? JSON.stringify(report, null, 2) : [renderTerminal(report), `  folder    ${folder}`, ...(options.report === undefined ? [] : [`  reports   ${options.report}`])].join('\n'));
  if (kept !== undefined) await (await import('./keep.js')).hold(context, kept, image);
  else if (options.keep === true) context.print('\nkept: nothing, for no switches came up');
  return exitCodes[report.verdict];
}

/** Nodes that have left during a history have no switches to look at. */
function withNodesLeft(kept: Kept, { record: { history = [] } }: ScenarioRun): Kept {
  return { ...kept, plan: history.at(-1)?.plan ?? kept.plan };
}

async function writeReports(folder: string, record: RunRecord): Promise<void> {
  const { renderers } = await import('../../reports/index.js');
  await mkdir(folder, { recursive: true });
  for (const { file, render } of renderers) await writeFile(join(folder, file), await render(record));
}

/** While switches of one point of the matrix are at work, or none are up yet, the model and the comparison are with another's. */
const pointsAtOnce = 2;

/** The same within a point; where it is the only one, one more. More than three would wait for the model and the comparison. */
function lanesMax(points: number): number {
  return Math.min(3, availableParallelism() + (points === 1 ? 1 : 0));
}

function parseSeed(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InputError(`--seed: expected a whole number, got "${text}"`);
  return Number(text);
}

function parseDepth(text: string): Depth {
  if (text !== 'all' && text !== 'cold') throw new InputError(`--passes: expected all or cold, got "${text}"`);
  return text;
}

interface GivenNetwork {
  readonly axis: 'topology' | 'manifests';
  readonly path: string;
  readonly network: Network;
}

/** A network of the user's own, where there is one. */
async function networkOf({ topology, manifests }: RunOptions): Promise<GivenNetwork | undefined> {
  if (topology !== undefined && manifests !== undefined) throw new InputError('--topology and --manifests both say what the network is: choose one of them');
  if (manifests !== undefined) return { axis: 'manifests', path: manifests, network: readCluster(readManifestFolder(manifests), { name: 'manifests', tunnel: 'geneve' }) };
  if (topology === undefined) return undefined;
  const text = await readFile(topology, 'utf8').catch((error: unknown) => {
    throw new InputError(`--topology ${topology}: ${error instanceof Error ? error.message : String(error)}`);
  });
  return { axis: 'topology', path: topology, network: readTopology(text, topology) };
}

/** Axes that shape a scenario's own network no longer mean anything. A history is one of its own network: among all scenarios it is left out. */
function onNetwork(scenarios: readonly Scenario[], { axis, path, network }: GivenNetwork, amongAll: boolean): readonly Scenario[] {
  const [own] = scenarios.filter(({ history }) => history !== undefined);
  if (own !== undefined && !amongAll) throw new InputError(`--${axis} ${path}: ${own.name} is a history of its own network; run it without, or name other scenarios`);
  const axes = { [axis]: { values: [basename(path)], default: [basename(path)] } };
  return scenarios.filter(({ history }) => history === undefined).map(({ after: _, ...scenario }) => ({ ...scenario, axes, topology: () => network }));
}

function assemble(runs: readonly ScenarioRun[], { seed, image, again }: { readonly seed: number; readonly image: Image; readonly again: string }): RunReport {
  const scenarios = runs.map(({ report }) => report);
  return {
    schema: reportFormat,
    again,
    seed,
    backend: 'sim',
    image: image.name,
    imageDigest: image.digest,
    versions: Object.assign({}, ...runs.map(({ versions }) => versions)) as RunReport['versions'],
    verdict: worst(scenarios.map(({ verdict }) => verdict)),
    traceHash: sha256(scenarios.map(({ traceHash }) => traceHash).join('\n')),
    counts: addCounts(scenarios.map(({ counts }) => counts)),
    scenarios,
  };
}

/** As it is to be typed in the folder where this was: names of files are relative to it. */
function commandLine(root: string, names: readonly string[], options: RunOptions): string {
  const launcher = relative(process.cwd(), join(root, 'flowbed'));
  const words = [launcher.includes('/') ? launcher : `./${launcher}`, 'run', ...names, '--image', options.image, '--seed', options.seed];
  if (options.set !== undefined) words.push('--set', options.set);
  if (options.passes !== 'all') words.push('--passes', options.passes);
  if (options.topology !== undefined) words.push('--topology', options.topology);
  if (options.manifests !== undefined) words.push('--manifests', options.manifests);
  return shellLine(words);
}

/** Every vector on a terminal; elsewhere only the first and the last, so that a log stays readable. */
function progress(context: Context, label: string, done: number, total: number): void {
  if (process.stderr.isTTY || done === 0 || done === total) context.say(`${label}: ${done} of ${total} vectors`);
}
