/** A machine that moves, with one logical port (ovn-nb(5), Logical_Switch_Port, "options"). */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import type { HostPlan } from '../../domain/plan/host-plan.js';
import type { Binding, NorthboundRow } from '../../domain/plan/northbound-plan.js';
import type { Node, Pod } from '../../domain/topology.js';
import type { OvnTopology } from '../../../topologies/ovn/ovn-topology.js';
import { podHost } from '../pod-host.js';
import { interfaceOf } from './names.js';

/** Beside those of pods. */
const portKey = 1000;

/** Pods that stay where they are. */
export function stayingPods({ machine }: OvnTopology, { pods }: Node): readonly Pod[] {
  return pods.filter(({ name }) => name !== machine?.name);
}

/** Names of ports that the switch of a node has for the machine: one, or none. */
export function machinePorts({ machine }: OvnTopology, node: Node): readonly string[] {
  return machine !== undefined && isOwner(node, machine.ip) ? [machine.name] : [];
}

function isOwner({ podCidr }: Node, ip: string): boolean {
  return cidrContains(parseCidr(podCidr), ipv4Number(ip));
}

export function machineRows({ machine }: OvnTopology): readonly NorthboundRow[] {
  if (machine === undefined) return [];
  const { name, mac, ip, requested, activation } = machine;
  return [
    {
      table: 'Logical_Switch_Port',
      id: `switch port ${name}`,
      columns: {
        name,
        addresses: { set: [`${mac} ${ip}`] },
        options: {
          map: {
            'requested-tnl-key': String(portKey),
            ...(requested.length === 0 ? {} : { 'requested-chassis': requested.join(',') }),
            ...(activation === undefined ? {} : { 'activation-strategy': activation }),
          },
        },
      },
    },
  ];
}

export function machineInterfaces({ machine }: OvnTopology, { name }: Node): readonly string[] {
  return machine?.interfaces.includes(name) === true ? [interfaceOf(machine)] : [];
}

export function machineBindings({ machine }: OvnTopology, { name }: Node): readonly Binding[] {
  return machine?.boundAt.includes(name) === true
    ? [{ port: interfaceOf(machine), logicalPort: machine.name }]
    : [];
}

/** Its guest's stack, where that runs: the gateway is that of its address. */
export function machineHosts(network: OvnTopology, node: Node): readonly HostPlan[] {
  const { machine, nodes } = network;
  const guest = node.pods.find(({ name }) => name === machine?.name);
  const owner = nodes.find((one) => machine !== undefined && isOwner(one, machine.ip));
  if (guest === undefined || owner === undefined) return [];
  const host = podHost(guest, owner, interfaceOf(guest));
  return [machineInterfaces(network, node).length > 0 ? host : { ...host, interfaces: [] }];
}
