/** Switches whose ports are devices of Linux, by the names that the plan has for them. */
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { Reconfiguration, SwitchCall, SwitchStep } from '../../domain/switching.js';
import type { OpenOptions, OvsSwitches } from '../ovs-switches.js';
import { deviceNames, renamedNode, renamedPlan, renamedPort, type Rename } from './device-names.js';

type Open = (plan: ClusterPlan, options: OpenOptions) => Promise<OvsSwitches>;

/**
 * Opens switches on the plan with names of devices; all that goes in and comes out has the plan's
 * own.
 * @throws InputError for two ports whose devices would have one name.
 */
export async function openOnDevices(
  plan: ClusterPlan,
  options: OpenOptions,
  open: Open,
): Promise<OvsSwitches> {
  const { to, from } = deviceNames();
  const { wire } = options;
  const switches = await open(renamedPlan(plan, to), {
    ...options,
    ...(wire === undefined
      ? {}
      : { wire: (step, node) => renamedStep(wire(renamedStep(step, from), node), to) }),
  });
  const { compiled, recompile } = switches;
  return {
    ...switches,
    get daemons() {
      return switches.daemons;
    },
    ...(compiled === undefined ? {} : { compiled: renamedPlan(compiled, from) }),
    ...(recompile === undefined
      ? {}
      : {
          recompile: async (next: ClusterPlan) =>
            renamedPlan(await recompile(renamedPlan(next, to)), from),
        }),
    ...callsOf(switches, to, from),
  };
}

function callsOf(
  switches: OvsSwitches,
  to: Rename,
  from: Rename,
): Pick<OvsSwitches, 'call' | 'reconfigure' | 'state' | 'lateFrames'> {
  return {
    call: async (calls) =>
      (await switches.call(calls.map((call) => renamedCall(call, to)))).map((step) =>
        renamedStep(step, from),
      ),
    reconfigure: (change) => switches.reconfigure(renamedChange(change, to)),
    state: async () => {
      const { macs, multicast, ...state } = await switches.state();
      return {
        ...state,
        macs: macs.map((mac) => ({ ...mac, port: from(mac.port) })),
        ...(multicast === undefined
          ? {}
          : { multicast: multicast.map((one) => ({ ...one, port: from(one.port) })) }),
      };
    },
    lateFrames: async () =>
      (await switches.lateFrames()).map((late) => ({ ...late, port: from(late.port) })),
  };
}

function renamedCall(call: SwitchCall, to: Rename): SwitchCall {
  return call.kind === 'receive' || call.kind === 'link' ? { ...call, port: to(call.port) } : call;
}

/** Sorted by the names of ports, as before. */
function renamedStep(step: SwitchStep, rename: Rename): SwitchStep {
  const outputs = step.outputs.map((output) => ({ ...output, port: rename(output.port) }));
  return {
    ...step,
    outputs: outputs.sort((a, b) => (a.port < b.port ? -1 : a.port > b.port ? 1 : 0)),
  };
}

function renamedChange(change: Reconfiguration, to: Rename): Reconfiguration {
  switch (change.kind) {
    case 'attach':
      return { ...change, port: renamedPort(change.port, to) };
    case 'detach':
      return { ...change, port: to(change.port) };
    case 'programmed':
    case 'join':
      return { ...change, plan: renamedNode(change.plan, to) };
    case 'neighbours':
    case 'restart':
    case 'leave':
      return change;
  }
}
