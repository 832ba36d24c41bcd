/**
 * A container that a node's daemons run in. Its first process reads the standard input that this
 * process holds: with this one it ends, however that comes, and the engine removes the container.
 */
import { readFileSync } from 'node:fs';
import type Docker from 'dockerode';
import { withDeadline } from '../base/concurrency/deadline.js';
import { Unavailable } from '../base/errors/errors.js';
import { answerableOwner, formatOwner, processStatus } from '../ovs/process/owner.js';
import type { Launch } from '../ovs/process/launch.js';
import { launchIn } from './launch-in.js';
import { refusedBy, statusOf, type Engine } from './engine.js';

/** On every container: who answers for it, as of `formatOwner`. */
export const ownerLabel = 'flowbed.owner';

export interface ContainerSpec {
  /** As people read it: `node n1`. */
  readonly owner: string;
  readonly name: string;
  /** As of `NodeImage`. */
  readonly image: string;
  /** A folder of this machine that it has at the same place, and may write to. */
  readonly folder: string;
  /** The root folder that the image was made of: its paths in commands become the container's. */
  readonly root: string;
}

export interface Container {
  readonly id: string;
  /** Its first process, which holds its namespaces. */
  readonly pid: number;
  readonly launch: Launch;
  close(): Promise<void>;
}

const limitMs = 60_000;

/** Ends with its standard input. Every image of Open vSwitch has this interpreter. */
const firstProcess = ['/usr/bin/python3', '-I', '-S', '-c', 'import sys; sys.stdin.read()'];

/**
 * Without privilege: it may make devices and send frames in its own network namespace, which has no
 * link to any other.
 * @throws Unavailable; no container is left then.
 */
export async function startContainer(engine: Engine, spec: ContainerSpec): Promise<Container> {
  const container = await create(engine, spec);
  const removed = goneOf(container);
  removed.catch(() => undefined); // the engine may end long before anybody awaits it in close()
  const close = async () => {
    await container.remove({ force: true }).catch((error: unknown) => {
      // Its end removes it as well: the second request is refused then.
      if (statusOf(error) !== 404 && statusOf(error) !== 409)
        throw refusedBy(engine, `remove the container of ${spec.owner}`, error);
    });
    await withDeadline(removed, limitMs, `the container of ${spec.owner} to be gone`);
  };
  try {
    return await withDeadline(
      start(engine, spec, container, close),
      limitMs,
      `the container of ${spec.owner} to start`,
    );
  } catch (error) {
    await close();
    throw error instanceof Unavailable
      ? error
      : refusedBy(engine, `start a container for ${spec.owner}`, error);
  }
}

async function create(engine: Engine, spec: ContainerSpec): Promise<Docker.Container> {
  try {
    return await engine.client.createContainer({
      name: spec.name,
      Image: spec.image,
      Cmd: [...firstProcess],
      OpenStdin: true,
      StdinOnce: true,
      AttachStdin: true,
      Labels: { [ownerLabel]: formatOwner(await answerableOwner()) },
      HostConfig: {
        NetworkMode: 'none',
        AutoRemove: true,
        Privileged: false,
        CapAdd: ['NET_ADMIN', 'NET_RAW'],
        Devices: [{ PathOnHost: tun, PathInContainer: tun, CgroupPermissions: 'rwm' }],
        Mounts: [{ Type: 'bind', Source: spec.folder, Target: spec.folder }],
      },
    });
  } catch (error) {
    throw refusedBy(engine, `make a container for ${spec.owner}`, error);
  }
}

export const tun = '/dev/net/tun';

async function start(
  engine: Engine,
  spec: ContainerSpec,
  container: Docker.Container,
  close: () => Promise<void>,
): Promise<Container> {
  const said: Buffer[] = [];
  const input = await container.attach({
    stream: true,
    hijack: true,
    stdin: true,
    stdout: true,
    stderr: true,
  });
  input.on('error', () => undefined); // the container has ended: its daemons say so
  input.on('data', (part: Buffer) => said.push(part));
  await container.start();
  return {
    ...(await attached(engine, container, spec, () => Buffer.concat(said).toString('latin1'))),
    close,
  };
}

/** A container that others have started. @throws Unavailable where it does not run, or not here. */
export async function attachToContainer(
  engine: Engine,
  id: string,
  spec: Pick<ContainerSpec, 'owner' | 'name' | 'root'>,
): Promise<Omit<Container, 'close'>> {
  return await attached(engine, engine.client.getContainer(id), spec, () => '');
}

/** @param said what its first process has printed. */
async function attached(
  engine: Engine,
  container: Docker.Container,
  spec: Pick<ContainerSpec, 'owner' | 'name' | 'root'>,
  said: () => string,
): Promise<Omit<Container, 'close'>> {
  const { Id: id, State: state } = await container.inspect();
  const { Pid: pid } = state;
  if (!state.Running)
    throw new Unavailable(
      `the container ${spec.name} of ${spec.owner} ended at once, with exit code ${state.ExitCode}`,
      [],
      said().split('\n').slice(-10),
    );
  if (!isOf(id, pid))
    throw new Unavailable(
      `the processes of the Docker engine at ${engine.socket} are not to be seen from here`,
      ['run flowbed where the engine runs: in its namespaces of processes'],
    );
  const whyEnded = async () => {
    const status = await processStatus(pid);
    if (status !== undefined && !status.ending) return undefined;
    const code = await exitCodeOf(container);
    return (
      'ended with its container ' + `${spec.name}${code === undefined ? '' : `, exit code ${code}`}`
    );
  };
  return { id, pid, launch: launchIn(container, spec.root, whyEnded) };
}

/** Resolves once the engine has no such container any more. */
async function goneOf(container: Docker.Container): Promise<void> {
  await container.wait({ condition: 'removed' }).catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
  });
}

/** Missing where it is removed already. */
async function exitCodeOf(container: Docker.Container): Promise<number | undefined> {
  const found = await container.inspect().catch(() => undefined);
  return found?.State.Running === false ? found.State.ExitCode : undefined;
}

/** It may not run its program yet, but is in the container's group of processes (cgroups(7)). */
function isOf(container: string, pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(container);
  } catch {
    return false;
  }
}
