/** What a plan says of hosts as settings of real stacks: ip(8), and files of /proc. */
import type { HostPlan } from '../domain/plan/host-plan.js';

/**
 * Lines of `ip -batch` for a host's own namespace.
 * @param deviceOf the device of an interface, where the host has it.
 */
export function stackLines(
  { interfaces, routes, neighbours = [] }: HostPlan,
  deviceOf: (name: string) => string | undefined,
): readonly string[] {
  const there = interfaces.flatMap((one) => {
    const device = deviceOf(one.name);
    return device === undefined ? [] : [{ ...one, device }];
  });
  return [
    ...there.flatMap(({ device, ip, prefixLength }) => [
      `addr replace ${ip}/${prefixLength} dev ${device}`,
      `link set dev ${device} up`,
    ]),
    ...routes.flatMap(({ destination, via, interface: name, onlink }) => {
      const device = deviceOf(name);
      return device === undefined
        ? []
        : [`route replace ${destination} via ${via} dev ${device}${onlink ? ' onlink' : ''}`];
    }),
    ...neighbours.flatMap(({ ip, mac }) =>
      there.slice(0, 1).map(({ device }) => `neigh replace ${ip} lladdr ${mac} dev ${device}`),
    ),
  ];
}
