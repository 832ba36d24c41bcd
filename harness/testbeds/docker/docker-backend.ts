import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Unavailable } from '../../base/errors/errors.js';
import { startContainer, tun } from '../../docker/container.js';
import { connectEngine, engineAtHand, type Engine } from '../../docker/engine.js';
import { nodeImageOf } from '../../docker/node-image.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import type { Image } from '../../ovs/process/image.js';
import type { Backend } from '../backend.js';
import { openOnDevices } from '../kernel/named-devices.js';
import type { MachineFinding } from '../machine-finding.js';
import { hasKernelDatapath } from '../netns/kernel-datapath.js';
import { namespaceDevices, type NodePlace } from '../netns/namespace-devices.js';
import type { DatapathType } from '../sim/configure/insert-bridge.js';
import { openSwitches, type Central } from '../sim/sim.js';

/** Containers; their networks are made as those of `netns` are. */
export const docker: Backend = {
  name: 'docker',
  summary: 'nodes as containers of a Docker engine, pods as namespaces beside them; needs root',
  doctor: async () => [await engineFinding(), await tunFinding()],
  open: async (plan, image, options = {}) => {
    const { engine, reference, datapath, placeOf } = await containersHere(image);
    const devices = namespaceDevices(datapath, placeOf);
    const central = (dir: string) => centralOf(engine, image, reference, dir);
    return await openOnDevices(plan, options, (named, use) =>
      openSwitches('docker', devices, named, image, use, central),
    );
  },
  places: containersHere,
};

/** What containers are made with here. @throws Unavailable for what is missing. */
async function containersHere(image: Image) {
  requireRoot();
  await requireTun();
  const engine = await connectEngine();
  const { reference } = await nodeImageOf(engine, image);
  const datapath: DatapathType = (await hasKernelDatapath()) ? 'system' : 'netdev';
  return { engine, reference, datapath, placeOf: containersOf(engine, image, reference) };
}

/** A container for each node, which has the folder of the run's sockets at the same place. */
function containersOf(engine: Engine, { root = '' }: Image, reference: string) {
  return async ({ node }: NodePlan, dir: string): Promise<NodePlace> => {
    const container = await startContainer(engine, {
      owner: `node ${node}`,
      name: `${basename(dirname(dir))}-${basename(dir).replaceAll(/[^\w.-]/g, '_')}`,
      image: reference,
      folder: dirname(dir),
      root,
    });
    return {
      namespace: { of: container.pid },
      launch: container.launch,
      close: () => container.close(),
    };
  };
}

/** One container for OVN's databases and ovn-northd. */
export async function centralOf(
  engine: Engine,
  { root = '' }: Image,
  reference: string,
  dir: string,
): Promise<Central> {
  return await startContainer(engine, {
    owner: "OVN's databases",
    name: `${basename(dir)}-central`,
    image: reference,
    folder: dir,
    root,
  });
}

export function requireRoot(): void {
  if (process.getuid?.() === 0) return;
  throw new Unavailable('links are made from this machine into containers: that needs root', [
    'run it as root',
  ]);
}

export async function requireTun(): Promise<void> {
  await access(tun, constants.R_OK | constants.W_OK).catch(() => {
    throw new Unavailable(`containers of nodes need ${tun}, which is not there`, [
      'modprobe tun, or make it: mkdir -p /dev/net && mknod /dev/net/tun c 10 200',
    ]);
  });
}

async function engineFinding(): Promise<MachineFinding> {
  const found = await engineAtHand();
  if (found.kind === 'ok')
    return {
      kind: 'fine',
      text: `backend docker: engine ${found.value.version} at ${found.value.socket}`,
    };
  const [remedy = ''] = found.cause.remedies;
  return { kind: 'optional', text: `backend docker: ${found.cause.message}`, remedy };
}

async function tunFinding(): Promise<MachineFinding> {
  return await requireTun().then(
    (): MachineFinding => ({ kind: 'fine', text: `${tun} is there for backend docker` }),
    ({ message, remedies: [remedy = ''] }: Unavailable): MachineFinding => ({
      kind: 'optional',
      text: message,
      remedy,
    }),
  );
}
