import type { Topology } from '../nouns/topology.js';
import type { TestVector } from '../nouns/vector.js';

/** Every node and every external host, in both directions, past the cluster's network: `ping/n1/x1`, `udp/x1/n1`, `tcp/n1/x1`, `arp/x1/n1`. */
export function nodeToExternal({ nodes, externalHosts = [] }: Topology): readonly TestVector[] {
  return nodes.flatMap(({ name, underlay }) => externalHosts.flatMap((host) => [...allKinds({ name, ip: underlay.ip }, host), ...allKinds(host, { name, ip: underlay.ip })]));
}

interface Addressed {
  readonly name: string;
  readonly ip: string;
}

function allKinds({ name: from }: Addressed, to: Addressed): readonly TestVector[] {
  const at = { from, to: to.ip };
  const ends = `${from}/${to.name}`;
  return [
    { id: `arp/${ends}`, stimulus: { kind: 'arp', from, target: to.ip } },
    { id: `ping/${ends}`, stimulus: { kind: 'ping', ...at } },
    { id: `udp/${ends}`, stimulus: { kind: 'udp', ...at, port: 7 } },
    { id: `tcp/${ends}`, stimulus: { kind: 'tcp', ...at, port: 7 } },
    { id: `closed/${ends}`, stimulus: { kind: 'probe', ...at, port: 9 } },
  ];
}
