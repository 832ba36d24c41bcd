/** Which of a node's tunnel ports a packet came in at (Open vSwitch ofproto/tunnel.c, tnl_find). */
import { Unsupported } from '../../base/errors/errors.js';
import type { ModelBridge } from '../model-bridge.js';
import { readConfig, type TunnelConfig, type TunnelPortPlan } from './tunnel-config.js';

export interface TunnelPort {
  readonly bridge: ModelBridge;
  readonly ofport: number;
  readonly name: string;
  readonly config: TunnelConfig;
}

/** What identifies the tunnel, of a packet that came through one. */
export interface TunnelArrival {
  readonly config: Pick<TunnelConfig, 'type' | 'udpPort'>;
  readonly source: bigint;
  readonly destination: bigint;
  readonly id: bigint;
}

/**
 * A node's tunnel ports, read when a packet first asks for them. @throws Unsupported for options
 * that the model does not know, and for ports that no packet can distinguish.
 */
export type TunnelPorts = () => readonly TunnelPort[];

/**
 * What the model does not know of them costs packets that could go through a tunnel, and no others.
 */
export function tunnelPortsOf(bridges: readonly ModelBridge[]): TunnelPorts {
  let ports: readonly TunnelPort[] | undefined;
  return () => (ports ??= readPorts(bridges));
}

function readPorts(bridges: readonly ModelBridge[]): readonly TunnelPort[] {
  const ports = bridges.flatMap((bridge) =>
    bridge.plan.ports
      .filter((port): port is TunnelPortPlan => port.kind === 'tunnel')
      .map((port) => ({ bridge, ofport: port.ofport, name: port.name, config: readConfig(port) })),
  );
  for (const [index, { name, config }] of ports.entries()) {
    for (const other of ports.slice(0, index)) {
      const rivalry = conflictOf(config, other.config);
      if (rivalry !== undefined)
        throw new Unsupported(
          `the model does not know tunnel ports ${other.name} and ${name} beside each other: ` +
            rivalry,
        );
    }
  }
  return ports;
}

function conflictOf(one: TunnelConfig, other: TunnelConfig): string | undefined {
  if (one.udpPort !== other.udpPort) return undefined;
  if (one.type !== other.type) return 'they are of different types, and have the same UDP port';
  if ((one.extension === 'gbp') !== (other.extension === 'gbp'))
    return 'only one has exts=gbp, and they have the same UDP port';
  if (one.carries !== other.carries) return 'only one has packet_type=legacy_l3';
  return one.inKey === other.inKey && one.remote === other.remote && one.local === other.local
    ? 'the same packets are for both'
    : undefined;
}

export function findTunnelPort(
  ports: readonly TunnelPort[],
  arrival: TunnelArrival,
): TunnelPort | undefined {
  const { type, udpPort } = arrival.config;
  const sharing = ports.filter(({ config }) => config.type === type && config.udpPort === udpPort);
  return mostParticular(sharing, arrival)[0];
}

/** Whose packets a tunnel's port takes. */
type TunnelEnds = Pick<TunnelConfig, 'remote' | 'local' | 'inKey'>;

/**
 * Of ports that share one of the datapath: by key before any key, by remote address before any, by
 * local address before any. @returns several where the same packets are for them.
 */
export function mostParticular<Port extends { readonly config: TunnelEnds }>(
  ports: readonly Port[],
  arrival: Omit<TunnelArrival, 'config'>,
): readonly Port[] {
  const fitting = ports.filter(({ config }) => isFor(config, arrival));
  const best = Math.min(...fitting.map(({ config }) => rankOf(config)));
  return fitting.filter(({ config }) => rankOf(config) === best);
}

/** What a port of its own sends from it takes packets for, and the other way round. */
function isFor(
  { inKey, remote, local }: TunnelEnds,
  { source, destination, id }: Omit<TunnelArrival, 'config'>,
): boolean {
  return (
    (inKey === 'flow' || inKey === id) &&
    (remote === 'flow' || remote === source) &&
    (typeof local === 'string' || local === destination)
  );
}

function rankOf({ inKey, remote, local }: TunnelEnds): number {
  return (
    (inKey === 'flow' ? 6 : 0) +
    (remote === 'flow' ? 3 : 0) +
    (local === 'flow' ? 2 : local === 'any' ? 1 : 0)
  );
}
