/** The reference model as a testbed: nothing is real, and everything is explained. */
import { assert, Unsupported } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { joinStates } from '../../domain/switch-state.js';
import type { FlowId, SwitchCall, SwitchStep } from '../../domain/switching.js';
import { sumOfWork } from '../../domain/work.js';
import { newest, versionOf } from '../../model/behaviour.js';
import { rulesOf, type Rule } from '../../model/tables/flow-tables.js';
import { currentFlow, dumpFlows } from '../../model/tables/flows/dump-flows.js';
import { idOf, type ModelNode } from '../../model/model-node.js';
import { saveProgram } from '../../model/reset-node.js';
import { applyCall } from '../../model/apply-call.js';
import { stateOf } from '../../model/state-of-node.js';
import { flowCounts } from '../../model/receive-frame.js';
import {
  resolveAmbiguity,
  backtrack,
  AmbiguousOutcome,
  type OpenChoice,
  type Oracle,
} from '../../model/ambiguity.js';
import { printFlow, type DumpedFlow } from '../../openflow/flows/flow.js';
import { printGroup } from '../../openflow/groups/print-group.js';
import { printMeter } from '../../openflow/meters.js';
import type { DumpedProgram, Testbed } from '../testbed.js';
import {
  buildCluster,
  playCall,
  countsOf,
  forget,
  nodeOf,
  reconfigure,
  rewind,
  type ModelCluster,
} from './model-cluster.js';
import type { Reference } from '../reference.js';
import { refuseOvnController } from './ovn-controller.js';

export interface ModelTestbed extends Reference {
  /** The flows of one node's bridge with what they counted. */
  dumpFlows(node: string, bridge: string): readonly DumpedFlow[];
}

/**
 * @param versions of the programs that the model stands for, as they print them; of Open vSwitch
 *   the newest where it is not among them.
 * @throws InputError for a flow that the model cannot interpret.
 */
export function openModel(plan: ClusterPlan, versions: Testbed['versions'] = {}): ModelTestbed {
  const cluster = buildCluster(plan, versionOf(versions) ?? newest);
  const { nodes, traces } = cluster;
  return {
    name: 'model',
    versions: {},
    call: (calls, oracle) => callWithOracle(cluster, calls, oracle),
    reconfigure: (wanted) => {
      reconfigure(cluster, wanted);
      const decisions = nodes.get(wanted.node)?.answers;
      cluster.history.push({ change: wanted, ...(decisions === undefined ? {} : { decisions }) });
      return Promise.resolve();
    },
    bundle: (name, bridge, lines) => {
      applyBundle(cluster, name, bridge, lines);
      return Promise.resolve();
    },
    reset: () => {
      resetCluster(cluster);
      return Promise.resolve();
    },
    counts: () => Promise.resolve([...nodes.values()].flatMap((node) => countsOf(cluster, node))),
    state: () => Promise.resolve(joinStates([...nodes.values()].map(stateOf))),
    lateFrames: () => Promise.resolve([]),
    program: (of) =>
      Promise.resolve(
        [...nodes.values()].filter(({ name }) => of?.has(name) ?? true).flatMap(programsOf),
      ),
    dumpFlows: (name, bridgeName) => {
      const node = nodeOf(cluster, name);
      const bridge = node.bridges.find(({ plan: { name: known } }) => known === bridgeName);
      assert(bridge !== undefined, `node ${name} has no bridge ${bridgeName} in the model`);
      return dumpFlows(bridge, node.nowMs);
    },
    work: () => sumOfWork([...nodes.values()].map(({ work }) => work)),
    traces: () => [...traces],
    matchedLearnFlow: () =>
      [...nodes.values()]
        .flatMap(({ bridges, nowMs }) => bridges.flatMap((bridge) => dumpFlows(bridge, nowMs)))
        .filter(({ statistics }) => statistics?.packets !== 0n)
        .map(({ flow }) => printFlow(flow))
        .find((text) => text.includes('learn(')),
    ambiguousSets: () => [...nodes.values()].flatMap(ambiguousSetsOn),
    assertUndisturbed: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** Plays `calls`, once more for each question that `oracle` has answered. */
async function callWithOracle(
  cluster: ModelCluster,
  calls: readonly SwitchCall[],
  oracle: Oracle | undefined,
): Promise<readonly SwitchStep[]> {
  for (const { answers: decisions } of cluster.nodes.values())
    decisions.equivalentFlows = oracle?.equivalentFlows ?? 'asked';
  let choices: readonly OpenChoice[] = [];
  for (;;) {
    try {
      const steps = calls.map((call) => playCall(cluster, call));
      const remaining = backtrack(
        choices,
        { counts: flowCounts, connections: (node) => stateOf(node).connections },
        steps.flatMap(({ outputs }) => outputs),
      );
      if (remaining !== undefined) {
        choices = remaining;
        rewind(cluster);
        continue;
      }
      calls.forEach((call, index) => {
        refuseOvnController(nodeOf(cluster, call.node), steps[index]);
      });
      cluster.history.push({ calls });
      return steps;
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      const isResolvable = error instanceof AmbiguousOutcome && oracle !== undefined;
      try {
        const choice = isResolvable ? await resolveAmbiguity(error, oracle) : undefined;
        if (choice !== undefined) choices = [...choices, choice];
      } finally {
        rewind(cluster);
      }
      if (!isResolvable) throw error;
    }
  }
}

/** A change that stays: a reset goes back to it. */
function applyBundle(
  cluster: ModelCluster,
  name: string,
  bridge: string,
  lines: readonly string[],
): void {
  assert(cluster.history.length === 0, 'what stays is changed before anything else is done');
  const node = nodeOf(cluster, name);
  applyCall(node, { kind: 'change', node: name, bridge, lines });
  saveProgram(node);
  cluster.touched.add(node);
  cluster.untouchedCounts.delete(node);
}

function resetCluster(cluster: ModelCluster): void {
  const { nodes, history } = cluster;
  assert(!history.some((done) => 'change' in done), 'no reset takes back what was reconfigured');
  forget(cluster);
  history.length = 0;
  cluster.resetAtMs = new Map([...nodes.values()].map((node) => [node, node.nowMs]));
  for (const { answers: decisions } of nodes.values()) {
    decisions.ties.length = decisions.buckets.length = decisions.natTuples.length = 0;
    decisions.ambiguous.clear();
  }
}

/** The flows, groups and meters of its bridges, as text. */
function programsOf({ name, bridges }: ModelNode): readonly DumpedProgram[] {
  return bridges.map((bridge) => ({
    node: name,
    bridge: bridge.plan.name,
    flows: rulesOf(bridge.tables).map((rule) => printFlow(currentFlow(bridge, rule))),
    groups: [...bridge.groups.values()].map((group) => printGroup(group)),
    meters: [...bridge.meters.values()].map(({ meter }) => printMeter(meter).replaceAll('\n', ' ')),
  }));
}

/** Ambiguous flows that are connected by a set that has both. */
function ambiguousSetsOn(node: ModelNode): readonly (readonly FlowId[])[] {
  const sets: Set<Rule>[] = [];
  for (const [first, others] of node.answers.ambiguous) {
    const touched = sets.filter((set) => [first, ...others].some((rule) => set.has(rule)));
    const joined = new Set([first, ...others, ...touched.flatMap((set) => [...set])]);
    sets.splice(0, sets.length, ...sets.filter((set) => !touched.includes(set)), joined);
  }
  return sets.map((set) =>
    node.bridges.flatMap((bridge) =>
      rulesOf(bridge.tables)
        .filter((rule) => set.has(rule))
        .map((rule) => idOf(node, bridge, rule)),
    ),
  );
}
