/**
 * Northbound content on a cluster that stays up, case after case: OVN compiles the difference, then
 * all of it from scratch, and packets go through model, switches and ovn-trace.
 */
import { assert, Unsupported } from '../../base/errors/errors.js';
import { compareCounters, describeCounterDifference } from '../../compare/compare-counters.js';
import {
  compareProgram,
  describeProgramDifference,
  type BridgeProgram,
} from '../../compare/compare-program.js';
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
import type { Switches } from '../../testbeds/testbed.js';
import type { ContentCase, ContentDifference, ContentOutcome } from './content-case.js';

export interface ContentSides {
  readonly real: Switches;
  readonly version: string;
  /** What OVN holds by now. */
  plan: ClusterPlan;
}

/** @throws Unavailable where OVN or a switch is gone. */
export async function playContent(
  sides: ContentSides,
  { index, plan: planOf, kinds, stimuli }: ContentCase,
  seed: number,
): Promise<ContentOutcome> {
  const differences: ContentDifference[] = [...(await compile(sides, planOf))];
  const { real, plan } = sides;
  const seen = { packets: 0, traced: { made: 0, skipped: 0 }, refused: [] as string[] };
  for (const [number, stimulus] of stimuli.entries()) {
    await forget(sides);
    const model = openModel(plan, real.versions);
    try {
      const { found, packets, traced } = await playStimulus(
        sides,
        model,
        stimulus,
        seed,
        `case ${index}, ${number}`,
      );
      differences.push(...found.map((one) => ({ ...one, stimulus })));
      seen.packets += packets;
      seen.traced.made += traced.made;
      seen.traced.skipped += traced.skipped;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      seen.refused.push(error.message);
    } finally {
      await model.close();
    }
  }
  const flows = plan.nodes
    .flatMap(({ bridges }) => bridges.map((bridge) => bridge.flows.length))
    .reduce((sum, length) => sum + length, 0);
  return { index, kinds, flows, ...seen, differences };
}

/** Brings OVN to what is wanted; flows from scratch have to be those that it has come to. */
async function compile(
  sides: ContentSides,
  planOf: ContentCase['plan'],
): Promise<readonly ContentDifference[]> {
  const { real, plan: before } = sides;
  assert(real.recompile !== undefined && real.recompute !== undefined, 'OVN programs the switches');
  const wanted = planOf(before);
  const stepByStep = await real.recompile(wanted);
  await real.recompute();
  const plan = await real.recompile(wanted);
  const { differences } = compareProgram(programsOf(plan), programsOf(stepByStep));
  sides.plan = plan;
  for (const node of plan.nodes)
    await real.reconfigure({ kind: 'programmed', node: node.node, plan: node });
  return differences.map((difference) => {
    const { what, expected, actual } = describeProgramDifference(difference);
    return { aspect: 'recompute', summary: `${what}: from scratch ${expected}, was ${actual}` };
  });
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

/** Connections and counters of the case before; bridges of these clusters learn nothing. */
async function forget({ real, plan }: ContentSides): Promise<void> {
  for (const node of plan.nodes) {
    await real.call([{ kind: 'flush', node: node.node }]);
    await real.reconfigure({ kind: 'programmed', node: node.node, plan: node });
  }
}

interface PlayedStimulus {
  readonly found: readonly ContentDifference[];
  readonly packets: number;
  readonly traced: { readonly made: number; readonly skipped: number };
}

async function playStimulus(
  { real, plan }: ContentSides,
  model: Reference,
  stimulus: Stimulus,
  seed: number,
  id: string,
): Promise<PlayedStimulus> {
  const draws = drawsFor(seed, id);
  const { divergence, ...seen } = await playPass(model, real, [
    runStimulus(plan, stimulus, draws, noMemories()),
    runStimulus(plan, stimulus, draws, noMemories()),
  ]);
  const packets = seen.real.frames.filter(({ direction }) => direction === 'in').length;
  const none = { packets, traced: { made: 0, skipped: 0 } };
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
  const logical = await checkLogically(real, plan, seen.model, model.traces(), 'each');
  return {
    packets,
    traced: logical?.count ?? none.traced,
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
