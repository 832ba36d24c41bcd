/**
 * Plays the calls of a course one after the other, and tells what there is before the first and
 * after each. All that is random elsewhere follows from the course: the same one leaves the same.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '../../../base/errors/errors.js';
import type {
  Course,
  EngineCall,
  Played,
  PlayedContainer,
  PlayedMoment,
} from '../../../control/contrail/course.js';
import { uuidFrom } from '../controller/config-database.js';
import { serveConfigApi, type ConfigApi } from '../controller/config-api.js';
import type { Request } from '../http/json-server.js';
import { placeProblems, type IntendedEndpoint } from '../places.js';
import type { PlayedEndpoint } from '../testkit/network-body.js';
import type { Played as Answered } from '../testkit/played-engine.js';
import { serveTampered } from '../testkit/tampering.js';
import { databaseOfCourse } from './course-database.js';
import { courseHypervisor, type CourseHypervisor } from './course-hypervisor.js';
import { holdsOf, stepNumbered, type Hold, type Holds } from './holds.js';

/** The folder of its sockets goes with it; the process ends by itself alone. */
export async function playCourse(course: Course): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'course-'));
  try {
    const stage = await stageOf(course, folder);
    const moments = [await stage.moment()];
    for (const call of course.calls) {
      await stage.play(call);
      moments.push(await stage.moment());
    }
    return moments;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A container of Docker's, by its endpoint. */
interface Attempt {
  readonly container: PlayedContainer;
  readonly dockerId: string;
  /** What has come up. */
  up?: PlayedEndpoint;
  /** Docker has it no more. */
  isRemoved?: true;
}

interface HeldCall {
  readonly hold: Hold;
  /** Resolves when the call is over; what was wrong with it. */
  readonly over: Promise<string | undefined>;
  readonly hypervisor: CourseHypervisor;
}

interface Stage {
  play(call: EngineCall): Promise<void>;
  moment(): Promise<PlayedMoment>;
}

async function stageOf(course: Course, folder: string): Promise<Stage> {
  const attempts: Attempt[] = [];
  const controller = await serveConfigApi(databaseOfCourse(course), undefined, {
    socket: join(folder, 'controller'),
  });
  const ofPlugins = await serveTampered(controller.address, withMac(attempts));
  const holds = holdsOf();
  const services = {
    folder,
    controller: { ofAgents: controller.address, ofPlugins: ofPlugins.address },
    holds,
  };
  const hypervisors: CourseHypervisor[] = [];
  for (const one of course.hypervisors)
    hypervisors.push(await courseHypervisor(one, course, services));
  return { ...playing({ course, attempts, controller, hypervisors, holds }) };
}

interface Props {
  readonly course: Course;
  readonly attempts: Attempt[];
  readonly controller: ConfigApi;
  readonly hypervisors: readonly CourseHypervisor[];
  readonly holds: Holds;
}

function playing({ course, attempts, controller, hypervisors, holds }: Props): Stage {
  const networks = new Map<string, string>();
  const held = new Map<string, HeldCall>();
  /** Hypervisors where something was missed, which nobody has compared since. */
  const disturbed = new Set<string>();
  let refused: readonly string[] = [];
  const engineNamed = (name: string) => found(hypervisors, (one) => one.name === name, name);
  const containerNamed = (name: string) =>
    found(course.containers, (container) => container.name === name, name);
  const lastAttempt = (name: string) =>
    found(attempts.toReversed(), ({ container }) => container.name === name, name);

  const networkOf = async (container: PlayedContainer): Promise<Answered<string>> => {
    const key = `${container.hypervisor} ${container.subnet}`;
    const known = networks.get(key);
    if (known !== undefined) return { kind: 'done', value: known };
    const { tenant, network } = container;
    const subnet = found(
      course.virtualNetworks.flatMap(({ subnets }) => subnets),
      ({ id }) => id === container.subnet,
      container.subnet,
    );
    const { engine } = engineNamed(container.hypervisor);
    const made = await engine.createNetwork({ tenant, network, cidr: subnet.cidr });
    if (made.kind === 'done') networks.set(key, made.value);
    return made;
  };
  const run = async (container: PlayedContainer, network: string): Promise<string | undefined> => {
    const { engine } = engineNamed(container.hypervisor);
    const tried = attempts.filter((one) => one.container.name === container.name).length;
    const dockerId = uuidFrom(`${container.name} ${tried + 1}`).replaceAll('-', '');
    const attempt: Attempt = { container, dockerId };
    attempts.push(attempt);
    const answer = await engine.run(network, container.ip, dockerId);
    if (answer.kind === 'refused') {
      attempt.isRemoved = true;
      return `docker run of ${container.name} on ${container.hypervisor}: ${answer.why}`;
    }
    attempt.up = answer.value;
    return undefined;
  };
  const remove = async (attempt: Attempt): Promise<string | undefined> => {
    const { container, up } = attempt;
    const { engine } = engineNamed(container.hypervisor);
    if (up === undefined) return `docker rm of ${container.name}: it never came up`;
    await engine.remove(up);
    attempt.isRemoved = true;
    const isLast = !engine.endpoints().some(({ networkId }) => networkId === up.networkId);
    if (!isLast) return undefined;
    networks.delete(`${container.hypervisor} ${container.subnet}`);
    await engine.removeNetwork(up.networkId);
    return undefined;
  };
  /** To its end, or to where it holds. */
  const start = async (
    container: PlayedContainer,
    hold: Hold | undefined,
    work: () => Promise<string | undefined>,
  ): Promise<void> => {
    const over = work();
    if (hold === undefined) return say(await over);
    const first = await Promise.race([hold.isReached.then(() => 'held' as const), over]);
    if (first !== 'held') {
      hold.goOn();
      return say(first ?? `a call for ${container.name} is over before it came to its step`);
    }
    const hypervisor = engineNamed(container.hypervisor);
    held.set(container.name, { hold, over, hypervisor });
  };
  const say = (problem: string | undefined): void => {
    if (problem !== undefined) refused = [...refused, problem];
  };
  const taken = (name: string): HeldCall => {
    const call = held.get(name);
    assert(call !== undefined, `a call for ${name} holds`);
    held.delete(name);
    return call;
  };

  const play = async (call: EngineCall): Promise<void> => {
    refused = [];
    switch (call.kind) {
      case 'run': {
        const container = containerNamed(call.container);
        const hypervisor = engineNamed(container.hypervisor);
        if (call.adapter === 'late') hypervisor.compartments.nextIsLate();
        // A network of its own is made before: it has steps of its own.
        const network = await networkOf(container);
        if (network.kind === 'refused') return say(network.why);
        const hold =
          call.holdsAfter === undefined ? undefined : holds.arm(stepNumbered[call.holdsAfter]);
        await start(container, hold, () => run(container, network.value));
        if (!held.has(container.name)) disturbed.delete(hypervisor.name);
        return;
      }
      case 'remove': {
        const attempt = lastAttempt(call.container);
        const hold = call.holdsAfter === undefined ? undefined : holds.arm(call.holdsAfter);
        return await start(attempt.container, hold, () => remove(attempt));
      }
      case 'goes on': {
        const { hold, over } = taken(call.container);
        hold.goOn();
        return say(await over);
      }
      case 'plugin is killed': {
        const { hold, over, hypervisor } = taken(call.container);
        const killed = hypervisor.killPlugin('starts it again');
        hold.goOn();
        await killed;
        await over;
        return;
      }
      case 'adapter comes':
      case 'adapter goes': {
        const { container, dockerId } = lastAttempt(call.container);
        const { compartments, endpointOf } = engineNamed(container.hypervisor);
        const endpoint = endpointOf(dockerId);
        if (endpoint === undefined) return say(`HNS has no endpoint of ${container.name}`);
        return await (call.kind === 'adapter comes'
          ? compartments.comes(endpoint)
          : compartments.goes(endpoint));
      }
      case 'plugin ends':
        disturbed.add(call.hypervisor);
        return await engineNamed(call.hypervisor).killPlugin('gets no answer');
      case 'plugin starts':
        return await engineNamed(call.hypervisor).startPlugin();
      case 'agent loses its ports':
        disturbed.add(call.hypervisor);
        return await engineNamed(call.hypervisor).loseAgentPorts();
    }
  };
  const moment = async (): Promise<PlayedMoment> => {
    const containerOf = (dockerId: string) =>
      attempts.find((one) => one.dockerId === dockerId && one.isRemoved !== true)?.container.name;
    const isAtRest = held.size === 0 && disturbed.size === 0;
    return {
      hypervisors: hypervisors.map((one) => one.played(containerOf)),
      problems: [...refused, ...(isAtRest ? await problemsAt(controller, hypervisors) : [])],
    };
  };
  return { play, moment };
}

/** Whatever is other than Docker has it. */
async function problemsAt(
  controller: ConfigApi,
  hypervisors: readonly CourseHypervisor[],
): Promise<readonly string[]> {
  const places = [];
  for (const one of hypervisors) places.push(await one.places());
  const intended = hypervisors.flatMap(({ name, engine }) =>
    engine.endpoints().map(({ id, ip }): IntendedEndpoint => ({ hypervisor: name, endpoint: id, ip })),
  );
  return placeProblems(controller.database(), places, intended);
}

/** A container has one MAC address, however often it is created: the controller is asked for it. */
function withMac(attempts: readonly Attempt[]) {
  return (request: Request): Request => {
    if (`${request.method} ${request.path}` !== 'POST /virtual-machine-interfaces') return request;
    const { 'virtual-machine-interface': asked } = request.body as {
      readonly 'virtual-machine-interface': { readonly fq_name: readonly string[] };
    };
    const name = asked.fq_name.at(-1) ?? '';
    const attempt = attempts.find(({ dockerId }) => name.endsWith(`--${dockerId}`));
    if (attempt === undefined) return request;
    const addresses = { mac_address: [attempt.container.mac] };
    const body = { ...asked, virtual_machine_interface_mac_addresses: addresses };
    return { ...request, body: { 'virtual-machine-interface': body } };
  };
}

function found<One>(all: readonly One[], is: (one: One) => boolean, name: string): One {
  const one = all.find(is);
  assert(one !== undefined, `there is ${name}`);
  return one;
}
