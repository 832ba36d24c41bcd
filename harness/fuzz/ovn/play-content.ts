/**
 * Northbound content on a cluster that stays up, case after case: OVN compiles the difference, then
 * all of it from scratch, and packets go through model, switches and ovn-trace.
 */
import type { OvnContent } from '../../domain/plan/ovn-content.js';
import { assert, Unsupported } from '../../base/errors/errors.js';
import { compareCounters, describeCounterDifference } from '../../compare/compare-counters.js';
import type { BridgeProgram } from '../../compare/alike-texts.js';
import { compareProgram, describeProgramDifference } from '../../compare/compare-program.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { runStimulus } from '../../fabric/fabric.js';
import { noMemories } from '../../fabric/stack/host.js';
import { playPass } from '../../lockstep/play-in-lockstep.js';
import { drawsFor } from '../../lockstep/vector-randomness.js';
import { describeFrame } from '../../packet/dissect/describe-frame.js';
import type { FrameEvent } from '../../domain/observation.js';
import { withoutChance } from '../../run/judging/equivalent-flows.js';
import { checkLogically } from '../../run/judging/logical-check.js';
import { openModel } from '../../testbeds/model/model-testbed.js';
import type { Reference } from '../../testbeds/reference.js';
import type { Switches, Testbed } from '../../testbeds/testbed.js';
import {
  kindsOf,
  placesIn,
  type ContentCase,
  type ContentDifference,
  type ContentOutcome,
} from './content-case.js';
import { isOfLateLoadBalancer, lateLoadBalancer } from './late-load-balancers.js';

export interface ContentSides {
  readonly real: Switches;
  readonly version: string;
  /** What is wanted of OVN, given what it has. */
  readonly planOf: (content: OvnContent, before: ClusterPlan) => ClusterPlan;
  /** What OVN holds by now. */
  plan: ClusterPlan;
  /** What routers need by now (`placesIn`); nothing where it is missing. */
  places?: string;
}

/** ovn-controller keeps these until it computes from scratch. */
const placesChanged =
  'step by step against from scratch, where a router comes to another chassis, or translates at ' +
  'others: flows of datapaths that a chassis does not need any more';

/** @throws Unavailable where OVN or a switch is gone. */
export async function playContent(
  sides: ContentSides,
  played: ContentCase,
  seed: number,
): Promise<ContentOutcome> {
  const { index, stimuli } = played;
  const places = placesIn(played.content);
  const moved = places !== (sides.places ?? placesIn({ rows: [], columns: {} }));
  const compiled = await compile(sides, played.content);
  sides.places = places;
  const leftOut = moved ? [placesChanged] : compiled.leftOut;
  const differences: ContentDifference[] = moved ? [] : [...compiled.differences];
  const [refused, crashes, supposed]: [string[], string[], string[]] = [[], [], []];
  const seen = { packets: 0, traced: { made: 0, skipped: 0 }, refused, crashes, supposed };
  let model = openModel(sides.plan, sides.real.versions);
  for (const [number, stimulus] of stimuli.entries()) {
    await forgetConnections(sides, model);
    const outcome = await attemptStimulus(sides, model, stimulus, seed, `case ${index}, ${number}`);
    if (outcome.kind === 'refused') refused.push(outcome.why);
    else {
      differences.push(...outcome.found.map((one) => ({ ...one, stimulus })));
      seen.packets += outcome.packets;
      seen.traced.made += outcome.traced.made;
      seen.traced.skipped += outcome.traced.skipped;
      crashes.push(...outcome.crashes);
      supposed.push(...outcome.supposed);
    }
    if (outcome.kind === 'played' && outcome.agree) continue;
    // The two have done different things, or half of one: both begin again.
    await program(sides);
    model = openModel(sides.plan, sides.real.versions);
  }
  const flows = sides.plan.nodes
    .flatMap(({ bridges }) => bridges.map((bridge) => bridge.flows.length))
    .reduce((sum, length) => sum + length, 0);
  return { index, kinds: kindsOf(played), flows, ...seen, leftOut, differences };
}

/** Brings OVN to what is wanted; flows from scratch have to be those that it has come to. */
async function compile(
  sides: ContentSides,
  content: OvnContent,
): Promise<Pick<ContentOutcome, 'differences' | 'leftOut'>> {
  const { real, plan: before, planOf } = sides;
  assert(real.recompile !== undefined && real.recompute !== undefined, 'OVN programs the switches');
  const wanted = planOf(content, before);
  const stepByStep = await real.recompile(wanted);
  await real.recompute();
  const plan = await real.recompile(wanted);
  const { differences: all } = compareProgram(programsOf(plan), programsOf(stepByStep));
  const steps = {
    version: real.versions['ovn-controller'] ?? '',
    rows: { before: before.northbound, wanted: wanted.northbound },
    programs: { before: programsOf(before), stepByStep: programsOf(stepByStep) },
  };
  const unexplained = all.filter((difference) => !isOfLateLoadBalancer(difference, steps));
  sides.plan = plan;
  await program(sides);
  const differences = unexplained.map((difference): ContentDifference => {
    const { what, expected, actual } = describeProgramDifference(difference);
    return { aspect: 'recompute', summary: `${what}: from scratch ${expected}, was ${actual}` };
  });
  return { differences, leftOut: unexplained.length < all.length ? [lateLoadBalancer] : [] };
}

/** The switches hold what was compiled, with counters at zero. */
async function program({ real, plan }: ContentSides): Promise<void> {
  for (const node of plan.nodes)
    await real.reconfigure({ kind: 'programmed', node: node.node, plan: node });
  await flush(real, plan);
}

function programsOf({ nodes }: ClusterPlan): readonly BridgeProgram[] {
  return nodes.flatMap(({ node, bridges }) =>
    bridges
      .filter(({ origin }) => origin === 'dumped')
      .map(({ name, flows, groups = [], meters = [] }) => ({
        ...{ node, bridge: name, flows, groups, meters },
      })),
  );
}

/** Counters go on: both sides have counted the same by now. Bridges learn no MACs here. */
async function forgetConnections({ real, plan }: ContentSides, model: Reference): Promise<void> {
  await flush(real, plan);
  await flush(model, plan);
}

async function flush(testbed: Pick<Testbed, 'call'>, plan: ClusterPlan): Promise<void> {
  await testbed.call(plan.nodes.map(({ node }) => ({ kind: 'flush' as const, node })));
}

async function attemptStimulus(
  sides: ContentSides,
  model: Reference,
  stimulus: Stimulus,
  seed: number,
  id: string,
): Promise<({ readonly kind: 'played' } & PlayedStimulus) | RefusedStimulus> {
  try {
    return { kind: 'played', ...(await playStimulus(sides, model, stimulus, seed, id)) };
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return { kind: 'refused', why: error.message };
  }
}

interface RefusedStimulus {
  readonly kind: 'refused';
  readonly why: string;
}

interface PlayedStimulus {
  /** Whether model and switches did the same. */
  readonly agree: boolean;
  readonly found: readonly ContentDifference[];
  readonly packets: number;
  readonly traced: { readonly made: number; readonly skipped: number };
  readonly crashes: readonly string[];
  readonly supposed: readonly string[];
}

async function playStimulus(
  { real, plan }: ContentSides,
  model: Reference,
  stimulus: Stimulus,
  seed: number,
  id: string,
): Promise<PlayedStimulus> {
  const draws = drawsFor(seed, id);
  const before = model.traces().length;
  const { divergence, ...seen } = await playPass(model, real, [
    runStimulus(plan, stimulus, draws, noMemories()),
    runStimulus(plan, stimulus, draws, noMemories()),
  ]);
  const packets = seen.real.frames.filter(({ direction }) => direction === 'in').length;
  const untraced = { traced: { made: 0, skipped: 0 }, crashes: [], supposed: [] };
  const none = { agree: false, packets, ...untraced };
  if (divergence !== undefined)
    return { ...none, found: [{ aspect: 'frames', summary: parted(seen) }] };
  const [expected, actual] = [await model.counts(), await real.counts()].map((counts) =>
    withoutChance(plan, counts),
  );
  const counters = compareCounters(expected ?? [], actual ?? []).differences;
  if (counters.length > 0)
    return {
      ...none,
      found: counters
        .slice(0, 1)
        .map((one) => ({ aspect: 'counters', summary: describeCounterDifference(one).summary })),
    };
  const logical = await checkLogically(
    real,
    plan,
    seen.model,
    model.traces().slice(before),
    'each',
  );
  return {
    agree: true,
    packets,
    traced: logical?.count ?? none.traced,
    crashes: logical?.crashes ?? [],
    supposed: logical?.supposed ?? [],
    found: (logical?.differences ?? []).map(({ summary, actual: said, at }) => ({
      aspect: 'ovn-trace',
      summary: `${summary}; OpenFlow: ${at?.because ?? '?'}; ${said}`,
    })),
  };
}

/** The first frame that one side alone has, in words. */
function parted(seen: {
  readonly model: { readonly frames: readonly FrameEvent[] };
  readonly real: { readonly frames: readonly FrameEvent[] };
}): string {
  const said = ({ node, port, direction, frame }: FrameEvent) =>
    `${direction === 'in' ? 'into' : 'out of'} ${port} of ${node}: ${describeFrame(frame)}`;
  const [model, real] = [seen.model.frames.map(said), seen.real.frames.map(said)];
  const at = model.findIndex((one, index) => one !== real[index]);
  const place = at === -1 ? model.length : at;
  return `the model has ${model[place] ?? 'no more frames'}, the switch ${real[place] ?? 'none'}`;
}
