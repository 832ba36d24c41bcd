/** `flowbed selftest`: does a run catch what it should? */
import { openImage } from '../../images/images.js';
import { colors } from '../base/colors.js';
import { formatFlowId } from '../nouns/switching.js';
import type { TestVector } from '../nouns/vector.js';
import type { Image } from '../ovs/image.js';
import { runScenario } from '../run/scenario-run.js';
import { antreaFaults, type Fault } from '../selftest/faults.js';
import { policyFaults } from '../selftest/policy-faults.js';
import { serviceFaults } from '../selftest/service-faults.js';
import { endpointFaults, leftBehind, netNatFaults, nodePortFaults, windowsFlowFaults, windowsHostFaults } from '../selftest/windows-faults.js';
import { tryFault, type FaultResult } from '../selftest/selftest.js';
import { openSim } from '../testbeds/sim/sim.js';
import { exitCodes, type Context } from './context.js';
import { loadScenario, matrix } from './scenarios.js';

const { bold, dim, green, red } = colors;

/** What faults are planted into. */
interface Suite {
  readonly scenario: string;
  /** Values of axes that are not the usual ones. */
  readonly set?: ReadonlyMap<string, readonly string[]>;
  readonly faults: readonly Fault[];
  /** Plays the vectors for which this holds, which every fault concerns. */
  readonly only: (vector: TestVector) => boolean;
}

const suites: readonly Suite[] = [
  { scenario: 'antrea/encap', faults: antreaFaults, only: () => true },
  { scenario: 'antrea/network-policy', faults: policyFaults, only: ({ id }) => /^tcp-(9|80|8080)\//.test(id) },
  { scenario: 'antrea/services-antrea-proxy', faults: serviceFaults, only: ({ id }) => /^(kept|spread|service)\/(asker1|web1)\/default\/(web:http|lonely|sticky)$/.test(id) },
  { scenario: 'antrea/windows-service-traffic', faults: windowsHostFaults, only: ({ id }) => id.startsWith('udp/') },
  { scenario: 'antrea/windows-pod-to-pod', set: new Map([['mode', ['noEncap']], ['nodes', ['WW']]]), faults: [...windowsFlowFaults, ...endpointFaults], only: ({ id }) => id.startsWith('ping/') },
  { scenario: 'antrea/windows-external-traffic', faults: netNatFaults, only: ({ id }) => /^(ping|later)\/p1\/x1$/.test(id) },
  { scenario: 'antrea/windows-node-ports', faults: nodePortFaults, only: ({ id }) => id.endsWith('/x1/same-node') },
  { scenario: 'antrea/windows-hybrid', set: new Map([['nodes', ['W/W']]]), faults: leftBehind, only: ({ id }) => id.startsWith('gone/') },
];

/** @returns 0 when every fault was caught at the right table, 1 when one was not, 3 when a scenario does not conform without faults. */
export async function selftest(context: Context, options: { readonly image: string }): Promise<number> {
  const image = await openImage(options.image, context.say);
  const results: FaultResult[] = [];
  for (const suite of suites) {
    const found = await playSuite(context, suite, image);
    if (found === undefined) return exitCodes.inconclusive;
    results.push(...found);
  }
  const caught = results.filter(({ kind }) => kind === 'caught').length;
  context.print(`\n${caught} of ${results.length} faults caught at the right table`);
  return caught === results.length ? exitCodes.conforms : exitCodes.diverges;
}

/** Undefined when the scenario does not conform without faults. */
async function playSuite(context: Context, { scenario: name, set = new Map(), faults, only }: Suite, image: Image): Promise<readonly FaultResult[] | undefined> {
  const scenario = await loadScenario(context.root, name);
  const [axes = {}] = matrix(scenario, set);
  const sim = { teardown: context.teardown };
  const nowMs = () => performance.now();
  context.say(`${name} without a fault`);
  const sound = await runScenario(scenario, axes, { seed: 1, nowMs, only, openReal: (plan) => openSim(plan, image, sim) });
  if (sound.report.verdict !== 'conforms') {
    context.print(`${red('✖')} ${name} ${sound.report.verdict} without any fault: what a fault changes cannot be told`);
    return undefined;
  }
  context.print(`${green('✔')} without a fault ${name} conforms: ${sound.report.vectors.length} vectors`);
  const results: FaultResult[] = [];
  for (const fault of faults) {
    context.say(`planting: ${fault.name}`);
    const result = await tryFault(scenario, axes, fault, { image, sim, nowMs, only });
    results.push(result);
    context.print(render(result));
  }
  return results;
}

const where = { switch: 'in the switch', packet: 'in the switch', delay: 'on the wire', cache: 'in the cache', 'no cache': 'in the cache', program: 'in the switch', wire: 'on the wire', compiler: 'in the compiler', 'group compiler': 'in the compiler', selector: 'in how policies are read', host: 'in the node\'s stack' } as const;

function render(result: FaultResult): string {
  const { fault } = result;
  const name = `${bold(fault.name)} ${dim(`(${where[fault.kind]})`)}`;
  if (result.kind === 'unnoticed') return `${red('✖')} ${name}\n    went unnoticed: ${result.why}`;
  if (!('finding' in result)) return `${green('✔')} ${name}\n    ${result.vectors} vectors without a verdict, first ${result.first}\n    ${dim(result.cause)}`;
  const { at } = result.finding;
  const told = at === undefined ? 'no table named' : `table ${at.flow.table}${at.field === undefined ? '' : `, field ${at.field}`}: ${formatFlowId(at.flow)}`;
  const right = [fault.table === undefined ? [] : `table ${fault.table}`, fault.field === undefined ? [] : `field ${fault.field}`, fault.aspect].flat().join(', ');
  return [
    `${result.kind === 'caught' ? green('✔') : red('✖')} ${name}`,
    `    ${result.vectors} vectors diverge, first ${result.first}; ${result.finding.aspect}, between ${result.finding.between}`,
    `    ${told}${result.kind === 'caught' ? '' : red(`, and not ${right}`)}`,
    ...(at === undefined ? [] : [`    ${dim(at.because)}`]),
  ].join('\n');
}
