import { ovnCluster } from './ovn-cluster.js';
import { ipv6Of, type OvnTopology } from './ovn-topology.js';

/** Two nodes with two pods each, whose switches know their names, and reject port 9. */
export function answeringCluster(): OvnTopology {
  const cluster = ovnCluster({ nodes: 2, podsPerNode: 2 });
  const names = cluster.nodes.flatMap(({ pods }) =>
    pods.map(({ name, ip }) => [`${name}.flowbed.test`, `${ip} ${ipv6Of(ip)}`] as const),
  );
  return {
    ...cluster,
    answers: {
      rejectedPort: 9,
      names: Object.fromEntries([...names, ['2.1.10.10.in-addr.arpa', 'p1.flowbed.test']]),
      dnsServer: { ipv4: '10.10.1.53', ipv6: 'fd00::53' },
    },
  };
}
