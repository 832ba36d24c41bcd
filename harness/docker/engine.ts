/** The Docker engine of this machine: found, asked, or named as what is missing. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type Docker from 'dockerode';
import { attempt, type Outcome } from '../base/errors/outcome.js';
import { Unavailable } from '../base/errors/errors.js';
import { withDeadline } from '../base/concurrency/deadline.js';

export interface Engine {
  /** Where it listens: `/var/run/docker.sock`. */
  readonly socket: string;
  /** `20.10.24` */
  readonly version: string;
  readonly client: Docker;
}

const usualSocket = '/var/run/docker.sock';
const limitMs = 20_000;
const install = 'install and start one (Debian: apt-get install docker.io), or name the socket of';

/** As the docker client takes DOCKER_HOST. @throws Unavailable for one on another machine. */
function socketOf(host: string | undefined): string {
  if (host === undefined || host === '') return usualSocket;
  if (host.startsWith('unix://')) return host.slice('unix://'.length);
  throw new Unavailable(
    `DOCKER_HOST is "${host}": nodes get their links from this machine, so that the engine must ` +
      'run on it',
    ['name a socket: DOCKER_HOST=unix:///var/run/docker.sock'],
  );
}

/** @throws Unavailable that says whether there is none, or none for this user. */
export async function connectEngine(
  host: string | undefined = process.env['DOCKER_HOST'],
): Promise<Engine> {
  const socket = socketOf(host);
  await access(socket, constants.R_OK | constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EACCES' || error.code === 'EPERM'
      ? new Unavailable(`this user may not use the Docker engine at ${socket}`, [
          'run it as root, or as a user of the group that the socket belongs to',
        ])
      : none(socket);
  });
  const { default: Client } = await import('dockerode');
  const client = new Client({ socketPath: socket });
  const asked = client.version().catch((error: NodeJS.ErrnoException) => {
    throw none(socket, error.message);
  });
  const { Version: version } = await withDeadline(asked, limitMs, 'the Docker engine to answer');
  nameEngineInFailures(client, socket);
  return { socket, version, client };
}

/**
 * The engine may end at any time. A request that gets no answer then fails by an Unavailable that
 * names the engine, in place of an error of its socket.
 */
function nameEngineInFailures({ modem }: Docker, socket: string): void {
  const dial = modem.dial.bind(modem);
  modem.dial = (options, callback) => {
    dial(options, (error, answer) => {
      const isOfConnection = error !== null && statusOf(error) === undefined;
      callback?.(isOfConnection ? unanswered(socket, error) : error, answer);
    });
  };
}

function unanswered(socket: string, { message }: Error): Unavailable {
  return new Unavailable(
    `the Docker engine at ${socket} answers no more`,
    ['look whether it has ended or was restarted: docker info'],
    [message],
  );
}

/** The engine, or why there is none to be used. */
export async function engineAtHand(): Promise<Outcome<Engine>> {
  return await attempt(() => connectEngine());
}

function none(socket: string, said?: string): Unavailable {
  return new Unavailable(
    `no Docker engine answers at ${socket}`,
    [`${install} another: DOCKER_HOST=unix:///path/to/docker.sock`],
    said === undefined ? [] : [said],
  );
}

/** The status of the engine's answer to a request that it refuses. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined;
}

/** What the engine refuses a request with, for those who asked for something else. */
export function refusedBy({ socket }: Engine, what: string, error: unknown): Unavailable {
  return new Unavailable(
    `the Docker engine at ${socket} cannot ${what}`,
    ['./flowbed doctor says what backend docker needs'],
    [error instanceof Error ? error.message.trim() : String(error)],
  );
}
