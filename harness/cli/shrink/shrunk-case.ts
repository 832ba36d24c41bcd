/** What `flowbed shrink` makes smaller from one try to the next. */
import type { Scenario } from '../../domain/scenario.js';
import type { TestVector } from '../../domain/test-vector.js';
import type { TimelineStep } from '../../domain/timeline.js';
import { staticFlows, type BridgeFlowText } from '../../control/static.js';
import type { Network } from '../../kube/objects.js';
import { timelineOf } from '../../run/timeline/scenario-timeline.js';
import { InputError } from '../../base/errors/errors.js';

export interface ShrunkCase {
  /** Of a timeline: that of its beginning. */
  readonly network: Network;
  readonly vector: TestVector;
  /** Of a timeline: its steps, up to the vector. */
  readonly steps?: readonly TimelineStep<Network>[];
  /** All that bridges hold; missing where it is what the control plane wants. */
  readonly flows?: readonly CaseFlow[];
  /** Where there are flows: all bridges, also those that are left none. */
  readonly bridges?: readonly CaseBridge[];
}

export type End = 'good' | 'bad';

export interface CaseBridge {
  readonly node: string;
  readonly bridge: string;
}

/** A flow of a bridge, and at which end of what is compared it is there. */
export interface CaseFlow extends CaseBridge {
  readonly flow: string;
  readonly ends: readonly End[];
}

/**
 * The vector at a point of a scenario: first as if the network had always been as it is then, last
 * with all that came before.
 */
export function casesOf(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  id: string,
): readonly ShrunkCase[] {
  const { cluster, steps } = timelineOf(scenario, axes);
  const index = steps.findIndex((step) => step.kind === 'vector' && step.vector.id === id);
  const step = steps[index];
  if (step?.kind !== 'vector') throw new InputError(`there is no vector ${id}`);
  const { together: _, ...vector } = step.vector;
  const before = steps.slice(0, index);
  const last = before.findLast(({ kind }) => kind === 'cluster');
  const alone = { network: last?.kind === 'cluster' ? last.cluster : cluster, vector };
  return before.every(({ kind }) => kind === 'reset' || kind === 'vector') &&
    scenario.timeline === undefined
    ? [alone]
    : [alone, { network: cluster, vector, steps: [...before, { kind: 'vector', vector }] }];
}

/** The networks of a case, in order of time. */
export function networksOf({ network, steps = [] }: ShrunkCase): readonly Network[] {
  return [network, ...steps.flatMap((step) => (step.kind === 'cluster' ? [step.cluster] : []))];
}

/** @param networks as many as the case has. */
export function withNetworks(found: ShrunkCase, networks: readonly Network[]): ShrunkCase {
  const [network = found.network, ...others] = networks;
  const left = [...others];
  const { steps, ...rest } = found;
  return {
    ...rest,
    network,
    ...(steps === undefined
      ? {}
      : {
          steps: steps.map((step) =>
            step.kind === 'cluster' ? { ...step, cluster: left.shift() ?? step.cluster } : step,
          ),
        }),
  };
}

/** The scenario on what is left of its network. */
export function scenarioOf(original: Scenario, found: ShrunkCase, end: End): Scenario {
  const { after: _, timeline: __, ...scenario } = original;
  const { network, vector, steps } = found;
  const controlPlane =
    found.flows === undefined
      ? scenario.controlPlane
      : staticFlows(scenario.controlPlane, flowTexts(found, end));
  const common = {
    ...scenario,
    controlPlane,
    axes: {},
    topology: () => network,
    vectors: () => [vector],
  };
  return steps === undefined
    ? common
    : { ...common, timeline: () => ({ cluster: network, steps: withVector(steps, vector) }) };
}

/** The last step is the vector as it is now. */
export function withVector(
  steps: readonly TimelineStep<Network>[],
  vector: TestVector,
): readonly TimelineStep<Network>[] {
  return [...steps.slice(0, -1), { kind: 'vector', vector }];
}

/** A text a bridge: what it holds at one end. Of a bridge without flows it is empty. */
export function flowTexts(
  { network, flows = [], bridges = flows }: ShrunkCase,
  end: End,
): readonly BridgeFlowText[] {
  const places = new Map(
    bridges
      .filter(({ node }) => network.nodes.some(({ name }) => name === node))
      .map(({ node, bridge }) => [JSON.stringify([node, bridge]), { node, bridge }]),
  );
  return [...places.values()].map((place) => ({
    ...place,
    text: flows
      .filter(
        ({ node, bridge, ends }) =>
          node === place.node && bridge === place.bridge && ends.includes(end),
      )
      .map(({ flow }) => `${flow}\n`)
      .join(''),
  }));
}

/** `2 nodes, 6 pods, 5 NetworkPolicies` */
export function sizeOf({ network, steps, flows }: ShrunkCase): string {
  const { nodes, objects, externalHosts = [] } = network;
  const pods = nodes.reduce((sum, node) => sum + node.pods.length, 0);
  const parts: readonly (readonly [number, string])[] = [
    [nodes.length, 'nodes'],
    [pods, 'pods'],
    [externalHosts.length, 'external hosts'],
    [objects?.networkPolicies.length ?? 0, 'NetworkPolicies'],
    [objects?.clusterNetworkPolicies.length ?? 0, 'ClusterNetworkPolicies'],
    [objects?.services.length ?? 0, 'Services'],
    [steps?.length ?? 0, 'steps'],
    [flows?.length ?? 0, 'flows'],
  ];
  return parts.flatMap(([count, name]) => (count === 0 ? [] : [`${count} ${name}`])).join(', ');
}
