/**
 * A guest of QEMU migrates between two nodes of ovn-kubernetes while another one talks to it, on
 * the sim's switches with OVN's own daemons, in real time.
 */
import type { GuestImage } from '../../images/guest/guest-image.js';
import { begin, saidByGuest } from '../../images/guest/guest-program.js';
import { machineAtHome } from '../../topologies/ovn-kubernetes/chapters.js';
import {
  domainIsAt,
  guestMoves,
  launcherComes,
  launcherEnds,
  launcherName,
} from '../../topologies/ovn-kubernetes/machine-events.js';
import { createTeardown, type Teardown } from '../base/concurrency/teardown.js';
import { assert } from '../base/errors/errors.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import { interfaceOf } from '../control/ovn-kubernetes/names.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan } from '../domain/plan/host-plan.js';
import type { Image } from '../ovs/process/image.js';
import { socketPath } from '../ovs/workspace/socket-path.js';
import { openLiveCluster, type LiveCluster } from './live-cluster.js';
import { liveNetwork, type LiveNetwork, type PortAt } from './live-network.js';
import type { MigrationRecord, MomentName } from './migration-record.js';
import { answersSince, echoedSince } from './judge/pings.js';
import type { GuestFault } from './planted-faults.js';
import { startGuest, type VirtualMachine } from './virtual-machine.js';

export interface MigrationOptions {
  readonly image: Image;
  readonly guestImage: GuestImage;
  readonly teardown: Teardown;
  readonly say: (line: string) => void;
  readonly fault?: GuestFault;
}

export interface PlayedMigration {
  readonly record: MigrationRecord;
  readonly versions: Readonly<Record<string, string>>;
}

const clientName = 'p3';
const machineName = 'vm1';
const source = { node: 'n1', port: interfaceOf({ name: launcherName(machineName, 'a') }) };
const target = { node: 'n2', port: interfaceOf({ name: launcherName(machineName, 'b') }) };

/** So many answers show that packets find their way, so many requests that they do not. */
const [enoughAnswers, enoughRequests] = [20, 200];

/** @throws Unavailable for what does not come up, or ends; nothing is left in any case. */
export async function migrateGuest(options: MigrationOptions): Promise<PlayedMigration> {
  const undo = createTeardown();
  options.teardown.add(() => undo.run());
  try {
    return await play(options, undo);
  } finally {
    await undo.run();
  }
}

async function play(
  { image, guestImage, say, fault }: MigrationOptions,
  undo: Teardown,
): Promise<PlayedMigration> {
  const nowMs = () => performance.now();
  const network = liveNetwork(nowMs);
  say('bringing up switches and OVN');
  const home = machineAtHome(2, 'one');
  const controlPlane = fault === 'wrong-lease' ? withWrongLease() : ovnKubernetes();
  const cluster = await openLiveCluster(controlPlane, home, image, network, undo);
  undo.add(() => cluster.close());
  const [client, machine] = [
    hostOf(cluster.plan(), clientName),
    hostOf(cluster.plan(), machineName),
  ];
  const clientPort = { node: 'n2', port: portOf(client) };
  const promises: { fromMs: number; isPromised: boolean }[] = [];
  const moments: Partial<Record<MomentName, number>> = {};
  const ping = { kind: 'ping', from: clientName, to: ipOf(machine) } as const;
  const reach = (moment: MomentName, atMs = nowMs()) => {
    moments[moment] = atMs;
    const isPromised = cluster.promised(ping).kind === 'round-trip';
    promises.push({ fromMs: atMs, isPromised });
  };
  const intent = cluster.promised({ kind: 'dhcp', from: machineName });
  assert(intent.kind === 'leases', 'the machine is promised a lease');
  const guest = (name: string, host: HostPlan, variables: Record<string, string>, at: PortAt) =>
    plugGuest(guestImage, network, cluster, undo, { name, host, variables, at });

  say('starting guests');
  const [there, talker] = await Promise.all([
    guest('source', machine, { ADDRESS: 'dhcp' }, source),
    guest('client', client, staticOf(client, ipOf(machine)), clientPort),
  ]);
  await Promise.all([there.hasSaid(saidByGuest.ready), talker.hasSaid(saidByGuest.ready)]);
  const waits = { network, clientPort, machine: ipOf(machine), guests: [talker] };
  talker.type(begin);
  await enough(waits, nowMs());
  reach('the guests talk');

  let now = launcherComes(home, machineName, 'b', target.node);
  await cluster.happens('a virt-launcher pod for vm1 comes to n2', now);
  reach('the target is there');
  say('migrating');
  const incoming = socketPath(cluster.dir, 'memory');
  const here = await plugGuest(guestImage, network, cluster, undo, {
    ...{ name: 'target', host: machine, variables: { ADDRESS: 'dhcp' }, at: target, incoming },
  });
  if (fault === 'delivered-twice')
    network.plug(target, (frame) => {
      here.card.send(frame);
      network.handOver(source, frame);
    });
  await enough(waits, nowMs());
  reach('the migration is asked for');
  await there.qmp.execute('migrate', { uri: `unix:${incoming}` });
  await here.whileRunning(here.qmp.event(({ name }) => name === 'RESUME'));
  now = guestMoves(now, machineName, target.node);
  await cluster.happens('the guest of vm1 runs on n2', now);
  const [stopped, resumed] = [timeOf(there, 'STOP'), timeOf(here, 'RESUME')];
  reach('the guest stops on the source', stopped);
  reach('the guest runs on the target', resumed);
  now = domainIsAt(now, machineName, 'b');
  const heard = fault === 'word-lost' ? 'by nobody' : undefined;
  await cluster.happens('KubeVirt says that vm1 runs on n2', now, heard);
  const saidMs = nowMs();
  reach('KubeVirt says so, and OVN has programmed it', saidMs);
  await enough({ ...waits, guests: [talker, here] }, saidMs, 'and the connection');
  await there.stop();
  now = launcherEnds(now, machineName, 'a');
  await cluster.happens('the virt-launcher pod on n1 ends', now);
  reach('the source is gone');
  await enough({ ...waits, guests: [talker, here] }, nowMs());
  reach('the end');
  return {
    versions: { ...cluster.versions, ...guestImage.versions },
    record: {
      moments: moments as Record<MomentName, number>,
      promises,
      seen: network.seen,
      ...{ client, clientPort, machine, source, target },
      promisedLease: intent.lease,
      lease: there.said.flatMap((line) =>
        line.startsWith(saidByGuest.lease) ? [line.slice(saidByGuest.lease.length).trim()] : [],
      ),
    },
  };
}

interface PluggedGuest {
  readonly name: string;
  readonly host: HostPlan;
  readonly variables: Readonly<Record<string, string>>;
  readonly at: PortAt;
  readonly incoming?: string;
}

async function plugGuest(
  image: GuestImage,
  network: LiveNetwork,
  { dir }: LiveCluster,
  undo: Teardown,
  { name, host, variables, at, incoming }: PluggedGuest,
): Promise<VirtualMachine> {
  const guest = await startGuest(image, {
    ...{ name, dir, mac: interfaceOfHost(host).mac, variables },
    ...(incoming === undefined ? {} : { incoming }),
    onFrames: (frames) => {
      for (const frame of frames) network.send(at, frame);
    },
  });
  undo.add(() => guest.stop());
  network.plug(at, (frame) => {
    guest.card.send(frame);
  });
  await guest.qmp.execute('migrate-set-capabilities', {
    capabilities: [{ capability: 'events', state: true }],
  });
  return guest;
}

interface Waits {
  readonly network: LiveNetwork;
  readonly clientPort: PortAt;
  readonly machine: string;
  readonly guests: readonly VirtualMachine[];
}

/** Waits until so many answers have come, or so many requests went out in vain. */
async function enough(
  { network, clientPort, machine, guests }: Waits,
  sinceMs: number,
  what: 'pings' | 'and the connection' = 'pings',
): Promise<void> {
  for (;;) {
    const { requests, answers } = answersSince(network.seen, clientPort, machine, sinceMs);
    const isEchoed = what === 'pings' || echoedSince(network.seen, clientPort, machine, sinceMs);
    if ((answers >= enoughAnswers && isEchoed) || requests >= enoughRequests) return;
    let work = network.more();
    for (const guest of guests) work = guest.whileRunning(work);
    await work;
  }
}

/** QEMU's clock is that of the machine, since 1970. */
function timeOf({ qmp }: VirtualMachine, name: 'STOP' | 'RESUME'): number {
  const event = qmp.events.find((one) => one.name === name);
  assert(event !== undefined, `QEMU has said ${name}`);
  return event.atUs / 1000 - performance.timeOrigin;
}

function hostOf({ nodes }: ClusterPlan, name: string): HostPlan {
  const host = nodes.flatMap(({ hosts }) => hosts).find((one) => one.name === name);
  assert(host !== undefined, `there is a host ${name}`);
  return host;
}

function interfaceOfHost({ interfaces: [first] }: HostPlan) {
  assert(first !== undefined, 'a host has an interface');
  return first;
}

const ipOf = (host: HostPlan) => interfaceOfHost(host).ip;

function portOf(host: HostPlan): string {
  const { port } = interfaceOfHost(host);
  assert(port !== undefined, 'a pod is at a port');
  return port;
}

function staticOf(host: HostPlan, peer: string): Readonly<Record<string, string>> {
  const { ip, prefixLength } = interfaceOfHost(host);
  const gateway = host.routes.find(({ destination }) => destination === '0.0.0.0/0')?.via;
  assert(gateway !== undefined, 'a pod has a default route');
  return { ADDRESS: `${ip}/${prefixLength}`, GATEWAY: gateway, PEER: peer };
}

/** A fault: DHCP options that say another time than the seed has. */
function withWrongLease(): ReturnType<typeof ovnKubernetes> {
  const controlPlane = ovnKubernetes();
  return {
    ...controlPlane,
    plan: (cluster, before) => {
      const plan = controlPlane.plan(cluster, before);
      const northbound = JSON.parse(
        JSON.stringify(plan.northbound).replaceAll('"3500"', '"3600"'),
      ) as typeof plan.northbound;
      return { ...plan, ...(northbound === undefined ? {} : { northbound }) };
    },
  };
}
