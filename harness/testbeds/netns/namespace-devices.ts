/**
 * Devices of a real kernel: the node is a network namespace, and so is each host at one of its
 * ports, with a veth pair between them. ovs-vswitchd runs in the node's. The hosts' ends are seen
 * and fed frame by frame; their stacks keep silent, for hosts are the fabric's.
 */
import { assert, InputError } from '../../base/errors/errors.js';
import type { NodePlan } from '../../domain/plan/cluster-plan.js';
import { launchChild, type Launch } from '../../ovs/process/launch.js';
import { systemProgram } from '../../ovs/process/system-program.js';
import type { NodeLaunch } from '../../ovs/vswitch.js';
import type { DatapathType } from '../sim/configure/insert-bridge.js';
import type { Devices, DevicesOf } from '../sim/devices.js';
import type { Wire } from '../sim/traffic/port-socket.js';
import { answersOf } from '../sim/traffic/wires.js';
import { deviceNameBytesMax, isDeviceName } from '../kernel/device-names.js';
import { inNamespace, startCarrier, type Carrier, type NodeNamespace } from './carrier.js';
import { countedConservation } from './counted-conservation.js';
import { sleepingConservation } from './sleeping-conservation.js';
import { kernelClock } from './kernel-clock.js';
import { hostSettings } from './node-settings.js';
import { createWire, type NamespaceWire } from './namespace-wire.js';
import { framesAt, networkOf } from './node-tunnels.js';

/** The far end takes whatever frames a host may send. */
const hostMtu = 9000;

/** Where a node's daemons run: in its network namespace, and maybe in a container around it. */
export interface NodePlace {
  readonly namespace: NodeNamespace;
  /** How they are started there; as children of this process where it is missing. */
  readonly launch?: Launch;
  /** Where the other end of a port is; in a namespace of its own where that is undefined. */
  readonly farEndOf?: (port: string) => FarEnd | undefined;
  /** The node's namespace is there; its wires come as its ports do. */
  readonly opened?: (carrier: Carrier, wires: ReadonlyMap<string, NamespaceWire>) => void;
  close(): Promise<void>;
}

/** A device in the namespace that a process holds. */
export interface FarEnd {
  readonly place: number;
  readonly device: string;
}

/** A namespace of its own, and nothing around it. */
export const noContainer: NodePlace = { namespace: 'a new one', close: () => Promise.resolve() };

/**
 * @param datapath where packets are switched: in the kernel, or in ovs-vswitchd.
 * @param placeOf makes the place of a node's daemons, which are to run in `dir`.
 */
export const namespaceDevices =
  (
    datapath: DatapathType,
    placeOf: (plan: NodePlan, dir: string) => Promise<NodePlace> = () =>
      Promise.resolve(noContainer),
  ): DevicesOf =>
  async (plan, dir) => {
    checkDeviceNames(plan);
    const place = await placeOf(plan, dir);
    try {
      return await devicesIn(place, datapath, plan);
    } catch (error) {
      await place.close();
      throw error;
    }
  };

function switchingOf(datapath: DatapathType): Pick<Devices, 'datapath' | 'switching' | 'frames'> {
  const switching = datapath === 'system' ? 'in the kernel' : 'in ovs-vswitchd';
  return { datapath, switching, frames: 'of the kernel as well' };
}

async function devicesIn(
  place: NodePlace,
  datapath: DatapathType,
  plan: NodePlan,
): Promise<Devices> {
  const wires = new Map<string, NamespaceWire>();
  const byNumber: NamespaceWire[] = [];
  const now = { plan };
  const carrier = await startCarrier(
    `node ${plan.node}`,
    (number, frame) => byNumber[number]?.take(frame),
    place.namespace,
  );
  try {
    place.opened?.(carrier, wires);
    await carrier.run([systemProgram('nft'), '-f', '-'], hostSettings);
  } catch (error) {
    await carrier.close();
    throw error;
  }
  const wireOf = async (current: NodePlan, port: string): Promise<Wire> => {
    const known = wires.get(port);
    if (known !== undefined) return known.wire;
    const isInternal = current.bridges.some(
      ({ name, ports }) =>
        name === port || ports.some((one) => one.name === port && one.kind === 'internal'),
    );
    const made = createWire(
      byNumber.length,
      port,
      isInternal ? 'internal' : 'veth',
      answersOf(current, port),
      ...framesAt(datapath, now, current, port),
    );
    byNumber.push(made);
    wires.set(port, made);
    if (!isInternal) await makeVeth(carrier, made, place.farEndOf?.(port));
    return made.wire;
  };
  return {
    process: {
      options: ['--enable-dummy'],
      launch: launchInNode(place, carrier.pid),
    },
    ...switchingOf(datapath),
    wireOf,
    portsMade: async () => {
      for (const wire of wires.values())
        if (wire.kind === 'internal') await attachInternal(carrier, wire);
    },
    ...networkOf(carrier, datapath, now),
    put: (_, port, frames) => {
      const wire = wires.get(port);
      assert(wire !== undefined, `port ${port} has a wire`);
      for (const frame of frames) carrier.send(wire.number, frame);
      return [carrier.sync()];
    },
    setLink: (_, port, state) => setLink(carrier, port, wires.get(port), state),
    conservationOf: (node, vswitch, attached, query) =>
      (datapath === 'system' ? sleepingConservation : countedConservation)(
        node,
        vswitch,
        attached,
        query,
        carrier,
      ),
    ...clockOf(datapath, carrier),
    portGone: async (port) => {
      const wire = wires.get(port);
      if (wire === undefined) return;
      wires.delete(port);
      await carrier.detach(wire.number);
      if (wire.kind === 'veth')
        await carrier.run([systemProgram('ip'), 'link', 'del', 'dev', port]);
    },
    close: () => carrier.close().then(() => place.close()),
  };
}

function clockOf(datapath: DatapathType, carrier: Carrier): Pick<Devices, 'pass' | 'trackerClock'> {
  if (datapath !== 'system') return { pass: () => Promise.resolve() };
  const trackerClock = kernelClock((ms) => carrier.pass(ms));
  return { pass: (ms) => trackerClock.pass(ms), trackerClock };
}

async function setLink(
  carrier: Carrier,
  port: string,
  wire: NamespaceWire | undefined,
  state: 'up' | 'down',
): Promise<void> {
  const command = [systemProgram('ip'), 'link', 'set', wire?.hostEnd ?? port, state] as const;
  await carrier.run(wire?.place === undefined ? command : inNamespace(wire.place, command));
}

/** @param pid the process that holds the node's namespace. */
export function launchInNode({ launch }: NodePlace, pid: number): NodeLaunch {
  const devices = 'system' as const;
  if (launch !== undefined) return { vswitchd: launch, others: launch, devices };
  const network = { network: 'own', how: 'network namespaces', command: inNode(pid) } as const;
  return { vswitchd: launchChild(network), devices };
}

function inNode(pid: number): readonly [string, ...string[]] {
  const [file, ...rest] = inNamespace(pid, ['']);
  return [file, ...rest.slice(0, -1)];
}

/** One end in the node, by the port's name, and one in a namespace of its own. */
async function makeVeth(
  carrier: Carrier,
  wire: NamespaceWire,
  farEnd: FarEnd | undefined,
): Promise<void> {
  const { port } = wire.wire;
  const place = farEnd?.place ?? (await carrier.namespace());
  const device = farEnd?.device ?? 'eth0';
  const mac = (side: number) =>
    `06:f1:0${side}:00:${[wire.number >> 8, wire.number & 255]
      .map((byte) => byte.toString(16).padStart(2, '0'))
      .join(':')}`;
  await carrier.run(
    [systemProgram('ip'), '-batch', '-'],
    [
      `link add dev ${port} address ${mac(0)} type veth peer ` +
        `name ${device} address ${mac(1)} netns ${place}`,
      `link set dev ${port} up`,
    ].join('\n'),
  );
  wire.place = place;
  wire.hostEnd = device;
  await carrier.attach(wire.number, place, device, hostMtu);
}

/** A device of the switch's own: a new one counts from zero. */
async function attachInternal(carrier: Carrier, wire: NamespaceWire): Promise<void> {
  const { port } = wire.wire;
  const device = await carrier.attach(wire.number, 'the node', port);
  if (wire.device !== device) wire.renew(device);
}

/** @throws InputError for names that Linux takes for no device. */
function checkDeviceNames({ node, bridges }: NodePlan): void {
  for (const { name: bridge, ports } of bridges)
    for (const name of [bridge, ...ports.filter(isDevice).map((port) => port.name)])
      if (!isDeviceName(name))
        throw new InputError(
          `node ${JSON.stringify(node)}: bridge ${bridge}: port ${JSON.stringify(name)}: on a ` +
            `real kernel a device's name has at most ${deviceNameBytesMax} bytes, and no "/", ` +
            '":" or blank',
        );
}

function isDevice({ kind }: { readonly kind: string }): boolean {
  return kind !== 'tunnel' && kind !== 'patch';
}
