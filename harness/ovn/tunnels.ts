/** The tunnels that ovn-controller makes between chassis, each at a port number that is known. */
import { Unsupported } from '../base/errors/errors.js';
import type { ChassisPlan } from '../domain/plan/northbound-plan.js';
import type { PortPlan, TunnelOptions } from '../domain/plan/port-plan.js';
import { connectReplica, type Replica } from '../ovs/ovsdb/replica.js';
import type { Row } from '../ovs/ovsdb/ovsdb.js';
import type { Vswitch } from '../ovs/vswitch.js';
import { socketPath } from '../ovs/workspace/socket-path.js';

export type TunnelPort = Extract<PortPlan, { readonly kind: 'tunnel' }>;

/** Tunnels are numbered from here on, in the order of the zone's chassis. */
const firstTunnelPort = 40_001;

/**
 * Waits until a chassis has a tunnel to each peer, and gives each the number of its peer: left to
 * itself the switch numbers them as they come. @returns them in the order of their numbers.
 */
export async function pinTunnels(
  vswitch: Vswitch,
  chassis: ChassisPlan,
  zone: readonly Pick<ChassisPlan, 'node'>[],
  limitMs: number,
): Promise<readonly TunnelPort[]> {
  const numbers = new Map(zone.map(({ node }, index) => [node, firstTunnelPort + index]));
  const peers = zone.filter(({ node }) => node !== chassis.node);
  const socket = socketPath(vswitch.dir, 'db.sock');
  const replica = await connectReplica(socket, 'Open_vSwitch', vswitch.server, {
    Port: ['name', 'external_ids', 'interfaces'],
    Interface: ['name', 'type', 'options', 'ofport', 'error'],
  });
  try {
    await replica.until(`${chassis.node} to have tunnels`, limitMs, (held) => {
      const found = tunnelsIn(held);
      return peers.filter(({ node }) => !found.has(node)).map(({ node }) => `none to ${node}`);
    });
    await vswitch.ovsdb.transact(
      [...tunnelsIn(replica)].map(([peer, { name }]) => ({
        op: 'update' as const,
        table: 'Interface',
        where: [['name', '==', name]] as const,
        row: { ofport_request: numbers.get(peer) ?? 0 },
      })),
    );
    await replica.until(`${chassis.node} to number its tunnels`, limitMs, (held) =>
      [...tunnelsIn(held)].flatMap(([peer, { name, ofport, error }]) => {
        if (typeof error === 'string') return [`${name}: ${error}`];
        return ofport === numbers.get(peer) ? [] : [`${name} has number ${String(ofport)}`];
      }),
    );
    return [...tunnelsIn(replica)]
      .map(([peer, { name, type, options }]): TunnelPort => {
        if (type !== 'geneve') throw new Unsupported(`a tunnel of type ${type} between chassis`);
        return { kind: 'tunnel', name, ofport: numbers.get(peer) ?? 0, tunnel: type, options };
      })
      .sort((a, b) => a.ofport - b.ofport);
  } finally {
    replica.close();
  }
}

interface TunnelRow {
  readonly name: string;
  readonly type: string;
  readonly options: TunnelOptions;
  readonly ofport: unknown;
  readonly error: unknown;
}

/** The tunnels by the chassis that each reaches (ovn-controller(8), "ovn-chassis-id"). */
function tunnelsIn(replica: Replica): ReadonlyMap<string, TunnelRow> {
  const interfaces = new Map(
    [...replica.rows('Interface').values()].map((row) => [row['name'], row]),
  );
  return new Map(
    [...replica.rows('Port').values()].flatMap((port) => {
      const id = mapOf(port, 'external_ids')['ovn-chassis-id'];
      const row = interfaces.get(port['name'] ?? '');
      if (id === undefined || row === undefined) return [];
      const { remote_ip = 'flow', ...others } = mapOf(row, 'options');
      return [
        [
          id.replace(/@.*$/, ''),
          {
            name: String(row['name']),
            type: String(row['type']),
            options: { remote_ip, ...others },
            ofport: row['ofport'],
            error: row['error'],
          },
        ] as const,
      ];
    }),
  );
}

function mapOf(row: Row, column: string): Readonly<Record<string, string>> {
  const value = row[column];
  return Array.isArray(value) && value[0] === 'map'
    ? Object.fromEntries(value[1] as readonly (readonly [string, string])[])
    : {};
}
