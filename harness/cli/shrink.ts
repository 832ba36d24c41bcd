/** `flowbed shrink VECTOR`: the smallest network, flows and events with the same failure. */
import { relative } from 'node:path';
import { InputError, Unavailable } from '../base/errors/errors.js';
import type { Scenario } from '../domain/scenario.js';
import type { HistoryRow } from '../history/history-row.js';
import { deltaDebug } from '../search/delta-debug.js';
import { shrinkNetwork } from '../search/shrink-network.js';
import { exitCodes, type Context } from './context.js';
import { playVector, whyNotAsked, type VectorRequest } from './play-vector.js';
import { runSwitchesOf } from './run-switches.js';
import { loadScenario, matrix, parseSettings } from './scenarios.js';
import type { ShrunkCase } from './shrunk-case.js';
import { writeShrunk } from './write-shrunk.js';
import { timelineOf } from '../run/scenario-timeline.js';

export interface ShrinkOptions {
  readonly scenario: string;
  readonly set?: string;
  readonly image: string;
  readonly backend?: string;
  readonly seed: string;
  readonly out: string;
}

/** @returns 0 where a smaller case was written, 2 where the vector does not diverge. */
export async function shrink(
  context: Context,
  vector: string,
  options: ShrinkOptions,
): Promise<number> {
  const scenario = await loadScenario(context.root, options.scenario);
  const [axes = {}] = matrix(scenario, parseSettings(options.set, [scenario]));
  const real = await runSwitchesOf(options, context.say);
  const request = { scenario, axes, vector, seed: Number(options.seed), switches: real };
  const failure = await playVector(context, request);
  if (failure.verdict !== 'diverges')
    throw new InputError(`${vector} ${failure.verdict}: there is no failure to shrink`);
  context.print(`${vector}: ${signatureOf(failure)}: ${failure.summary}`);
  const whole = caseOf(scenario, axes, vector);
  // Where model and switch agree, and a promise is broken, a second model shows it as well.
  const onModel = await seen(context, { ...request, switches: 'model' });
  const switches = onModel === signatureOf(failure) ? 'model' : real;
  let tries = 0;
  const holdsOn = (on: VectorRequest['switches']) => async (some: ShrunkCase) => {
    context.say(`try ${++tries}: ${sizeOf(some)}`);
    const smaller = { ...request, scenario: scenarioOf(scenario, some), axes: {}, switches: on };
    return (await seen(context, smaller)) === signatureOf(failure);
  };
  const found = await shrinkCase(whole, holdsOn(switches));
  const written = await writeShrunk(options, found, failure);
  const alone = await loadScenario(context.root, written);
  if ((await seen(context, { ...request, scenario: alone, axes: {} })) !== signatureOf(failure))
    throw new Unavailable(`${written} does not fail as ${vector} does on ${options.image}`, [
      'report it with the folder: the search was misled',
    ]);
  context.print(`${sizeOf(whole)}\n→ ${sizeOf(found)}, ${tries} tries`);
  context.print(`run it: ./flowbed run ${relative(process.cwd(), written)}`);
  return exitCodes.conforms;
}

/** The same failure: aspect, kind of levels and table; undefined where it has no verdict. */
async function seen(context: Context, request: VectorRequest): Promise<string | undefined> {
  try {
    const row = await playVector(context, request);
    return row.verdict === 'diverges' ? signatureOf(row) : undefined;
  } catch (error) {
    whyNotAsked(error);
    return undefined;
  }
}

/** `intent at br-int table 0`; nodes may have other names in a smaller network. */
export function signatureOf({ aspect, place }: HistoryRow): string {
  const [, bridge, table] = /^\S+ (\S+) table (\d+)/.exec(place) ?? [];
  return table === undefined ? aspect : `${aspect} at ${bridge ?? ''} table ${table}`;
}

function caseOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  id: string,
): ShrunkCase {
  const { cluster, steps } = timelineOf(scenario, axes);
  const index = steps.findIndex((step) => step.kind === 'vector' && step.vector.id === id);
  const step = steps[index];
  if (step?.kind !== 'vector') throw new InputError(`there is no vector ${id}`);
  const { together: _, ...alone } = step.vector;
  return scenario.timeline === undefined
    ? { network: scenario.topology(axes), vector: alone }
    : { network: cluster, vector: step.vector, steps: steps.slice(0, index + 1) };
}

/** The scenario on what is left of its network. */
export function scenarioOf(original: Scenario, { network, vector, steps }: ShrunkCase): Scenario {
  const { after: _, timeline: __, ...scenario } = original;
  const common = { ...scenario, axes: {}, topology: () => network, vectors: () => [vector] };
  return steps === undefined
    ? common
    : { ...common, timeline: () => ({ cluster: network, steps }) };
}

async function shrinkCase(
  whole: ShrunkCase,
  holds: (some: ShrunkCase) => Promise<boolean>,
): Promise<ShrunkCase> {
  if (whole.steps !== undefined) {
    const steps = await deltaDebug(whole.steps.slice(0, -1), (some) =>
      holds({ ...whole, steps: [...some, ...(whole.steps?.slice(-1) ?? [])] }),
    );
    return { ...whole, steps: [...steps, ...whole.steps.slice(-1)] };
  }
  return {
    ...whole,
    network: await shrinkNetwork(whole.network, (network) => holds({ ...whole, network })),
  };
}

function sizeOf({ network: { nodes, objects, externalHosts = [] }, steps }: ShrunkCase): string {
  const pods = nodes.reduce((sum, node) => sum + node.pods.length, 0);
  const parts: readonly (readonly [number, string])[] = [
    [nodes.length, 'nodes'],
    [pods, 'pods'],
    [externalHosts.length, 'external hosts'],
    [objects?.networkPolicies.length ?? 0, 'NetworkPolicies'],
    [objects?.clusterNetworkPolicies.length ?? 0, 'ClusterNetworkPolicies'],
    [objects?.services.length ?? 0, 'Services'],
    [steps?.length ?? 0, 'steps'],
  ];
  return parts.flatMap(([count, name]) => (count === 0 ? [] : [`${count} ${name}`])).join(', ');
}
