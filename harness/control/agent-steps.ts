/**
 * What agents do about a cluster that changes, as data: steps that turn what nodes hold into what
 * they should hold.
 */
import { assert } from '../base/errors/errors.js';
import type { ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { Reconfiguration } from '../domain/switching.js';
import type { FlowChange } from '../domain/plan/flow-change.js';
import { parseBridgeFlows, parseBridgeGroups } from '../openflow/bridge-program.js';
import { diffFlows } from '../openflow/flows/diff-flows.js';
import { printFlow } from '../openflow/flows/flow.js';
import { printGroup } from '../openflow/groups/print-group.js';

/** One step: ports and daemons, or the flows and groups of one bridge, all or none. */
export type AgentStep = Reconfiguration | FlowChange;

/**
 * From `before` to `after`, node by node: nodes that leave first, those that come last. At a node
 * ports come before the flows that name them and go after those are gone; flows that are in both
 * plans are not touched, so that they go on counting.
 */
export function stepsBetween(before: ClusterPlan, after: ClusterPlan): readonly AgentStep[] {
  const found = (plan: ClusterPlan, name: string) => plan.nodes.find(({ node }) => node === name);
  return [
    ...before.nodes
      .filter(({ node }) => found(after, node) === undefined)
      .map(({ node }): AgentStep => ({ kind: 'leave', node })),
    ...after.nodes.flatMap((node) => {
      const held = found(before, node.node);
      return held === undefined
        ? []
        : stepsOfNode(held, node, (bridge, now) => flowLines(node.node, bridge, now));
    }),
    ...after.nodes
      .filter(({ node }) => found(before, node) === undefined)
      .map((plan): AgentStep => ({ kind: 'join', node: plan.node, plan })),
  ];
}

/**
 * An agent that restarts makes its node hold all of the plan, whatever is there already. Flows of
 * the plan before stay until it sweeps (`ControlPlane.sweep`).
 */
export function stepsOfStart(before: NodePlan, after: NodePlan): readonly AgentStep[] {
  const everything = (bridge: BridgePlan) => [
    ...parseBridgeGroups(after.node, bridge).map(
      (group) => `group add_or_mod ${printGroup(group)}`,
    ),
    ...parseBridgeFlows(after.node, bridge).map((flow) => `flow add ${printFlow(flow)}`),
  ];
  return stepsOfNode(before, after, (_, now) => everything(now));
}

/** A switch that has restarted gets all flows and groups again. */
export function stepsOfReplay({ node, bridges }: NodePlan): readonly AgentStep[] {
  return bridges.flatMap((bridge) =>
    changeOf(node, bridge.name, flowLines(node, { ...bridge, flows: [], groups: [] }, bridge)),
  );
}

function stepsOfNode(
  before: NodePlan,
  after: NodePlan,
  linesFor: (before: BridgePlan, after: BridgePlan) => readonly string[],
): readonly AgentStep[] {
  const { node } = after;
  return after.bridges.flatMap((bridge) => {
    const held = before.bridges.find(({ name }) => name === bridge.name);
    assert(held !== undefined, `bridge ${bridge.name} of node ${node} was there before`);
    for (const part of ['meters', 'tunnelOptions', 'mirrors', 'mac'] as const)
      assert(
        JSON.stringify(held[part]) === JSON.stringify(bridge[part]),
        `${part} of bridge ${bridge.name} stay as they are`,
      );
    const has = ({ ports }: BridgePlan) => new Set(ports.map((port) => JSON.stringify(port)));
    const [had, wanted] = [has(held), has(bridge)];
    return [
      ...bridge.ports
        .filter((port) => !had.has(JSON.stringify(port)))
        .map((port): AgentStep => ({ kind: 'attach', node, bridge: bridge.name, port })),
      ...neighbours(node, held, bridge),
      ...changeOf(node, bridge.name, linesFor(held, bridge)),
      ...held.ports
        .filter((port) => !wanted.has(JSON.stringify(port)))
        .map(({ name }): AgentStep => ({ kind: 'detach', node, bridge: bridge.name, port: name })),
    ];
  });
}

function neighbours(
  node: string,
  before: BridgePlan,
  { name, underlay }: BridgePlan,
): readonly AgentStep[] {
  if (
    underlay === undefined ||
    JSON.stringify(before.underlay?.neighbours) === JSON.stringify(underlay.neighbours)
  )
    return [];
  return [{ kind: 'neighbours', node, bridge: name, neighbours: underlay.neighbours }];
}

function changeOf(node: string, bridge: string, lines: readonly string[]): readonly AgentStep[] {
  return lines.length === 0 ? [] : [{ kind: 'change', node, bridge, lines }];
}

/** Groups come before the flows that name them, and go after those are gone. */
function flowLines(node: string, before: BridgePlan, after: BridgePlan): readonly string[] {
  const [held, wanted] = [before, after].map(
    (bridge) =>
      new Map(parseBridgeGroups(node, bridge).map((group) => [group.id, printGroup(group)])),
  );
  const [added, changed] = [false, true].map((known) =>
    [...(wanted ?? [])]
      .filter(([id, text]) => (held?.has(id) ?? false) === known && held?.get(id) !== text)
      .map(([, text]) => text),
  );
  return [
    ...(added ?? []).map((group) => `group add ${group}`),
    ...(changed ?? []).map((group) => `group modify ${group}`),
    ...diffFlows(parseBridgeFlows(node, before), parseBridgeFlows(node, after)),
    ...[...(held ?? [])]
      .filter(([id]) => wanted?.has(id) !== true)
      .map(([id]) => `group delete group_id=${id}`),
  ];
}
