/** The order in which a case is shrunk, and what of it. */
import { deltaDebug } from '../../search/delta-debug.js';
import { shrinkNetworks } from '../../search/shrink-networks.js';
import { simplerFlowsOn } from '../../search/simpler-flows.js';
import { simplerVectors } from '../../search/simpler-vectors.js';
import { simplify } from '../../search/simplify.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import {
  networksOf,
  withNetworks,
  withVector,
  type CaseBridge,
  type CaseFlow,
  type End,
  type ShrunkCase,
} from './shrunk-case.js';

type Holds = (some: ShrunkCase) => Promise<boolean>;

/** Fewer events, objects, pods and nodes, less in each object, and a simpler packet. */
export async function shrinkCase(whole: ShrunkCase, holds: Holds): Promise<ShrunkCase> {
  // The fewest passes first: each try after it is shorter.
  let found = await simplerVector(whole, holds);
  for (;;) {
    let smaller = await fewerSteps(found, holds);
    const before = smaller;
    const networks = await shrinkNetworks(networksOf(before), (some) =>
      holds(withNetworks(before, some)),
    );
    smaller = await simplerVector(withNetworks(before, networks), holds);
    if (JSON.stringify(smaller) === JSON.stringify(found)) return found;
    found = smaller;
  }
}

async function fewerSteps(found: ShrunkCase, holds: Holds): Promise<ShrunkCase> {
  const { steps } = found;
  if (steps === undefined) return found;
  const last = steps.slice(-1);
  const kept = await deltaDebug(steps.slice(0, -1), (some) =>
    holds({ ...found, steps: [...some, ...last] }),
  );
  return { ...found, steps: [...kept, ...last] };
}

async function simplerVector(found: ShrunkCase, holds: Holds): Promise<ShrunkCase> {
  const { steps } = found;
  const withSimpler = (vector: ShrunkCase['vector']): ShrunkCase => ({
    ...found,
    vector,
    ...(steps === undefined ? {} : { steps: withVector(steps, vector) }),
  });
  const [vector = found.vector] = await simplify([found.vector], simplerVectors, ([simpler]) =>
    simpler === undefined ? Promise.resolve(false) : holds(withSimpler(simpler)),
  );
  return withSimpler(vector);
}

/** Plans of the ends that are compared; `good` is missing where the bad one fails by itself. */
export type Plans = Readonly<Partial<Record<End, ClusterPlan>>>;

/**
 * Fewer flows, and less in each. Undefined where flows are not given as text, or change: what OVN
 * compiles, and timelines.
 */
export async function shrinkFlows(
  found: ShrunkCase,
  plans: Plans,
  holds: Holds,
): Promise<ShrunkCase | undefined> {
  const isText = Object.values(plans).every(
    ({ northbound, nodes }) =>
      northbound === undefined &&
      nodes.every(({ bridges }) => bridges.every(({ origin }) => origin !== 'dumped')),
  );
  const whole = {
    ...found,
    flows: found.flows ?? flowsIn(plans),
    bridges: found.bridges ?? bridgesIn(plans),
  };
  if (!isText || found.steps !== undefined || !(await holds(whole))) return undefined;
  const ports = portsIn(plans);
  const kept = await deltaDebug(whole.flows, (flows) => holds({ ...whole, flows }));
  const flows = await simplify(
    kept,
    (entry) =>
      simplerFlowsOn(entry.flow, ports.get(placeOf(entry)) ?? new Map()).map((flow) => ({
        ...entry,
        flow,
      })),
    (some) => holds({ ...whole, flows: some }),
  );
  return { ...whole, flows };
}

function placeOf({ node, bridge }: Pick<CaseFlow, 'node' | 'bridge'>): string {
  return JSON.stringify([node, bridge]);
}

/** Each flow once, with the ends that hold it. */
export function flowsIn(plans: Plans): readonly CaseFlow[] {
  const flows = new Map<string, CaseFlow>();
  for (const end of ['good', 'bad'] as const)
    for (const { node, bridges } of plans[end]?.nodes ?? [])
      for (const { name: bridge, flows: lines } of bridges)
        for (const flow of lines.filter((line) => /^\s*[^#\s]/.test(line))) {
          const key = JSON.stringify([node, bridge, flow]);
          const known = flows.get(key);
          if (known?.ends.includes(end) !== true)
            flows.set(key, { node, bridge, flow, ends: [...(known?.ends ?? []), end] });
        }
  return [...flows.values()];
}

/** Each bridge once. */
export function bridgesIn(plans: Plans): readonly CaseBridge[] {
  const bridges = Object.values(plans).flatMap(({ nodes }) =>
    nodes.flatMap((node) => node.bridges.map(({ name }) => ({ node: node.node, bridge: name }))),
  );
  return [...new Map(bridges.map((one) => [placeOf(one), one])).values()];
}

function portsIn(plans: Plans): ReadonlyMap<string, ReadonlyMap<string, number>> {
  return new Map(
    (plans.bad?.nodes ?? []).flatMap(({ node, bridges }) =>
      bridges.map(
        ({ name: bridge, ports }) =>
          [
            placeOf({ node, bridge }),
            new Map(ports.map(({ name, ofport }) => [name, ofport])),
          ] as const,
      ),
    ),
  );
}
