/** Switches that do something wrong while vectors are played. */
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { SwitchStep } from '../domain/switching.js';
import type { Image } from '../ovs/process/image.js';
import type { OvsSwitches } from '../testbeds/ovs-switches.js';
import type { LateFrame, Switches } from '../testbeds/testbed.js';
import type { Fault } from './fault.js';
import { plantByOfctl } from './plant-in-switch.js';
import { faultyBridge } from './faulty-bridge.js';

const callsBefore = 3;

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
 * have the same key.
 */
function withTooWideCache(
  sim: OvsSwitches,
  node: string,
  { cacheKeyOf }: Extract<Fault, { kind: 'cache' }>,
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
          call.frames.map((frame) => Buffer.from(cacheKeyOf(frame)).toString('hex')).join(' ');
        const known = cached.get(key) ?? step;
        cached.set(key, known);
        return known;
      });
    },
  };
}

/**
 * The sim with a fault that needs more than a changed flow: packets of its own, or frames that come
 * late.
 */
export function withFault(
  sim: OvsSwitches,
  image: Image,
  plan: ClusterPlan,
  fault: Fault,
): Switches {
  const { node, bridge } = faultyBridge(plan);
  if (fault.kind === 'packet') {
    return {
      ...sim,
      reset: async () => {
        await sim.reset();
        await sim.ofctl(node.node, bridge.name, 'packet-out', fault.packet(bridge));
        // Its own frames are not the fault.
        await sim.lateFrames();
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
  let late: LateFrame[] = [];
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
    lateFrames: async () => {
      const lateFrames = late;
      late = [];
      return [...lateFrames, ...(await sim.lateFrames())];
    },
  };
}
