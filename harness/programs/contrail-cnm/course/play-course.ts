/**
 * Plays calls one after the other, and reports what there is before the first and after each. All
 * that is random elsewhere follows from them: the same calls leave the same.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Course, Played, PlayedMoment } from '../../../control/contrail/course.js';
import { serveConfigApi } from '../controller/config-api.js';
import type { Request } from '../http/json-server.js';
import { placeProblems, type IntendedEndpoint } from '../places.js';
import { serveTampered } from '../testkit/tampering.js';
import { databaseOfCourse } from './course-database.js';
import { courseHypervisor, type CourseHypervisor } from './course-hypervisor.js';
import { holdsOf } from './holds.js';
import { playCall } from './play-call.js';
import type { Attempt, Stage } from './stage.js';

/** The folder of its sockets goes with it; what it has opened ends with the process. */
export async function playCourse(course: Course): Promise<Played> {
  const folder = mkdtempSync(join(tmpdir(), 'course-'));
  try {
    const stage = await stageOf(course, folder);
    const moments = [await momentOf(stage, undefined)];
    for (const call of course.calls)
      moments.push(await momentOf(stage, await playCall(stage, call)));
    return moments;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
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
  return {
    course,
    controller,
    hypervisors,
    holds,
    attempts,
    networks: new Map(),
    held: new Map(),
    disturbed: new Set(),
  };
}

/** @param wrong what was wrong with the last call. */
async function momentOf(stage: Stage, wrong: string | undefined): Promise<PlayedMoment> {
  const { attempts, held, disturbed, hypervisors } = stage;
  const nameOf = (dockerId: string) =>
    attempts.find((one) => one.dockerId === dockerId && one.isRemoved !== true)?.container.name;
  const isAtRest = held.size === 0 && disturbed.size === 0;
  return {
    hypervisors: hypervisors.map((one) => one.played(nameOf)),
    problems: [
      ...(wrong === undefined ? [] : [wrong]),
      ...(isAtRest ? await problemsAt(stage) : []),
    ],
  };
}

/** Whatever is other than Docker has it. */
async function problemsAt({ controller, hypervisors }: Stage): Promise<readonly string[]> {
  const places = [];
  for (const one of hypervisors) places.push(await one.places());
  const intended = hypervisors.flatMap(({ name, engine }) =>
    engine
      .endpoints()
      .map(({ id, ip }): IntendedEndpoint => ({ hypervisor: name, endpoint: id, ip })),
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
