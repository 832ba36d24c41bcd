/** One call of a course, to its end or to where it holds. */
import type { EngineCall, PlayedContainer } from '../../../control/contrail/course.js';
import { networkFor, removeContainer, runContainer } from './docker-commands.js';
import { wrongBehind } from './held-removal.js';
import { stepNumbered, type Hold } from './holds.js';
import { containerOf, hypervisorOf, lastAttemptOf, type HeldCall, type Stage } from './stage.js';

/** @returns what was wrong with it; undefined for nothing. */
export async function playCall(stage: Stage, call: EngineCall): Promise<string | undefined> {
  switch (call.kind) {
    case 'run':
      return await run(stage, call);
    case 'remove': {
      const attempt = lastAttemptOf(stage, call.container);
      if (attempt === undefined) return neverRun(call.container);
      const hold = call.holdsAfter === undefined ? undefined : stage.holds.arm(call.holdsAfter);
      const wrong = await start(stage, attempt.container, hold, () =>
        removeContainer(stage, attempt),
      );
      return wrong === undefined && call.holdsAfter !== undefined
        ? await wrongBehind(stage, call.holdsAfter, attempt)
        : wrong;
    }
    case 'continues': {
      const held = taken(stage, call.container);
      if (held === undefined) return nothingHeld(call.container);
      held.hold.release();
      return await held.over;
    }
    case 'plugin is killed': {
      const held = taken(stage, call.container);
      if (held === undefined) return nothingHeld(call.container);
      const { hold, over, hypervisor } = held;
      const killed = hypervisor.plugin.kill('is started again');
      hold.release();
      await killed;
      // What it was asked for is refused: its answer is lost.
      await over;
      return undefined;
    }
    case 'adapter comes':
    case 'adapter goes':
      return await adapterOf(stage, call);
    case 'plugin ends':
      stage.disturbed.add(call.hypervisor);
      await hypervisorOf(stage, call.hypervisor).plugin.kill('stays away');
      return undefined;
    case 'plugin starts':
      await hypervisorOf(stage, call.hypervisor).plugin.start();
      return undefined;
    case 'agent loses its ports':
      stage.disturbed.add(call.hypervisor);
      await hypervisorOf(stage, call.hypervisor).loseAgentPorts();
      return undefined;
  }
}

/** Its network is made before: that has steps of its own. */
async function run(
  stage: Stage,
  { container: name, adapter, holdsAfter }: Extract<EngineCall, { readonly kind: 'run' }>,
): Promise<string | undefined> {
  const container = containerOf(stage, name);
  const hypervisor = hypervisorOf(stage, container.hypervisor);
  const network = await networkFor(stage, container);
  if (network.kind === 'refused') return `the network of ${name} is refused: ${network.why}`;
  if (adapter === 'late') hypervisor.compartments.nextIsLate();
  const hold = holdsAfter === undefined ? undefined : stage.holds.arm(stepNumbered[holdsAfter]);
  const wrong = await start(stage, container, hold, () =>
    runContainer(stage, container, network.value),
  );
  if (!stage.held.has(name)) stage.disturbed.delete(hypervisor.name);
  return wrong;
}

async function start(
  stage: Stage,
  { name, hypervisor }: PlayedContainer,
  hold: Hold | undefined,
  work: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const over = work();
  if (hold === undefined) return await over;
  const first = await Promise.race([
    hold.isReached.then(() => ({ kind: 'held' }) as const),
    over.then((wrong) => ({ kind: 'over', wrong }) as const),
  ]);
  if (first.kind === 'over')
    return first.wrong ?? `a call for ${name} is over before it came to the step to hold at`;
  stage.held.set(name, { hold, over, hypervisor: hypervisorOf(stage, hypervisor) });
  return undefined;
}

/** A call that was refused before does not hold any more. */
function taken({ held }: Stage, name: string): HeldCall | undefined {
  const call = held.get(name);
  held.delete(name);
  return call;
}

function neverRun(name: string): string {
  return `Docker was never asked for ${name}: its network was refused`;
}

function nothingHeld(name: string): string {
  return `no call for ${name} holds: it is over already`;
}

async function adapterOf(
  stage: Stage,
  call: Extract<EngineCall, { readonly kind: 'adapter comes' | 'adapter goes' }>,
): Promise<string | undefined> {
  const attempt = lastAttemptOf(stage, call.container);
  if (attempt === undefined) return neverRun(call.container);
  const { container, dockerId } = attempt;
  const { compartments, endpointOf } = hypervisorOf(stage, container.hypervisor);
  const endpoint = endpointOf(dockerId);
  if (endpoint === undefined) return `HNS has no endpoint of ${container.name}`;
  await (call.kind === 'adapter comes'
    ? compartments.comes(endpoint)
    : compartments.goes(endpoint));
  return undefined;
}
