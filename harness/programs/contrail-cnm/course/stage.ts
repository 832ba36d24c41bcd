/** What a course has made so far: all that its calls find and change. */
import { assert } from '../../../base/errors/errors.js';
import type { Course, PlayedContainer } from '../../../control/contrail/course.js';
import type { ConfigApi } from '../controller/config-api.js';
import type { PlayedEndpoint } from '../testkit/network-body.js';
import type { CourseHypervisor } from './course-hypervisor.js';
import type { Hold, Holds } from './holds.js';

/** A container that Docker was asked for, by its endpoint. */
export interface Attempt {
  readonly container: PlayedContainer;
  readonly dockerId: string;
  /** What is up. */
  up?: PlayedEndpoint;
  /** Docker has it no more. */
  isRemoved?: true;
}

export interface HeldCall {
  readonly hold: Hold;
  /** Resolves when the call is over; what was wrong with it. */
  readonly over: Promise<string | undefined>;
  readonly hypervisor: CourseHypervisor;
}

export interface Stage {
  readonly course: Course;
  readonly controller: ConfigApi;
  readonly hypervisors: readonly CourseHypervisor[];
  readonly holds: Holds;
  readonly attempts: Attempt[];
  /** Docker's ids of networks, by hypervisor and subnet. */
  readonly networks: Map<string, string>;
  /** By container. */
  readonly held: Map<string, HeldCall>;
  /** Hypervisors where something was missed, which nobody has compared since. */
  readonly disturbed: Set<string>;
}

export function hypervisorOf({ hypervisors }: Stage, name: string): CourseHypervisor {
  return found(hypervisors, (one) => one.name === name, name);
}

export function containerOf({ course }: Stage, name: string): PlayedContainer {
  return found(course.containers, (container) => container.name === name, name);
}

/** Undefined where Docker was never asked for it. */
export function lastAttemptOf({ attempts }: Stage, name: string): Attempt | undefined {
  return attempts.findLast(({ container }) => container.name === name);
}

export function found<One>(all: readonly One[], is: (one: One) => boolean, name: string): One {
  const one = all.find(is);
  assert(one !== undefined, `there is ${name}`);
  return one;
}
