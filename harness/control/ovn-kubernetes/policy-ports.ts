/** The ports of a rule, as a condition of OVN's. */
import { containerPortsOf } from '../../kube/container-ports.js';
import type { PolicyPort } from '../../kube/schemas/policies.js';
import type { KubePod } from '../../kube/schemas/workloads.js';

/** Whose ports they are. */
export interface Asked {
  readonly pods: readonly KubePod[];
  /** Whether the rule is about others as well, whose ports have no names. */
  readonly others: 'nobody' | 'some';
}

/**
 * A name stands for what each of those that are asked calls so: at its own address, where not all
 * have the same.
 */
export function portCondition(
  ports: readonly PolicyPort[],
  { pods, others }: Asked,
): readonly string[] {
  if (ports.length === 0) return [];
  const alternatives = ports.flatMap(({ protocol, port, endPort }): readonly string[] => {
    const transport = protocol.toLowerCase();
    if (port === undefined) return [transport];
    if (typeof port === 'number')
      return [
        endPort === undefined
          ? `${transport}.dst == ${port}`
          : `(${transport}.dst >= ${port} && ${transport}.dst <= ${endPort})`,
      ];
    const named = pods.flatMap((pod) =>
      containerPortsOf(pod)
        .filter((one) => one.name === port && one.protocol === protocol)
        .map(({ containerPort }) => ({ ip: pod.status.podIP, number: containerPort })),
    );
    return [...new Set(named.map(({ number }) => number))].map((number) => {
      const addresses = named.flatMap((one) => (one.number === number ? (one.ip ?? []) : []));
      if (others === 'nobody' && addresses.length === pods.length)
        return `${transport}.dst == ${number}`;
      const destinations = [...new Set(addresses)].join(', ');
      return `(ip4.dst == {${destinations}} && ${transport}.dst == ${number})`;
    });
  });
  return [alternatives.length === 0 ? '0' : `(${alternatives.join(' || ')})`];
}
