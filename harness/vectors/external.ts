import { formatIpv4, parseCidr } from '../base/addresses/mac-and-ipv4.js';
import { podsOf, type Topology } from '../domain/topology.js';
import type { TestVector } from '../domain/test-vector.js';

/**
 * Every node and every external host, in both directions, past the cluster's network: `ping/n1/x1`,
 * `udp/x1/n1`, `tcp/n1/x1`, `arp/x1/n1`.
 */
export function nodeToExternal({ nodes, externalHosts = [] }: Topology): readonly TestVector[] {
  return nodes.flatMap(({ name, underlay }) =>
    externalHosts.flatMap((host) => [
      ...allKinds({ name }, host),
      ...allKinds({ name: host.name }, { name, ip: underlay.ip }),
    ]),
  );
}

/**
 * Every pod to every external host and to every other node by its own address: `ping/p1/x1`,
 * `tcp/p1/n2/host`, and to a port that is closed, `closed/p1/x1`.
 */
export function podToExternal(topology: Topology): readonly TestVector[] {
  const { nodes, externalHosts = [] } = topology;
  return podsOf(topology).flatMap(({ pod, node }) =>
    [
      ...externalHosts.flatMap((host) => allKinds(pod, host)),
      ...nodes
        .filter((other) => other !== node)
        .flatMap(({ name, underlay }) => allKinds(pod, { name: `${name}/host`, ip: underlay.ip })),
    ].filter(({ stimulus }) => stimulus.kind !== 'arp'),
  );
}

/** Every node to every external host, and not the other way round: `ping/n1/x1`. */
export function nodeEgress({ nodes, externalHosts = [] }: Topology): readonly TestVector[] {
  return nodes
    .flatMap((node) => externalHosts.flatMap((host) => allKinds(node, host)))
    .filter(({ stimulus }) => stimulus.kind !== 'arp');
}

/** Every node to every other by their own addresses: `ping/n1/n2/host`. */
export function hostToHost({ nodes }: Topology): readonly TestVector[] {
  return nodes.flatMap((node) =>
    nodes
      .filter((other) => other !== node)
      .flatMap(({ name, underlay }) => allKinds(node, { name: `${name}/host`, ip: underlay.ip })),
  );
}

interface Addressed {
  readonly name: string;
  readonly ip: string;
}

function allKinds({ name: from }: { readonly name: string }, to: Addressed): readonly TestVector[] {
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

/**
 * The first pod to the first external host, and again when whoever hides it has long forgotten the
 * first time: `later/p1/x1`.
 */
export function podToExternalLater({
  nodes,
  externalHosts: [host] = [],
}: Topology): readonly TestVector[] {
  const [pod] = nodes.flatMap(({ pods }) => pods);
  if (pod === undefined || host === undefined) return [];
  return [
    {
      id: `later/${pod.name}/${host.name}`,
      stimulus: {
        kind: 'calls',
        protocol: 'UDP',
        from: pod.name,
        to: host.ip,
        port: 7,
        count: 2,
        everyMs: longestMs,
      },
    },
  ];
}

/**
 * Longer than NetNat remembers datagrams (Microsoft, "New-NetNat": UdpIdleSessionTimeout), and
 * conntrack of Linux does.
 */
const longestMs = 121_000;

/**
 * Every node to an address in the subnet that one node more would have, where no node is:
 * `gone/n1`.
 */
export function nodeToGoneNode({ nodes }: Topology): readonly TestVector[] {
  const last = nodes.at(-1);
  if (last === undefined) return [];
  const { number, prefixLength } = parseCidr(last.podCidr);
  const to = formatIpv4(number + 2 ** (32 - prefixLength) + 2);
  return nodes.map(({ name }) => ({
    id: `gone/${name}`,
    stimulus: { kind: 'ping', from: name, to },
  }));
}
