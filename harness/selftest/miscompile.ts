/** Faults in what the control plane compiles. */
import { assert } from '../base/errors/errors.js';
import type { NodePlan, ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { parseBridgeFlows } from '../openflow/bridge-program.js';
import { printFlow } from '../openflow/flows/flow.js';
import type { Fault } from './fault.js';
import { faultyBridge, pick } from './faulty-bridge.js';

function withFaultyFlow(
  node: NodePlan,
  bridge: BridgePlan,
  fault: Extract<Fault, { kind: 'compiler' }>,
): readonly string[] {
  const target = printFlow(pick(node, bridge, fault.flow));
  return parseBridgeFlows(node.node, bridge).map((flow) =>
    printFlow(printFlow(flow) === target ? fault.change(flow) : flow),
  );
}

function withFaultyGroup(
  { name, groups = [] }: BridgePlan,
  fault: Extract<Fault, { kind: 'group compiler' }>,
): readonly string[] {
  const changed = groups.map((group) => (fault.group(group) ? fault.change(group) : group));
  assert(changed.join('\n') !== groups.join('\n'), `${name} has no group to plant the fault in`);
  return changed;
}

function withFaultyRow(
  plan: ClusterPlan,
  fault: Extract<Fault, { kind: 'northbound' }>,
): ClusterPlan {
  const [zone, ...others] = plan.northbound?.zones ?? [];
  const target = zone?.rows.find(fault.row);
  assert(zone !== undefined && target !== undefined, 'there is a row to plant the fault in');
  const rows = zone.rows.map((row) => (row === target ? fault.change(row) : row));
  return { ...plan, northbound: { zones: [{ ...zone, rows }, ...others] } };
}

function withFaultyPrograms(
  plan: ClusterPlan,
  { change }: Extract<Fault, { kind: 'programs' }>,
  before: ClusterPlan | undefined,
): ClusterPlan {
  const [zone, ...others] = plan.northbound?.zones ?? [];
  assert(zone?.programs !== undefined, 'there are programs to plant the fault in');
  const programs = change(zone.programs);
  // Later it may be about what has gone.
  const isChanged = JSON.stringify(programs) !== JSON.stringify(zone.programs);
  assert(isChanged || before !== undefined, 'the fault changes something');
  return { ...plan, northbound: { zones: [{ ...zone, programs }, ...others] } };
}

function withFaultyBindings(
  plan: ClusterPlan,
  { change }: Extract<Fault, { kind: 'bindings' }>,
): ClusterPlan {
  const zones = (plan.northbound?.zones ?? []).map((zone) => ({
    ...zone,
    chassis: zone.chassis.map(change),
  }));
  return { ...plan, northbound: { zones } };
}

/** Of all zones. @param before the plan that was applied before this one. */
export function withFaultyRows(
  plan: ClusterPlan,
  before: ClusterPlan | undefined,
  { rows }: Extract<Fault, { kind: 'northbound rows' }>,
): ClusterPlan {
  const held = (before?.northbound?.zones ?? []).flatMap((zone) => zone.rows);
  const zones = (plan.northbound?.zones ?? []).map((zone) => ({
    ...zone,
    rows: rows(zone.rows, held),
  }));
  return { ...plan, northbound: { zones } };
}

export function miscompile(
  plan: ClusterPlan,
  fault: Extract<
    Fault,
    { kind: 'bindings' | 'compiler' | 'group compiler' | 'host' | 'northbound' | 'programs' }
  >,
  before?: ClusterPlan,
): ClusterPlan {
  if (fault.kind === 'bindings') return withFaultyBindings(plan, fault);
  if (fault.kind === 'northbound') return withFaultyRow(plan, fault);
  if (fault.kind === 'programs') return withFaultyPrograms(plan, fault, before);
  const { node, bridge } = faultyBridge(plan);
  if (fault.kind === 'host') {
    const hosts = node.hosts.map((host) => (host.name === node.node ? fault.host(host) : host));
    return {
      ...plan,
      nodes: plan.nodes.map((candidate) => (candidate === node ? { ...node, hosts } : candidate)),
    };
  }
  const faulty =
    fault.kind === 'compiler'
      ? { ...bridge, flows: withFaultyFlow(node, bridge, fault) }
      : { ...bridge, groups: withFaultyGroup(bridge, fault) };
  const bridges = node.bridges.map((candidate) => (candidate === bridge ? faulty : candidate));
  return {
    ...plan,
    nodes: plan.nodes.map((candidate) => (candidate === node ? { ...node, bridges } : candidate)),
  };
}
