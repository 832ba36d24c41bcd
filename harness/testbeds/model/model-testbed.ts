/** The reference model as a testbed: nothing is real, and everything is explained. */
import { assert, unknownName, Unsupported } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import { joinStates } from '../../domain/switch-state.js';
import type {
  FlowCount,
  FlowId,
  Reconfiguration,
  SwitchCall,
  SwitchStep,
} from '../../domain/switching.js';
import { newest, parseVersion } from '../../model/behaviour.js';
import { rulesOf, type Rule } from '../../model/tables/flow-tables.js';
import { currentFlow, dumpFlows } from '../../model/tables/flows/dump-flows.js';
import { idOf, type ModelNode } from '../../model/model-node.js';
import { saveProgram, resetNode } from '../../model/reset-node.js';
import { buildNode } from '../../model/build-node.js';
import { applyCall } from '../../model/apply-call.js';
import { reconfigured } from '../../model/reconfigured.js';
import { stateOf } from '../../model/state-of-node.js';
import { flowCounts, receiveFrame } from '../../model/receive-frame.js';
import type { Trace } from '../../model/trace/trace.js';
import {
  resolveAmbiguity,
  backtrack,
  AmbiguousOutcome,
  type AmbiguousTie,
  type Oracle,
} from '../../model/ambiguity.js';
import type { OracleAnswers } from '../../model/oracle-answers.js';
import { printFlow, type DumpedFlow } from '../../openflow/flows/flow.js';
import { printGroup } from '../../openflow/groups/print-group.js';
import { printMeter } from '../../openflow/meters.js';
import type { Testbed } from '../testbed.js';

export interface ModelTestbed extends Testbed {
  /**
   * What is left open the witness is asked, and its answer holds until the next reset; without one
   * it is refused. What is refused has done nothing.
   */
  call(calls: readonly SwitchCall[], oracle?: Oracle): Promise<readonly SwitchStep[]>;
  /**
   * Flows since the last reset of which nobody asked which one a packet took (`Witness.ofAlike`):
   * one set for all that may have been taken for one another.
   */
  ambiguousSets(): readonly (readonly FlowId[])[];
  /** The flows of one node's bridge with what they counted. */
  dumpFlows(node: string, bridge: string): readonly DumpedFlow[];
  /** What every frame since the last reset went through, in order. */
  traces(): readonly Trace[];
}

/**
 * @param versions of the programs that the model stands for, as they tell them; of Open vSwitch the
 *   newest where it is not among them.
 * @throws InputError for a flow that the model cannot interpret.
 */
export function openModel(plan: ClusterPlan, versions: Testbed['versions'] = {}): ModelTestbed {
  const version = parseVersion(versions['ovs-vswitchd'] ?? '') ?? newest;
  const built: ReadonlyMap<string, ModelNode> = new Map(
    plan.nodes.map((node) => [node.node, buildNode(node, version)]),
  );
  const nodes = new Map(built);
  const traces: Trace[] = [];
  const nodeOf = (name: string): ModelNode => {
    const node = nodes.get(name);
    if (node === undefined) throw unknownName('node', name, [...nodes.keys()]);
    return node;
  };
  /**
   * Nodes that something was done to since the last reset; with the others nothing has to be done
   * at the next, and their flows have counted nothing.
   */
  const touched = new Set(nodes.values());
  const untouchedCounts = new Map<ModelNode, readonly FlowCount[]>();
  const countsOf = (node: ModelNode): readonly FlowCount[] => {
    if (touched.has(node)) return flowCounts(node);
    const known = untouchedCounts.get(node) ?? flowCounts(node);
    untouchedCounts.set(node, known);
    return known;
  };
  const carryOut = (call: SwitchCall): SwitchStep => {
    const node = nodeOf(call.node);
    touched.add(node);
    if (call.kind !== 'receive') {
      applyCall(node, call);
      return { outputs: [], packetIns: [] };
    }
    const results = call.frames.map((frame) => receiveFrame(node, call.port, frame));
    traces.push(...results.map(({ trace }) => trace));
    return {
      outputs: results.flatMap(({ step }) => step.outputs),
      packetIns: results.flatMap(({ step }) => step.packetIns ?? []),
    };
  };
  /** @param decisions of a node that has joined before: what was seen of its switches holds. */
  const change = (wanted: Reconfiguration, decisions?: OracleAnswers): void => {
    if (wanted.kind === 'leave') return void nodes.delete(wanted.node);
    const made =
      wanted.kind === 'join'
        ? buildNode(wanted.plan, version)
        : reconfigured(nodeOf(wanted.node), wanted);
    const node = decisions === undefined ? made : { ...made, answers: decisions };
    if (wanted.kind === 'join') node.answers.natTuplesUsed = node.answers.flowChanges = 0;
    nodes.set(wanted.node, node);
    touched.add(node);
  };
  /**
   * What was done since the last reset, and the time at it: after a question is decided, all is
   * done anew.
   */
  const history: PastAction[] = [];
  let resetAtMs = new Map<ModelNode, number>();
  const forget = () => {
    for (const node of nodes.values()) if (touched.has(node)) resetNode(node);
    touched.clear();
    traces.length = 0;
  };
  const rewind = () => {
    nodes.clear();
    for (const [name, node] of built) {
      node.nowMs = resetAtMs.get(node) ?? 0;
      // A node that was reconfigured has changed what it shares with this one.
      for (const bridge of node.bridges) bridge.isUnchanged = false;
      node.generations.program++;
      nodes.set(name, node);
      touched.add(node);
    }
    forget();
    for (const done of history) {
      if ('calls' in done) done.calls.forEach(carryOut);
      else change(done.change, done.decisions);
    }
  };
  return {
    name: 'model',
    versions: {},
    call: async (calls, witness) => {
      for (const { answers: decisions } of nodes.values())
        decisions.equivalentFlows = witness?.equivalentFlows ?? 'asked';
      let ambiguousTies: readonly AmbiguousTie[] = [];
      for (;;) {
        try {
          const steps = calls.map(carryOut);
          const remaining = backtrack(ambiguousTies, flowCounts);
          if (remaining !== undefined) {
            ambiguousTies = remaining;
            rewind();
            continue;
          }
          history.push({ calls });
          return steps;
        } catch (error) {
          if (!(error instanceof Unsupported)) throw error;
          const isResolvable = error instanceof AmbiguousOutcome && witness !== undefined;
          try {
            const ambiguousTie = isResolvable ? await resolveAmbiguity(error, witness) : undefined;
            if (ambiguousTie !== undefined) ambiguousTies = [...ambiguousTies, ambiguousTie];
          } finally {
            rewind();
          }
          if (!isResolvable) throw error;
        }
      }
    },
    reconfigure: (wanted) => {
      change(wanted);
      const decisions = nodes.get(wanted.node)?.answers;
      history.push({ change: wanted, ...(decisions === undefined ? {} : { decisions }) });
      return Promise.resolve();
    },
    bundle: (name, bridge, lines) => {
      assert(history.length === 0, 'what stays is changed before anything else is done');
      const node = nodeOf(name);
      applyCall(node, { kind: 'change', node: name, bridge, lines });
      saveProgram(node);
      touched.add(node);
      untouchedCounts.delete(node);
      return Promise.resolve();
    },
    reset: () => {
      assert(
        !history.some((done) => 'change' in done),
        'no reset takes back what was reconfigured',
      );
      forget();
      history.length = 0;
      resetAtMs = new Map([...nodes.values()].map((node) => [node, node.nowMs]));
      for (const { answers: decisions } of nodes.values()) {
        decisions.ties.length = decisions.natTuples.length = 0;
        decisions.ambiguous.clear();
      }
      return Promise.resolve();
    },
    counts: () => Promise.resolve([...nodes.values()].flatMap(countsOf)),
    state: () => Promise.resolve(joinStates([...nodes.values()].map(stateOf))),
    strays: () => Promise.resolve([]),
    program: (of) =>
      Promise.resolve(
        [...nodes.values()]
          .filter(({ name }) => of?.has(name) ?? true)
          .flatMap(({ name, bridges }) =>
            bridges.map((bridge) => ({
              node: name,
              bridge: bridge.plan.name,
              flows: rulesOf(bridge.tables).map((rule) => printFlow(currentFlow(bridge, rule))),
              groups: [...bridge.groups.values()].map((group) => printGroup(group)),
              meters: [...bridge.meters.values()].map(({ meter }) =>
                printMeter(meter).replaceAll('\n', ' '),
              ),
            })),
          ),
      ),
    dumpFlows: (name, bridgeName) => {
      const node = nodeOf(name);
      const bridge = node.bridges.find(({ plan: { name: known } }) => known === bridgeName);
      assert(bridge !== undefined, `node ${name} has no bridge ${bridgeName} in the model`);
      return dumpFlows(bridge, node.nowMs);
    },
    traces: () => [...traces],
    ambiguousSets: () => [...nodes.values()].flatMap(ambiguousSetsOn),
    close: () => Promise.resolve(),
  };
}

type PastAction =
  | { readonly calls: readonly SwitchCall[] }
  | { readonly change: Reconfiguration; readonly decisions?: OracleAnswers };

/** What is connected by having been left open together. */
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
