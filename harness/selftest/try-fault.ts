/**
 * Runs a scenario once as it is and once for every planted fault, and says which were caught, and
 * where.
 */
import { assert } from '../base/errors/errors.js';
import type { BridgePlan, ClusterPlan, NodePlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import type { Topology } from '../domain/topology.js';
import type { SwitchStep } from '../domain/switching.js';
import type { TestVector } from '../domain/test-vector.js';
import type { Difference } from '../domain/verdict.js';
import { parseBridgeFlows, parseBridgeGroups } from '../openflow/bridge-program.js';
import { printFlow, printFlowKey, type Flow } from '../openflow/flows/flow.js';
import { printGroup } from '../openflow/groups/print-group.js';
import type { Image } from '../ovs/process/image.js';
import { openOfctl } from '../ovs/openflow/ofctl.js';
import type { ScenarioReport } from '../run/run-report.js';
import { runScenario } from '../run/run-scenario.js';
import type { StrayFrame, Switches } from '../testbeds/testbed.js';
import { nodeFolder } from '../testbeds/sim/configure/folders.js';
import { defaultBackend } from '../testbeds/registry.js';
import { type OvsSwitches, type OpenOptions } from '../testbeds/ovs-switches.js';
import type { Fault } from './faults.js';
import { misread } from './misread.js';

export type FaultResult =
  /**
   * Noticed, and every finding names the right table (and the right field among them), or what kept
   * the run from a verdict.
   */
  | ({
      readonly kind: 'caught';
      readonly fault: Fault;
      readonly vectors: number;
      readonly first: string;
    } & ({ readonly finding: Difference } | { readonly cause: string }))
  | {
      readonly kind: 'misplaced';
      readonly fault: Fault;
      readonly vectors: number;
      readonly first: string;
      readonly finding: Difference;
    }
  | { readonly kind: 'unnoticed'; readonly fault: Fault; readonly why: string };

export interface SelftestOptions {
  readonly image: Image;
  readonly sim: OpenOptions;
  readonly nowMs: () => number;
  /** Runs only the vectors for which this holds. */
  readonly only?: (vector: TestVector) => boolean;
}

/** Runs `scenario` with `fault` planted. */
export async function tryFault(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  fault: Fault,
  options: SelftestOptions,
): Promise<FaultResult> {
  const faulty = faultyScenario(scenario, fault);
  let sim: OvsSwitches | undefined;
  let plan: ClusterPlan | undefined;
  const { report } = await runScenario(faulty, axes, {
    seed: 1,
    nowMs: options.nowMs,
    ...(options.only === undefined ? {} : { only: options.only }),
    openReal: async (wanted) => {
      plan = wanted;
      const { node } = faultyBridge(wanted);
      const wire =
        fault.kind === 'wire'
          ? {
              wire: (step: Parameters<typeof fault.wire>[0], at: string) =>
                at === node.node ? fault.wire(step) : step,
            }
          : {};
      sim = await defaultBackend.open(wanted, options.image, { ...options.sim, ...wire });
      if (fault.kind === 'program') await plantInSwitch(sim, wanted, fault);
      return withFault(sim, options.image, wanted, fault);
    },
    afterProgramming: async () => {
      assert(sim !== undefined && plan !== undefined, 'programmed before it was opened');
      if (fault.kind === 'switch') await plantInSwitch(sim, plan, fault);
      if (fault.kind === 'held' && fault.when === 'programmed')
        await plantByOfctl(sim, options.image, plan, fault);
    },
  });
  return judgeFault(report, fault);
}

/** With the fault in what programs, or in what promises. */
function faultyScenario(scenario: Scenario, fault: Fault): Scenario {
  const planning = (plan: (topology: Topology) => ClusterPlan): Scenario => ({
    ...scenario,
    controlPlane: { ...scenario.controlPlane, plan },
  });
  switch (fault.kind) {
    case 'compiler':
    case 'group compiler':
    case 'host':
      return planning((topology) => miscompile(scenario.controlPlane.plan(topology), fault));
    case 'selector':
      if (fault.readBy === 'kube')
        return planning((topology) => scenario.controlPlane.plan(misread(topology, fault.read)));
      return {
        ...scenario,
        intent: (topology, stimulus, promises) =>
          scenario.intent(misread(topology, fault.read), stimulus, promises),
      };
    default:
      return scenario;
  }
}

function judgeFault(report: ScenarioReport, fault: Fault): FaultResult {
  const diverging = report.vectors.filter(({ verdict }) => verdict === 'diverges');
  const inconclusiveVectors = report.vectors.flatMap(({ id, inconclusive }) =>
    inconclusive === undefined ? [] : [{ id, cause: inconclusive.cause }],
  );
  const [first] = inconclusiveVectors;
  if (fault.kind === 'no cache') {
    const noticed =
      first !== undefined &&
      diverging.length === 0 &&
      inconclusiveVectors.length === report.vectors.length &&
      inconclusiveVectors.every(({ cause }) => cause.includes('cached path was not seen'));
    return noticed
      ? {
          kind: 'caught',
          fault,
          vectors: inconclusiveVectors.length,
          first: first.id,
          cause: first.cause,
        }
      : { kind: 'unnoticed', fault, why: `the run ${report.verdict}` };
  }
  if (report.verdict !== 'diverges')
    return {
      kind: 'unnoticed',
      fault,
      why: report.inconclusive?.cause ?? first?.cause ?? `the run ${report.verdict}`,
    };
  if ('tells' in fault) return judgeBySummary(report, fault);
  const findings =
    fault.kind === 'program'
      ? report.program
      : diverging.flatMap(({ differences }) =>
          differences.filter(({ afterDivergence }) => !afterDivergence),
        );
  const [finding] = findings;
  if (finding === undefined)
    return {
      kind: 'unnoticed',
      fault,
      why: fault.kind === 'program' ? 'no flow was reported otherwise' : 'no vector diverged',
    };
  const isElsewhere = ({ at }: Difference) =>
    at?.flow.table !== fault.table || at?.flow.bridge !== (fault.bridge ?? 'br-int');
  const wrong =
    fault.table === undefined || fault.kind === 'program' ? undefined : findings.find(isElsewhere);
  const named =
    (fault.field === undefined || findings.some(({ at }) => at?.field === fault.field)) &&
    findings.some(({ aspect }) => aspect === fault.aspect) &&
    (fault.pass === undefined || findings.every(({ pass }) => pass === fault.pass));
  const seen = {
    fault,
    vectors: diverging.length,
    first: fault.kind === 'program' ? 'the flows themselves' : (diverging[0]?.id ?? ''),
    finding: wrong ?? finding,
  };
  return wrong === undefined && named
    ? { kind: 'caught', ...seen }
    : { kind: 'misplaced', ...seen };
}

/** Every finding, of the program or of a vector, is about what was planted. */
function judgeBySummary(
  report: ScenarioReport,
  fault: Extract<Fault, { readonly tells: RegExp }>,
): FaultResult {
  const diverging = report.vectors.filter(({ verdict }) => verdict === 'diverges');
  const findings = [
    ...report.program,
    ...diverging.flatMap(({ differences }) =>
      differences.filter(({ afterDivergence }) => !afterDivergence),
    ),
  ];
  const wrong = findings.find(
    ({ aspect, summary }) => aspect !== fault.aspect || !fault.tells.test(summary),
  );
  const finding = wrong ?? findings[0];
  if (finding === undefined) return { kind: 'unnoticed', fault, why: 'nothing was found' };
  const first = diverging[0]?.id ?? 'the flows themselves';
  const seen = { fault, vectors: diverging.length, first, finding };
  return wrong === undefined ? { kind: 'caught', ...seen } : { kind: 'misplaced', ...seen };
}

/** Changes the running switch behind the program's back. */
async function plantInSwitch(
  sim: OvsSwitches,
  plan: ClusterPlan,
  fault: Extract<Fault, { kind: 'switch' | 'program' }>,
): Promise<void> {
  const { node, bridge } = faultyBridge(plan);
  const flow = pick(node, bridge, fault.flow);
  const changed = fault.change(flow);
  if (changed === undefined)
    await sim.ofctl(
      node.node,
      bridge.name,
      'del-flows',
      printFlowKey(flow).replace(/ priority=\d+,/, ''),
    );
  else await sim.ofctl(node.node, bridge.name, 'add-flow', printFlow(changed));
}

/** By an ovs-ofctl of our own: neither the sim nor who runs it knows. */
async function plantByOfctl(
  sim: OvsSwitches,
  image: Image,
  plan: ClusterPlan,
  { commands }: Extract<Fault, { kind: 'held' }>,
): Promise<void> {
  const { node, bridge } = faultyBridge(plan);
  const ofctl = openOfctl(image, nodeFolder(sim.dir, node.node));
  const wanted = {
    flows: parseBridgeFlows(node.node, bridge),
    groups: parseBridgeGroups(node.node, bridge).map((group) => printGroup(group)),
  };
  for (const [command, ...args] of commands(wanted)) await ofctl.run(bridge.name, command, ...args);
}

/**
 * The sim with a fault that needs more than a changed flow: packets of its own, or frames that come
 * late.
 */
function withFault(sim: OvsSwitches, image: Image, plan: ClusterPlan, fault: Fault): Switches {
  const { node, bridge } = faultyBridge(plan);
  if (fault.kind === 'packet') {
    return {
      ...sim,
      reset: async () => {
        await sim.reset();
        await sim.ofctl(node.node, bridge.name, 'packet-out', fault.packet(bridge));
        // Its own frames are not the fault.
        await sim.strays();
      },
    };
  }
  if (fault.kind === 'no cache')
    return {
      ...sim,
      lookups: () => ({ hit: 0, missed: sim.lookups().hit + sim.lookups().missed }),
    };
  if (fault.kind === 'cache') return withTooWideCache(sim, node.node, fault);
  if (fault.kind === 'held' && fault.when === 'under way')
    return plantDuringVectors(sim, () => plantByOfctl(sim, image, plan, fault));
  if (fault.kind === 'wire in') return withChangedFrames(sim, node.node, fault);
  if (fault.kind !== 'delay') return sim;
  let late: StrayFrame[] = [];
  return {
    ...sim,
    call: async (calls) => {
      const steps = await sim.call(calls);
      return steps.map((step, index) => {
        const at = calls[index]?.node ?? '';
        late.push(
          ...step.outputs
            .filter((output) => at === node.node && fault.late(output))
            .map((output) => ({ node: at, ...output })),
        );
        return {
          outputs: step.outputs.filter((output) => at !== node.node || !fault.late(output)),
        };
      });
    },
    strays: async () => {
      const lateFrames = late;
      late = [];
      return [...lateFrames, ...(await sim.strays())];
    },
  };
}

/** Planted behind the last of the first few calls of each vector. */
function plantDuringVectors(sim: OvsSwitches, plant: () => Promise<void>): Switches {
  let calls = 0;
  return {
    ...sim,
    reset: async () => {
      calls = 0;
      await sim.reset();
    },
    call: async (asked) => {
      const steps = await sim.call(asked);
      if (++calls === callsBefore) await plant();
      return steps;
    },
  };
}

const callsBefore = 3;

function withChangedFrames(
  sim: OvsSwitches,
  node: string,
  { wire }: Extract<Fault, { kind: 'wire in' }>,
): Switches {
  return {
    ...sim,
    call: (calls) =>
      sim.call(
        calls.map((call) =>
          call.kind === 'receive' && call.node === node
            ? { ...call, frames: call.frames.map(wire) }
            : call,
        ),
      ),
  };
}

/**
 * What a node sent to others for the first frame that the cache saw is what it sends for all that
 * it cannot tell from it.
 */
function withTooWideCache(
  sim: OvsSwitches,
  node: string,
  { cacheKeyOf: looksAt }: Extract<Fault, { kind: 'cache' }>,
): Switches {
  const cached = new Map<string, SwitchStep>();
  return {
    ...sim,
    reset: async () => {
      cached.clear();
      await sim.reset();
    },
    call: async (calls) => {
      const steps = await sim.call(calls);
      return steps.map((step, index) => {
        const call = calls[index];
        if (
          call?.kind !== 'receive' ||
          call.node !== node ||
          !step.outputs.some(({ port }) => port === 'uplink')
        )
          return step;
        const key =
          `${call.port} ` +
          call.frames.map((frame) => Buffer.from(looksAt(frame)).toString('hex')).join(' ');
        const known = cached.get(key) ?? step;
        cached.set(key, known);
        return known;
      });
    },
  };
}

function miscompile(
  plan: ClusterPlan,
  fault: Extract<Fault, { kind: 'compiler' | 'group compiler' | 'host' }>,
): ClusterPlan {
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

/** The first node's first bridge. */
function faultyBridge(plan: ClusterPlan): { readonly node: NodePlan; readonly bridge: BridgePlan } {
  const [node] = plan.nodes;
  const [bridge] = node?.bridges ?? [];
  assert(node !== undefined && bridge !== undefined, 'a plan without a bridge');
  return { node, bridge };
}

function pick(node: NodePlan, bridge: BridgePlan, wanted: (flow: Flow) => boolean): Flow {
  const flow = parseBridgeFlows(node.node, bridge).find(wanted);
  assert(flow !== undefined, `${bridge.name} has no flow to plant the fault in`);
  return flow;
}
