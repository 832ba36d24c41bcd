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
import type { OvnKubernetesTopology } from '../../topologies/ovn-kubernetes/ovn-kubernetes-topology.js';
import { giveUpMs, withDeadline } from '../base/concurrency/deadline.js';
import { createTeardown, type Teardown } from '../base/concurrency/teardown.js';
import { assert } from '../base/errors/errors.js';
import { ovnKubernetes } from '../control/ovn-kubernetes/index.js';
import { interfaceOf } from '../control/ovn-kubernetes/names.js';
import type { Image } from '../ovs/process/image.js';
import { socketPath } from '../ovs/workspace/socket-path.js';
import { hostOf, ipOf, portOf, staticOf } from './hosts-of-plan.js';
import { answersSince, echoedSince } from './judge/pings.js';
import { openLiveCluster } from './live-cluster.js';
import { liveNetwork, type LiveNetwork, type PortAt } from './live-network.js';
import type { MigrationRecord, MomentName } from './migration-record.js';
import type { GuestFault } from './planted-faults.js';
import { plugGuest, type GuestPlace } from './plug-guest.js';
import type { VirtualMachine } from './virtual-machine.js';

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

/** For what hangs: a guest that is emulated needs long to start where the machine is busy. */
const limitMs = 5 * giveUpMs;

const nowMs = () => performance.now();

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
  const network = liveNetwork(nowMs);
  say('bringing up switches and OVN');
  const home = machineAtHome(2, 'one');
  const controlPlane = fault === 'wrong-lease' ? withWrongLease() : ovnKubernetes();
  const cluster = await openLiveCluster(controlPlane, home, image, network, undo);
  undo.add(() => cluster.close());
  const client = hostOf(cluster.plan(), clientName);
  const machine = hostOf(cluster.plan(), machineName);
  const clientPort = { node: 'n2', port: portOf(client) };
  const intent = cluster.promised({ kind: 'dhcp', from: machineName });
  assert(intent.kind === 'leases', 'the machine is promised a lease');

  say('starting guests');
  const place = { network, cluster, undo };
  const variables = { ADDRESS: 'dhcp' };
  const [there, talker] = await Promise.all([
    plugGuest(guestImage, place, { name: 'source', host: machine, variables, at: source }),
    plugGuest(guestImage, place, {
      ...{ name: 'client', host: client, at: clientPort },
      variables: staticOf(client, ipOf(machine)),
    }),
  ]);
  const ready = [there, talker].map((guest) => guest.hasSaid(saidByGuest.ready));
  await withDeadline(Promise.all(ready), limitMs, 'guests to have their addresses');
  say('migrating');
  const incoming = socketPath(cluster.dir, 'memory');
  const parts = { place, home, there, talker, fault };
  const moved = await move({ ...parts, clientPort, ip: ipOf(machine), incoming }, () =>
    plugGuest(guestImage, place, {
      ...{ name: 'target', host: machine, variables, at: target, incoming },
    }),
  );
  return {
    versions: { ...cluster.versions, ...guestImage.versions },
    record: {
      ...moved,
      seen: network.seen,
      ...{ client, clientPort, machine, source, target },
      promisedLease: intent.lease,
      lease: there.said.flatMap((line) =>
        line.startsWith(saidByGuest.lease) ? [line.slice(saidByGuest.lease.length).trim()] : [],
      ),
    },
  };
}

interface Move {
  readonly place: GuestPlace;
  readonly home: OvnKubernetesTopology;
  readonly there: VirtualMachine;
  readonly talker: VirtualMachine;
  readonly clientPort: PortAt;
  /** The machine's. */
  readonly ip: string;
  /** Where its memory goes through. */
  readonly incoming: string;
  readonly fault: GuestFault | undefined;
}

/** @param startTarget once there is a port for it. @returns what happened, and when. */
async function move(
  { place: { network, cluster }, home, there, talker, clientPort, ip, incoming, fault }: Move,
  startTarget: () => Promise<VirtualMachine>,
): Promise<Pick<MigrationRecord, 'moments' | 'promises'>> {
  const promises: { fromMs: number; isPromised: boolean }[] = [];
  const moments: Partial<Record<MomentName, number>> = {};
  const reach = (moment: MomentName, atMs = nowMs()) => {
    moments[moment] = atMs;
    const { kind } = cluster.promised({ kind: 'ping', from: clientName, to: ip });
    promises.push({ fromMs: atMs, isPromised: kind === 'round-trip' });
    return atMs;
  };
  const waits = { network, clientPort, machine: ip };
  talker.type(begin);
  await enough({ ...waits, guests: [talker, there] }, nowMs());
  reach('the guests talk');
  let now = launcherComes(home, machineName, 'b', target.node);
  await cluster.happens('a virt-launcher pod for vm1 comes to n2', now);
  reach('the target is there');
  const here = await startTarget();
  if (fault === 'delivered-twice')
    network.plug(target, (frame) => {
      here.card.send(frame);
      network.handOver(source, frame);
    });
  await enough({ ...waits, guests: [talker, there, here] }, nowMs());
  reach('the migration is asked for');
  await there.qmp.execute('migrate', { uri: `unix:${incoming}` });
  const resumed = here.whileRunning(here.qmp.event(({ name }) => name === 'RESUME'));
  await withDeadline(resumed, limitMs, 'the guest to run on the target');
  now = guestMoves(now, machineName, target.node);
  await cluster.happens('the guest of vm1 runs on n2', now);
  reach('the guest stops on the source', timeOf(there, 'STOP'));
  reach('the guest runs on the target', timeOf(here, 'RESUME'));
  now = domainIsAt(now, machineName, 'b');
  const received = fault === 'word-lost' ? 'by nobody' : undefined;
  await cluster.happens('KubeVirt says that vm1 runs on n2', now, received);
  const saidMs = reach('KubeVirt says so, and OVN has programmed it');
  await enough({ ...waits, guests: [talker, here] }, saidMs, 'and the connection');
  await there.stop();
  now = launcherEnds(now, machineName, 'a');
  await cluster.happens('the virt-launcher pod on n1 ends', now);
  await enough({ ...waits, guests: [talker, here] }, reach('the source is gone'));
  reach('the end');
  return { moments: moments as Record<MomentName, number>, promises };
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
    await withDeadline(work, limitMs, 'a frame of the guests');
  }
}

/** QEMU's clock is that of the machine, since 1970. */
function timeOf({ qmp }: VirtualMachine, name: 'STOP' | 'RESUME'): number {
  const event = qmp.events.find((one) => one.name === name);
  assert(event !== undefined, `QEMU has said ${name}`);
  return event.atUs / 1000 - performance.timeOrigin;
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
