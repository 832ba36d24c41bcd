/** A case in which switches remember: packets of conversations, and time, changes of flows, links and flushes between them. */
import { randomFor, type Random } from '../../base/random.js';
import { bridge, bridgeBeyond, type CaseStep, type FuzzCase } from '../case.js';
import { chance, pick, times, weighted } from './draw.js';
import { drawStatefulBeyond, drawStatefulFlow, drawStatefulFlows, zones } from './stateful.js';
import { drawTraffic, type Traffic } from './traffic.js';

const stepsACase = { least: 20, most: 40 } as const;

/** Case `index` of a seed: the same on every machine, whatever else is drawn. */
export function drawSequence(seed: number, index: number): FuzzCase {
  const random = randomFor(seed, `sequence ${index}`);
  const [flows, beyond, traffic] = [drawStatefulFlows(random), drawStatefulBeyond(random), drawTraffic(random)];
  const steps = times(random.integer(stepsACase.least, stepsACase.most), () => (chance(random, 80) ? traffic.next() : drawOperation(random, traffic, flows)));
  return { groups: [], flows, beyond, steps };
}

const milliseconds: readonly number[] = [1, 500, 1000, 2500, 10_000, 31_000, 61_000, 130_000];

function drawOperation(random: Random, traffic: Traffic, flows: readonly string[]): CaseStep {
  return weighted<() => CaseStep>(random, [
    [6, () => ({ kind: 'advance', ms: pick(random, milliseconds) })],
    [2, () => ({ kind: 'change', bridge, lines: [drawChange(random, flows)] })],
    [1, () => ({ kind: 'change', bridge: bridgeBeyond, lines: [`flow add table=0,priority=${random.integer(1, 9)},ip actions=output:${pick(random, [2, 3])}`] })],
    [2, () => ({ kind: 'link', port: String(pick(random, [1, 2, 3, 4])), state: pick(random, ['up', 'up', 'down'] as const) })],
    [1, () => ({ kind: 'flush' })],
    [1, () => ({ kind: 'flush', zone: pick(random, zones) })],
    [1, () => ({ kind: 'flush', zone: pick(random, zones), tuple: traffic.tuple() })],
  ])();
}

/** One flow more, or what some flow matches is taken away or done otherwise. */
function drawChange(random: Random, flows: readonly string[]): string {
  const [, key = ''] = /^(.*) actions=/.exec(pick(random, flows)) ?? [];
  const loose = key.replace(/\b(priority|idle_timeout|hard_timeout)=\d+,?/g, '').replace(/,$/, '');
  const strict = key.replace(/\b(idle_timeout|hard_timeout)=\d+,?/g, '');
  return weighted<() => string>(random, [
    [4, () => `flow add ${drawStatefulFlow(random, random.integer(0, 2))}`], [2, () => `flow delete ${loose}`], [1, () => `flow delete_strict ${strict}`],
    [1, () => `flow modify ${loose} actions=output:${pick(random, [1, 2, 3])}`], [1, () => `flow modify_strict ${strict} actions=output:4`],
  ])();
}
