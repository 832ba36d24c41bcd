/**
 * Runs a scenario once as it is and once for every planted fault, and says which were caught, and
 * where.
 */
import { assert } from '../base/errors/errors.js';
import { contrail } from '../control/contrail/index.js';
import { courseProgram } from '../control/contrail/course.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { ControlPlane } from '../domain/plan/control-plane.js';
import type { Scenario } from '../domain/scenario.js';
import type { Topology } from '../domain/topology.js';
import type { TestVector } from '../domain/test-vector.js';
import type { Image } from '../ovs/process/image.js';
import { runScenario } from '../run/run-scenario.js';
import { defaultBackend } from '../testbeds/registry.js';
import type { OvsSwitches, OpenOptions } from '../testbeds/ovs-switches.js';
import type { Fault } from './fault.js';
import { misread } from './misread.js';
import { mutatingOptions } from './mutated-source.js';
import { type FaultResult, judgeFault } from './judge-fault.js';
import { faultyBridge } from './faulty-bridge.js';
import { miscompile, withFaultyRows } from './miscompile.js';
import { plantByOfctl, plantInSwitch } from './plant-in-switch.js';
import { withFault } from './with-fault.js';

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
      const { node } = faultyBridge(wanted);
      const wire =
        fault.kind === 'wire'
          ? {
              wire: (step: Parameters<typeof fault.wire>[0], at: string) =>
                at === node.node ? fault.wire(step) : step,
            }
          : {};
      sim = await defaultBackend.open(wanted, options.image, { ...options.sim, ...wire });
      plan = sim.compiled ?? wanted;
      if (fault.kind === 'program') await plantInSwitch(sim, plan, fault);
      return withFault(sim, options.image, plan, fault);
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
  const planning = (plan: ControlPlane<Topology>['plan']): Scenario => ({
    ...scenario,
    controlPlane: { ...scenario.controlPlane, plan },
  });
  switch (fault.kind) {
    case 'bindings':
    case 'compiler':
    case 'group compiler':
    case 'host':
    case 'northbound':
    case 'programs':
      return planning((topology, before) =>
        miscompile(scenario.controlPlane.plan(topology, before), fault, before),
      );
    case 'northbound rows':
      return {
        ...scenario,
        controlPlane: {
          ...scenario.controlPlane,
          plan: (topology, before) =>
            withFaultyRows(scenario.controlPlane.plan(topology, before), before, fault),
        },
      };
    case 'program source': {
      const { plan } = contrail(courseProgram(mutatingOptions(fault.mutation)));
      // A fault of that kind is in a scenario whose network is Contrail's.
      return planning((topology) => plan(topology as Parameters<typeof plan>[0]));
    }
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
