/** A bridge's ports, its own among them, as table Interface has them. */
import { flowBased, type PortPlan, type VlanPlan } from '../../../domain/plan/port-plan.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../../../domain/plan/bridge-plan.js';
import { wiredInterfaces } from '../../../domain/plan/dumped-node.js';
import type { Wire } from '../traffic/port-socket.js';

/** The OpenFlow port number of a bridge's own port. */
export const local = 65534;

/** One row of table Interface, as far as it is asked for and checked. */
export interface InterfacePlan {
  readonly name: string;
  readonly ofport: number;
  readonly mac?: string;
  readonly type: string;
  readonly options: Readonly<Record<string, string>>;
  readonly vlan?: VlanPlan;
  readonly mtu?: number;
  readonly queueDscp?: Readonly<Record<string, number>>;
  /** Of table Port. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * The names of the ports that have a wire: each bridge's LOCAL port by the bridge's name, and all
 * but tunnels and patch ports.
 */
export function wiredPorts(plan: NodePlan): readonly string[] {
  const rows = plan.asDumped?.rows;
  if (rows !== undefined) return wiredInterfaces(rows);
  return plan.bridges.flatMap((bridge) => [
    bridge.name,
    ...bridge.ports
      .filter(({ kind }) => kind !== 'tunnel' && kind !== 'patch')
      .map(({ name }) => name),
  ]);
}

/** What a port's wire asks of its device. */
export type DeviceOf = (port: string) => Wire['device'];

/** Names of ports that programs plug into bridges once these are there. */
export function pluggedLater({ bridges }: NodePlan): ReadonlySet<string> {
  return new Set(
    bridges.flatMap(({ ports }) => ports.filter((port) => !isThere(port)).map(({ name }) => name)),
  );
}

function isThere(port: PortPlan): boolean {
  return port.kind !== 'endpoint' || port.plugged === undefined;
}

function portSnooping(
  { multicastSnooping: { flood = [], floodReports = [] } = {} }: BridgePlan,
  port: string,
): Readonly<Record<string, string>> {
  return {
    ...(flood.includes(port) ? { 'mcast-snooping-flood': 'true' } : {}),
    ...(floodReports.includes(port) ? { 'mcast-snooping-flood-reports': 'true' } : {}),
  };
}

function interfaceOf(port: PortPlan, deviceOf: DeviceOf): InterfacePlan {
  const { name, ofport } = port;
  switch (port.kind) {
    case 'endpoint':
    case 'uplink':
      return { name, ofport, ...deviceOf(name) };
    case 'internal':
      return { name, ofport, mac: port.mac, type: 'internal', options: deviceOf(name).options };
    case 'tunnel':
      return { name, ofport, type: port.tunnel, options: { ...(port.options ?? flowBased) } };
    case 'patch':
      return { name, ofport, type: 'patch', options: { peer: port.peer.port } };
  }
}

export function interfacesOf(bridge: BridgePlan, deviceOf: DeviceOf): readonly InterfacePlan[] {
  return [
    {
      name: bridge.name,
      ofport: local,
      mac: bridge.mac,
      type: 'internal' as const,
      options: deviceOf(bridge.name).options,
      ...(bridge.localVlan === undefined ? {} : { vlan: bridge.localVlan }),
    },
    ...bridge.ports.filter(isThere).map((port) => ({
      ...interfaceOf(port, deviceOf),
      ...(port.vlan === undefined ? {} : { vlan: port.vlan }),
      ...(port.mtu === undefined ? {} : { mtu: port.mtu }),
      ...(port.queueDscp === undefined ? {} : { queueDscp: port.queueDscp }),
    })),
  ].map((port) => ({ ...port, settings: portSnooping(bridge, port.name) }));
}
