/** `flowbed selftest`: does a run catch what it should? */
import { openImage } from '../../images/images.js';
import { colors } from '../base/text/colors.js';
import { fieldOf, flowText, tableOf } from '../domain/location.js';
import type { Image } from '../ovs/process/image.js';
import { runScenario } from '../run/run-scenario.js';
import { tryFault } from '../selftest/try-fault.js';
import { tryWordFault, wordFaults } from '../selftest/word-faults.js';
import { readerFaults, tryReaderFault } from '../selftest/reader-faults.js';
import type { FaultResult } from '../selftest/judge-fault.js';
import { suites, type Suite } from '../selftest/suites.js';
import { serviceFaults, tryServiceFault } from '../programs/contrail-cnm/testkit/service-faults.js';
import { exitCodes, type Context } from './context.js';
import { loadScenario, matrix } from './scenarios/scenarios.js';
import { defaultBackend } from '../testbeds/registry.js';

const { bold, dim, green, red } = colors;

/**
 * @returns 0 when every fault was caught at the right table, 1 when one was not, 3 when a scenario
 *   does not conform without faults.
 */
export async function selftest(
  context: Context,
  options: { readonly image: string },
): Promise<number> {
  const image = await openImage(options.image, context.say);
  const results: FaultResult[] = [];
  for (const suite of suites) {
    const found = await runSuite(context, suite, image);
    if (found === undefined) return exitCodes.inconclusive;
    results.push(...found);
  }
  const caught = results.filter(({ kind }) => kind === 'caught').length;
  context.print(`\n${caught} of ${results.length} faults caught at the right table`);
  const missed =
    (await missedReaderFaults(context, image)) +
    (await missedWordFaults(context, image)) +
    (await missedServiceFaults(context));
  return caught === results.length && missed === 0 ? exitCodes.conforms : exitCodes.diverges;
}

/** How many faults in the reader of dumps `check` does not catch. */
async function missedReaderFaults(context: Context, image: Image): Promise<number> {
  let missed = 0;
  for (const fault of readerFaults) {
    context.say(`planting: ${fault.name}`);
    const [finding] = await tryReaderFault(fault, image, { teardown: context.teardown });
    if (finding === undefined) missed++;
    context.print(
      finding === undefined
        ? `${red('✖')} ${bold(fault.name)}\n    went unnoticed`
        : `${green('✔')} ${bold(fault.name)} ${dim('(in the reader of dumps)')}\n` +
            `    ${finding.aspect}: ${finding.summary}`,
    );
  }
  context.print(
    `\n${readerFaults.length - missed} of ${readerFaults.length} faults of readers caught`,
  );
  return missed;
}

/** How many faults in the reader of FLOW the switch's own ofproto/trace does not show. */
async function missedWordFaults(context: Context, image: Image): Promise<number> {
  let missed = 0;
  for (const fault of wordFaults) {
    context.say(`planting: ${fault.name}`);
    const { differences } = await tryWordFault(fault, image, { teardown: context.teardown });
    const [first] = differences;
    if (first === undefined) missed++;
    context.print(
      first === undefined
        ? `${red('✖')} ${bold(fault.name)}\n    went unnoticed`
        : `${green('✔')} ${bold(fault.name)} ${dim('(in the reader of FLOW)')}\n` +
            `    ${first.summary}`,
    );
  }
  context.print(`\n${wordFaults.length - missed} of ${wordFaults.length} faults of FLOW caught`);
  return missed;
}

/** How many faults in services around Contrail's plugin the four places do not show. */
async function missedServiceFaults(context: Context): Promise<number> {
  let missed = 0;
  for (const plant of serviceFaults) {
    const fault = plant();
    context.say(`planting: ${fault.name}`);
    const result = await tryServiceFault(fault);
    if (result.kind !== 'caught') missed++;
    const sign = result.kind === 'caught' ? green('✔') : red('✖');
    context.print(
      `${sign} ${bold(fault.name)} ${dim('(in a service)')}\n` +
        (result.kind === 'unnoticed'
          ? '    went unnoticed'
          : result.problems.map((problem) => `    ${problem}`).join('\n')),
    );
  }
  context.print(
    `\n${serviceFaults.length - missed} of ${serviceFaults.length} faults of services caught`,
  );
  return missed;
}

/** Undefined when the scenario does not conform without faults. */
async function runSuite(
  context: Context,
  { scenario: name, set = new Map(), faults, only }: Suite,
  image: Image,
): Promise<readonly FaultResult[] | undefined> {
  const scenario = await loadScenario(context.root, name);
  const [axes = {}] = matrix(scenario, set);
  const sim = { teardown: context.teardown };
  const nowMs = () => performance.now();
  context.say(`${name} without a fault`);
  const sound = await runScenario(scenario, axes, {
    seed: 1,
    nowMs,
    only,
    openReal: (plan) => defaultBackend.open(plan, image, sim),
  });
  if (sound.report.verdict !== 'conforms') {
    context.print(
      `${red('✖')} ${name} ${sound.report.verdict} without any fault: what a fault changes ` +
        'not known',
    );
    return undefined;
  }
  context.print(
    `${green('✔')} without a fault ${name} conforms: ${sound.report.vectors.length} vectors`,
  );
  const results: FaultResult[] = [];
  for (const fault of faults) {
    context.say(`planting: ${fault.name}`);
    const result = await tryFault(scenario, axes, fault, { image, sim, nowMs, only });
    results.push(result);
    context.print(render(result));
  }
  return results;
}

const plantedIn = {
  switch: 'in the switch',
  held: 'in the switch',
  'wire in': 'on the wire',
  packet: 'in the switch',
  delay: 'on the wire',
  cache: 'in the cache',
  'no cache': 'in the cache',
  program: 'in the switch',
  wire: 'on the wire',
  compiler: 'in the compiler',
  'group compiler': 'in the compiler',
  selector: 'in how policies are read',
  host: "in the node's stack",
  northbound: 'in the northbound rows',
  programs: 'in what programs write',
  bindings: 'in the bindings of interfaces',
  'program source': 'in the source of a program',
  'northbound rows': 'in the northbound rows',
} as const;

function render(result: FaultResult): string {
  const { fault } = result;
  const name = `${bold(fault.name)} ${dim(`(${plantedIn[fault.kind]})`)}`;
  if (result.kind === 'unnoticed') return `${red('✖')} ${name}\n    went unnoticed: ${result.why}`;
  if (!('finding' in result))
    return (
      `${green('✔')} ${name}\n    ${result.vectors} vectors without a verdict, first ` +
      `${result.first}\n    ${dim(result.cause)}`
    );
  const { at } = result.finding;
  const location =
    at === undefined
      ? 'no table named'
      : `${[`table ${tableOf(at)?.table ?? '?'}`, ...fieldOf(at).map((field) => `field ${field}`)].join(', ')}: ` +
        flowText(at);
  const expected = [
    fault.table === undefined ? [] : `table ${fault.table}`,
    fault.field === undefined ? [] : `field ${fault.field}`,
    fault.aspect,
  ]
    .flat()
    .join(', ');
  return [
    `${result.kind === 'caught' ? green('✔') : red('✖')} ${name}`,
    `    ${result.vectors} vectors diverge, first ${result.first}; ${result.finding.aspect}, ` +
      `between ${result.finding.between}`,
    `    ${location}${result.kind === 'caught' ? '' : red(`, and not ${expected}`)}`,
    ...(at === undefined ? [] : [`    ${dim(at.because)}`]),
  ].join('\n');
}
