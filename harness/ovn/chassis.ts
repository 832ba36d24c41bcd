/** ovn-controller of one node, beside the switch that it programs. */
import { mkdir } from 'node:fs/promises';
import { within } from '../base/files/path-part.js';
import type { ChassisPlan } from '../domain/plan/northbound-plan.js';
import { map, set } from '../ovs/ovsdb/ovsdb-value.js';
import type { Operation } from '../ovs/ovsdb/ovsdb.js';
import { openRelay, type OpenflowRelay } from '../ovs/openflow/openflow-relay.js';
import { startDaemon, type Daemon } from '../ovs/process/daemon.js';
import { isInWorld } from '../base/world.js';
import { announcing, type Announcing } from './announcing.js';
import { learning, type Learning } from './learned.js';
import { mappingsOf } from './localnets.js';
import { takesControlSocket } from '../ovs/process/control-socket.js';
import type { Image } from '../ovs/process/image.js';
import type { Vswitch } from '../ovs/vswitch.js';
import { managementSocket, socketPath } from '../ovs/workspace/socket-path.js';

/** In a node's folder, of sockets that ovn-controller takes for its bridge's. */
const relayFolder = '~of';

export interface Chassis {
  readonly plan: ChassisPlan;
  readonly vswitch: Vswitch;
  readonly controller: Daemon;
  /** Between its bridge and the controller. */
  readonly relay: OpenflowRelay;
  readonly learning: Learning;
  readonly announcing: Announcing;
  whileAlive<T>(work: Promise<T>): Promise<T>;
  /** Kills the controller, so that what it has registered stays; safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Writes into the node's database what it is in OVN, and starts ovn-controller on it.
 * @param southbound the path of the socket of its zone's southbound database.
 * @param zones whether it has tunnels to chassis of other zones as well.
 * @throws Unavailable with the last lines of the log.
 */
export async function startChassis(
  image: Image,
  plan: ChassisPlan,
  vswitch: Vswitch,
  southbound: string,
  zones: 'one' | 'several',
): Promise<Chassis> {
  await vswitch.ovsdb.transact(chassisOperations(plan, southbound, zones));
  await mkdir(within(vswitch.dir, relayFolder));
  return await startController(image, plan, vswitch);
}

/**
 * Starts ovn-controller on a switch whose database says already what it is in OVN: it finds the
 * chassis that it was (ovn-controller(8), "external_ids:system-id").
 * @throws Unavailable with the last lines of the log.
 */
export async function startController(
  image: Image,
  plan: ChassisPlan,
  vswitch: Vswitch,
): Promise<Chassis> {
  const switches = within(vswitch.dir, relayFolder);
  const learns = learning();
  const announces = announcing(isInWorld() ? 'ours' : 'that of the machine');
  const relay = await openRelay(
    managementSocket(switches, plan.bridge),
    managementSocket(vswitch.dir, plan.bridge),
    `node ${plan.node}`,
    learns.isHeldBack,
    announces.see,
  );
  let stopping: Promise<void> | undefined;
  try {
    const controller = await startDaemon({
      program: 'ovn-controller',
      control: (await takesControlSocket(image, 'ovn-controller')) ? 'ours' : 'its own',
      owner: `node ${plan.node}`,
      dir: vswitch.dir,
      switches,
      command: [...image.command('ovn-controller'), `unix:${socketPath(vswitch.dir, 'db.sock')}`],
      ...(vswitch.launch.others === undefined ? {} : { launch: vswitch.launch.others }),
    });
    return {
      plan,
      vswitch,
      controller,
      relay,
      learning: learns,
      announcing: announces,
      whileAlive: (work) => controller.whileAlive(vswitch.whileAlive(work)),
      stop: () => (stopping ??= stop(controller, relay)),
    };
  } catch (error) {
    await relay.close();
    throw error;
  }
}

async function stop(controller: Daemon, relay: OpenflowRelay): Promise<void> {
  controller.unixctl.close();
  await controller.stop();
  await relay.close();
}

/** ovn-controller(8), "Configuration", and the interfaces that are bound. */
function chassisOperations(
  { node, bridge, encapIp, bindings, localnets = [] }: ChassisPlan,
  southbound: string,
  zones: 'one' | 'several',
): readonly Operation[] {
  return [
    {
      op: 'mutate',
      table: 'Open_vSwitch',
      where: [],
      mutations: [
        [
          'external_ids',
          'insert',
          map({
            'system-id': node,
            'ovn-remote': `unix:${southbound}`,
            'ovn-bridge': bridge,
            'ovn-encap-type': 'geneve',
            'ovn-encap-ip': encapIp,
            ...(zones === 'one' ? {} : { 'ovn-is-interconn': 'true' }),
            ...(localnets.length === 0 ? {} : { 'ovn-bridge-mappings': mappingsOf(localnets) }),
          }),
        ],
      ],
    },
    ...bindings.map(bindOperation),
  ];
}

function bindOperation({ port, logicalPort }: ChassisPlan['bindings'][number]): Operation {
  return {
    op: 'mutate',
    table: 'Interface',
    where: [['name', '==', port]],
    mutations: [
      ['external_ids', 'delete', set(['iface-id'])],
      ['external_ids', 'insert', map({ 'iface-id': logicalPort })],
    ],
  };
}

/** Interfaces are bound as `wanted` has it, and those that it does not name to nothing. */
export async function rebind(
  { plan, vswitch }: Chassis,
  wanted: ChassisPlan['bindings'],
): Promise<void> {
  const gone = plan.bindings.filter(({ port }) => !wanted.some((one) => one.port === port));
  await vswitch.ovsdb.transact([
    ...gone.map(
      ({ port }): Operation => ({
        op: 'mutate',
        table: 'Interface',
        where: [['name', '==', port]],
        mutations: [['external_ids', 'delete', set(['iface-id'])]],
      }),
    ),
    ...wanted.map(bindOperation),
  ]);
}
