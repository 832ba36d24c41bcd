/**
 * What a program plays for a cluster, and what it reports of it: the calls of Docker engines, as
 * the plugin, HNS and the agents of a controller have answered them.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { assert, Unavailable } from '../../base/errors/errors.js';
import type { Node } from '../../domain/topology.js';
import type {
  AttachedContainer,
  ContrailCluster,
} from '../../../topologies/contrail/contrail-cluster.js';

export type {
  CreatingStep,
  EngineCall,
  RemovingStep,
} from '../../../topologies/contrail/engine-calls.js';

export type PlayedContainer = Omit<AttachedContainer, 'adapter' | 'port'>;

/** What is played. */
export interface Course extends Pick<ContrailCluster, 'overlay' | 'virtualNetworks' | 'calls'> {
  readonly hypervisors: readonly Pick<Node, 'name' | 'underlay'>[];
  readonly containers: readonly PlayedContainer[];
}

/** What there is before the first call, and after each. */
export type Played = readonly PlayedMoment[];

export interface PlayedMoment {
  readonly hypervisors: readonly PlayedHypervisor[];
  /**
   * What Docker, HNS, controller and agent have differently from what they should while nothing
   * holds and nobody is away, and what was refused of a call; a sentence each.
   */
  readonly problems: readonly string[];
}

export interface PlayedHypervisor {
  readonly name: string;
  readonly adapters: readonly PlayedAdapter[];
  /** As the agent has programmed them last. */
  readonly flows: readonly string[];
}

/** An adapter of HNS's that is connected to the switch. */
export interface PlayedAdapter {
  /** Of the bridge. */
  readonly port: string;
  readonly ofport: number;
  readonly ip: string;
  readonly mac: string;
  readonly prefixLength: number;
  readonly gateway: string;
  /** Whose it is; missing where Docker has it no more. */
  readonly container?: string;
}

/** Plays a course to its end. @throws Unavailable with what was said where that fails. */
export type PlayCourse = (course: Course) => Played;

/** Of node, before the program: faults of self-tests are planted by them. */
export function courseProgram(nodeOptions: readonly string[] = []): PlayCourse {
  const known = new Map<string, Played>();
  return (course) => {
    const text = JSON.stringify(course);
    const played = known.get(text) ?? play(text, nodeOptions);
    known.set(text, played);
    return played;
  };
}

const limitMs = 600_000;
const longestAnswer = 256 * 1024 * 1024;

function play(course: string, nodeOptions: readonly string[]): Played {
  const file = new URL('../../programs/contrail-cnm/course/main.js', import.meta.url);
  assert(existsSync(file), `there is ${file.href}`);
  const { status, signal, stdout, stderr, error } = spawnSync(
    process.execPath,
    [...nodeOptions, fileURLToPath(file)],
    { input: course, encoding: 'utf8', timeout: limitMs, maxBuffer: longestAnswer },
  );
  if (error === undefined && status === 0) return JSON.parse(stdout) as Played;
  throw new Unavailable(
    `Contrail's plugin cannot be played: its program ended by ${String(signal ?? status)}`,
    [],
    [...(error === undefined ? [] : [error.message]), ...stderr.split('\n')].filter(
      (line) => line !== '',
    ),
  );
}

/** What there is of the cluster, once the calls are made that have led to it. */
export function momentOf(cluster: ContrailCluster, playCourse: PlayCourse): PlayedMoment {
  const { overlay, virtualNetworks, calls, called, nodes } = cluster;
  const moments = playCourse({
    overlay,
    virtualNetworks,
    calls,
    hypervisors: nodes.map(({ name, underlay }) => ({ name, underlay })),
    containers: cluster.containers.map(({ adapter: _, port: __, ...container }) => container),
  });
  const moment = moments[called];
  assert(moment !== undefined, `there is a moment behind call ${called}`);
  return moment;
}
