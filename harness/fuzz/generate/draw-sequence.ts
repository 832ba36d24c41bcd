/**
 * A case in which switches remember: packets of conversations, and time, changes of flows and
 * groups, links and flushes between them.
 */
import { randomFor, type Random } from '../../base/random.js';
import type { CaseStep, FuzzCase } from '../fuzz-case.js';
import { bridge, bridgeAfar, bridgeBeyond, portsAfar } from '../fuzz-network.js';
import { drawBucket, drawStatefulGroup, drawStatefulGroups } from './draw-stateful-groups.js';
import { chance, pick, times, weighted } from './weighted.js';
import {
  drawStatefulBeyond,
  drawStatefulFlow,
  drawStatefulFlows,
  zones,
  type StatefulContext,
} from './draw-stateful-flows.js';
import { drawTraffic, type Traffic } from './draw-traffic.js';
import { drawAfar, drawUnderlay, tracksUnderlayTraffic } from './draw-underlay.js';

const stepsACase = { least: 40, most: 80 } as const;
/** The host that is on the other node, where there is one. */
const hostAfar = 3;

/** Case `index` of a seed: the same on every machine, whatever else is drawn. */
export function drawSequence(seed: number, index: number): FuzzCase {
  const random = randomFor(seed, `sequence ${index}`);
  const around: StatefulContext = {
    network: chance(random, 40) ? 'two nodes' : 'one node',
    groups: drawStatefulGroups(random),
  };
  const groups = around.groups.map((known) => drawStatefulGroup(random, known, around));
  const [flows, beyond] = [drawStatefulFlows(random, around), drawStatefulBeyond(random)];
  const elsewhere =
    around.network === 'one node' ? {} : { afar: drawAfar(random), underlay: drawUnderlay(random) };
  const families = tracksUnderlayTraffic(elsewhere.underlay)
    ? (['ipv4'] as const)
    : (['ipv4', 'ipv6'] as const);
  const traffic = drawTraffic(
    random,
    (host) =>
      around.network === 'two nodes' && host === hostAfar ? (portsAfar[0] ?? '') : String(host),
    families,
  );
  const steps = times(random.integer(stepsACase.least, stepsACase.most), () =>
    chance(random, 80) ? traffic.next() : drawOperation(random, traffic, flows, around),
  );
  return { groups, flows, beyond, ...elsewhere, steps };
}

const milliseconds: readonly number[] = [1, 500, 1000, 2500, 10_000, 31_000, 61_000, 130_000];

function drawOperation(
  random: Random,
  traffic: Traffic,
  flows: readonly string[],
  around: StatefulContext,
): CaseStep {
  return weighted<() => CaseStep>(random, [
    [6, () => ({ kind: 'advance', ms: pick(random, milliseconds) })],
    [2, () => ({ kind: 'change', bridge, lines: [drawChange(random, flows, around)] })],
    [
      1,
      () => ({
        kind: 'change',
        bridge: pick(
          random,
          around.network === 'two nodes' ? [bridgeBeyond, bridgeAfar] : [bridgeBeyond],
        ),
        lines: [
          `flow add table=0,priority=${random.integer(1, 9)},ip ` +
            `actions=output:${pick(random, [2, 3])}`,
        ],
      }),
    ],
    [
      around.groups.length > 0 ? 2 : 0,
      () => ({ kind: 'change', bridge, lines: [drawGroupChange(random, around)] }),
    ],
    [
      2,
      () => ({
        kind: 'link',
        port: String(pick(random, [1, 2, 3, 4])),
        state: pick(random, ['up', 'up', 'down'] as const),
      }),
    ],
    [1, () => ({ kind: 'flush' })],
    [1, () => ({ kind: 'flush', zone: pick(random, zones) })],
    [1, () => ({ kind: 'flush', zone: pick(random, zones), tuple: traffic.tuple() })],
  ])();
}

/** One flow more, or what some flow matches is taken away or done otherwise. */
function drawChange(random: Random, flows: readonly string[], around: StatefulContext): string {
  const [, key = ''] = /^(.*?) actions=/.exec(pick(random, flows)) ?? [];
  const loose = key.replace(/\b(priority|idle_timeout|hard_timeout)=\d+,?/g, '').replace(/,$/, '');
  const strict = key.replace(/\b(idle_timeout|hard_timeout)=\d+,?/g, '');
  return weighted<() => string>(random, [
    [4, () => `flow add ${drawStatefulFlow(random, random.integer(0, 2), around)}`],
    [2, () => `flow delete ${loose}`],
    [1, () => `flow delete_strict ${strict}`],
    [1, () => `flow modify ${loose} actions=output:${pick(random, [1, 2, 3])}`],
    [1, () => `flow modify_strict ${strict} actions=output:4`],
  ])();
}

/**
 * A group is another one, has a bucket more or less, or is gone with all that names it. A bucket
 * that is not there any more is refused.
 */
function drawGroupChange(random: Random, around: StatefulContext): string {
  const known = pick(random, around.groups);
  return weighted<() => string>(random, [
    [4, () => `group modify ${drawStatefulGroup(random, known, around)}`],
    [
      2,
      () =>
        'group insert_bucket ' +
        `group_id=${known.id},command_bucket_id=${pick(random, ['first', 'last', '0'])},` +
        `bucket=${drawBucket(random, random.integer(4, 6), 'all', known, around)}`,
    ],
    [
      2,
      () =>
        'group remove_bucket ' +
        `group_id=${known.id},command_bucket_id=${pick(random, ['first', 'last', '1'])}`,
    ],
    [1, () => `group delete group_id=${known.id}`],
  ])();
}
