/**
 * Ports of a plan on devices of Linux, whose names are short. A port whose name Linux takes keeps
 * it. Any other one is called by the first eight characters of its name, those that Linux refuses
 * as dots, a hyphen, and six digits of the SHA-256 of the whole name: `if-virt--0d5ba2`.
 */
import { InputError } from '../../base/errors/errors.js';
import { sha256 } from '../../base/files/digest.js';
import type { BridgePlan } from '../../domain/plan/bridge-plan.js';
import type { ClusterPlan, NodePlan } from '../../domain/plan/cluster-plan.js';
import type { NorthboundPlan } from '../../domain/plan/northbound-plan.js';
import type { PortPlan } from '../../domain/plan/port-plan.js';
import { printFlow } from '../../openflow/flows/flow.js';
import { parseBridgeFlows } from '../../openflow/bridge-program.js';

/** As interfaces may be called (Linux, dev_valid_name). */
export const deviceNameBytesMax = 15;

export function isDeviceName(name: string): boolean {
  return (
    Buffer.byteLength(name) <= deviceNameBytesMax && !/[/\s:]/.test(name) && !/^\.\.?$/.test(name)
  );
}

/** What the device of a port is called. */
export function deviceNameOf(port: string): string {
  // No switch has names with blanks: they are refused as they are.
  if (isDeviceName(port) || /[\s\p{Cc}]/u.test(port)) return port;
  return `${port.slice(0, 8).replaceAll(/[^\w.-]/g, '.')}-${sha256(port).slice(0, 6)}`;
}

/** Says what a name becomes. */
export type Rename = (port: string) => string;

/** Names of devices, and back: of all ports that `to` was asked for. */
export function deviceNames(): { readonly to: Rename; readonly from: Rename } {
  const ports = new Map<string, string>();
  return {
    to: (port) => {
      const device = deviceNameOf(port);
      const known = ports.get(device) ?? port;
      if (known !== port)
        throw new InputError(
          `ports ${JSON.stringify(known)} and ${JSON.stringify(port)} would both be device ` +
            `${device}: give one of them another name`,
        );
      ports.set(device, port);
      return device;
    },
    from: (device) => ports.get(device) ?? device,
  };
}

/** The plan with its ports called otherwise, wherever it names one. */
export function renamedPlan(plan: ClusterPlan, rename: Rename): ClusterPlan {
  return {
    ...plan,
    nodes: plan.nodes.map((node) => renamedNode(node, rename)),
    ...(plan.northbound === undefined
      ? {}
      : { northbound: renamedBindings(plan.northbound, rename) }),
  };
}

export function renamedNode(node: NodePlan, rename: Rename): NodePlan {
  return {
    ...node,
    bridges: node.bridges.map((bridge) => renamedBridge(node.node, bridge, rename)),
    hosts: node.hosts.map((host) => ({
      ...host,
      interfaces: host.interfaces.map((one) =>
        one.port === undefined ? one : { ...one, port: rename(one.port) },
      ),
    })),
  };
}

function renamedBridge(node: string, bridge: BridgePlan, rename: Rename): BridgePlan {
  const { bonds, staticMacs, mirrors, multicastSnooping: snooping } = bridge;
  const ports = bridge.ports.map((port) => renamedPort(port, rename));
  const isSame = ports.every(({ name }, index) => name === bridge.ports[index]?.name);
  return {
    ...bridge,
    ports,
    // Flows may name ports, but for those of OVN's; printed again they have numbers.
    flows:
      isSame || bridge.origin === 'dumped'
        ? bridge.flows
        : parseBridgeFlows(node, bridge).map(printFlow),
    ...(bonds === undefined
      ? {}
      : {
          bonds: bonds.map((bond) => ({
            ...bond,
            members: bond.members.map(rename),
            ...(bond.active === undefined ? {} : { active: rename(bond.active) }),
            ...(bond.hashes === undefined ? {} : { hashes: renamedValues(bond.hashes, rename) }),
          })),
        }),
    ...(staticMacs === undefined
      ? {}
      : { staticMacs: staticMacs.map((mac) => ({ ...mac, port: rename(mac.port) })) }),
    ...(mirrors === undefined
      ? {}
      : { mirrors: mirrors.map((mirror) => renamedMirror(mirror, rename)) }),
    ...(snooping === undefined
      ? {}
      : {
          multicastSnooping: {
            ...snooping,
            flood: (snooping.flood ?? []).map(rename),
            floodReports: (snooping.floodReports ?? []).map(rename),
          },
        }),
  };
}

function renamedValues(
  values: Readonly<Record<string, string>>,
  rename: Rename,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, rename(value)]));
}

type Mirror = NonNullable<BridgePlan['mirrors']>[number];

function renamedMirror(mirror: Mirror, rename: Rename): Mirror {
  const { select, output } = mirror;
  return {
    ...mirror,
    select:
      select === 'all'
        ? select
        : {
            sources: select.sources.map(rename),
            destinations: select.destinations.map(rename),
          },
    output: output.kind === 'port' ? { ...output, port: rename(output.port) } : output,
  };
}

export function renamedPort(port: PortPlan, rename: Rename): PortPlan {
  const name = rename(port.name);
  return port.kind === 'patch'
    ? { ...port, name, peer: { ...port.peer, port: rename(port.peer.port) } }
    : { ...port, name };
}

function renamedBindings(plan: NorthboundPlan, rename: Rename): NorthboundPlan {
  return {
    zones: plan.zones.map((zone) => ({
      ...zone,
      chassis: zone.chassis.map((chassis) => ({
        ...chassis,
        bindings: chassis.bindings.map((one) => ({ ...one, port: rename(one.port) })),
      })),
    })),
  };
}
