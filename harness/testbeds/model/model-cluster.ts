/**
 * The nodes of the model's cluster, and what was done to them since the last reset: after a
 * question is decided, all is done again.
 */
import { unknownName } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { FlowCount, Reconfiguration, SwitchCall, SwitchStep } from '../../domain/switching.js';
import { announce } from '../../model/announce.js';
import { applyCall } from '../../model/apply-call.js';
import type { Version } from '../../model/behaviour.js';
import { buildNode } from '../../model/build-node.js';
import type { ModelNode } from '../../model/model-node.js';
import type { OracleAnswers } from '../../model/oracle-answers.js';
import { continueLearned, flowCounts, receiveFrame } from '../../model/receive-frame.js';
import { reconfigured } from '../../model/reconfigured.js';
import { resetNode } from '../../model/reset-node.js';
import type { Trace } from '../../model/trace/trace.js';

export interface ModelCluster {
  readonly version: Version;
  /** As the plan has them, by name. */
  readonly built: ReadonlyMap<string, ModelNode>;
  /** As they are now: nodes join, leave and are reconfigured. */
  readonly nodes: Map<string, ModelNode>;
  /**
   * Nodes that something was done to since the last reset; with the others nothing has to be done
   * at the next, and their flows have counted nothing.
   */
  readonly touched: Set<ModelNode>;
  readonly untouchedCounts: Map<ModelNode, readonly FlowCount[]>;
  readonly history: PastAction[];
  /** Frames that came out of a node without a call: its next one has them. */
  readonly unasked: Map<string, SwitchStep['outputs']>;
  /** Virtual time of each node at the last reset. */
  resetAtMs: ReadonlyMap<ModelNode, number>;
  /** What every frame since the last reset went through, in order. */
  readonly traces: Trace[];
}

type PastAction =
  | { readonly calls: readonly SwitchCall[] }
  | { readonly change: Reconfiguration; readonly decisions?: OracleAnswers };

/** @throws InputError for a flow that the model cannot interpret. */
export function buildCluster(plan: ClusterPlan, version: Version): ModelCluster {
  const built = new Map(plan.nodes.map((node) => [node.node, buildNode(node, version)]));
  return {
    version,
    built,
    nodes: new Map(built),
    touched: new Set(built.values()),
    untouchedCounts: new Map(),
    history: [],
    unasked: new Map(),
    resetAtMs: new Map(),
    traces: [],
  };
}

export function nodeOf({ nodes }: ModelCluster, name: string): ModelNode {
  const node = nodes.get(name);
  if (node === undefined) throw unknownName('node', name, [...nodes.keys()]);
  return node;
}

/** What the flows of one of its nodes have counted since the last reset. */
export function countsOf(
  { touched, untouchedCounts }: ModelCluster,
  node: ModelNode,
): readonly FlowCount[] {
  if (touched.has(node)) return flowCounts(node);
  const known = untouchedCounts.get(node) ?? flowCounts(node);
  untouchedCounts.set(node, known);
  return known;
}

export function playCall(cluster: ModelCluster, call: SwitchCall): SwitchStep {
  const node = nodeOf(cluster, call.node);
  cluster.touched.add(node);
  const unasked = cluster.unasked.get(call.node) ?? [];
  cluster.unasked.delete(call.node);
  if (call.kind === 'announce') {
    const announced = announce(node, call);
    cluster.traces.push(...announced.traces);
    return { outputs: [...unasked, ...announced.outputs], packetIns: [] };
  }
  if (call.kind !== 'receive') {
    applyCall(node, call);
    return { outputs: unasked, packetIns: [] };
  }
  const results = call.frames.map((frame) => receiveFrame(node, call.port, frame));
  cluster.traces.push(...results.map(({ trace }) => trace));
  return {
    outputs: [...unasked, ...results.flatMap(({ step }) => step.outputs)],
    packetIns: results.flatMap(({ step }) => step.packetIns ?? []),
  };
}

/** @param decisions of a node that has joined before: what was seen of its switches holds. */
export function reconfigure(
  cluster: ModelCluster,
  wanted: Reconfiguration,
  decisions?: OracleAnswers,
): void {
  const { nodes, version, touched } = cluster;
  if (wanted.kind === 'leave') return void nodes.delete(wanted.node);
  if (wanted.kind === 'programmed') {
    const outputs = continueLearned(nodeOf(cluster, wanted.node));
    if (outputs.length > 0) cluster.unasked.set(wanted.node, outputs);
  }
  const made =
    wanted.kind === 'join'
      ? buildNode(wanted.plan, version)
      : reconfigured(nodeOf(cluster, wanted.node), wanted);
  const node = decisions === undefined ? made : { ...made, answers: decisions };
  if (wanted.kind === 'join') node.answers.natTuplesUsed = node.answers.flowChanges = 0;
  nodes.set(wanted.node, node);
  touched.add(node);
}

/** All nodes are again as they were before anything was done to them. */
export function forget({ nodes, touched, traces, unasked }: ModelCluster): void {
  unasked.clear();
  for (const node of nodes.values()) if (touched.has(node)) resetNode(node);
  touched.clear();
  traces.length = 0;
}

/** The same, and then all is done again that was done since the last reset. */
export function rewind(cluster: ModelCluster): void {
  const { nodes, built, touched, history, resetAtMs } = cluster;
  nodes.clear();
  for (const [name, node] of built) {
    node.nowMs = resetAtMs.get(node) ?? 0;
    // A node that was reconfigured has changed what it shares with this one.
    for (const bridge of node.bridges) bridge.isUnchanged = false;
    node.generations.program++;
    nodes.set(name, node);
    touched.add(node);
  }
  forget(cluster);
  for (const done of history) {
    if ('calls' in done) for (const call of done.calls) playCall(cluster, call);
    else reconfigure(cluster, done.change, done.decisions);
  }
}
