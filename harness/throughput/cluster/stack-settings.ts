/** What the network stack of a host is set to, as the plan has it. */
import type { HostPlan, InterfacePlan } from '../../domain/plan/host-plan.js';
import { systemProgram } from '../../ovs/process/system-program.js';

/** Lines of ip(8), for `ip -batch`. */
export function stackCommands(host: HostPlan, podMtu: number): readonly string[] {
  const isNode = host.kind === 'linux-node';
  const device = (one: InterfacePlan) => (isNode ? (one.port ?? one.name) : one.name);
  const named = new Map(host.interfaces.map((one) => [one.name, device(one)]));
  const mtuOf = (one: InterfacePlan) =>
    host.kind === 'pod' || (isNode && one.port !== undefined && one === host.interfaces[0])
      ? [`link set dev ${device(one)} mtu ${podMtu}`]
      : [];
  return [
    'link set dev lo up',
    ...host.interfaces.flatMap((one) => [
      ...mtuOf(one),
      `addr replace ${one.ip}/${one.prefixLength} dev ${device(one)}`,
      `link set dev ${device(one)} up`,
    ]),
    ...host.routes
      .filter(({ interface: name }) => named.has(name))
      .map(
        ({ destination, via, interface: name, onlink }) =>
          `route replace ${destination} via ${via} dev ${named.get(name) ?? name}` +
          (onlink ? ' onlink' : ''),
      ),
    ...(host.neighbours ?? []).map(
      ({ ip, mac }) =>
        `neigh replace ${ip} lladdr ${mac} dev ${device(host.interfaces[0] ?? noInterface)} ` +
        'nud permanent',
    ),
  ];
}

const noInterface: InterfacePlan = { name: 'lo', mac: '', ip: '', prefixLength: 0 };

/**
 * A port is free again when its connection has ended. Otherwise a client that opens thousands a
 * second searches longer and longer for one that is not waiting, and then the search is measured.
 */
export const noTimeWait = [
  systemProgram('sh'),
  '-c',
  'echo 0 >/proc/sys/net/ipv4/tcp_max_tw_buckets',
] as const;
