/** L0 on pods that leave the cluster: to other nodes by their own addresses and to hosts outside, who see the node (the Windows design, "External Traffic"; Antrea, "masquerade pod to external packets"). */
import type { Crossing, Intent, PathIntent } from '../nouns/intent.js';
import type { Topology } from '../nouns/topology.js';
import type { Stimulus } from '../nouns/vector.js';
import { answersOn, type Party } from './parties.js';
import { defaultTtl } from './reach.js';
import { gatewayName, mirrored, namesOn } from './way.js';

type Sent = Extract<Stimulus, { readonly kind: 'ping' | 'udp' | 'tcp' | 'probe' }>;

/** Undefined for what stays in the cluster, and for what is not sent to an address. */
export function intentOutward(topology: Topology, from: Party, stimulus: Stimulus): Intent | undefined {
  if (from.kind !== 'pod' || !isSent(stimulus)) return undefined;
  const { nodes, externalHosts = [] } = topology;
  const outside = externalHosts.find(({ ip }) => ip === stimulus.to) ?? nodes.filter((node) => node !== from.node && node.underlay.ip === stimulus.to).map(({ name, underlay, listens }) => ({ name, ip: underlay.ip, listens }))[0];
  if (outside === undefined) return undefined;
  const ttl = 'ttl' in stimulus ? (stimulus.ttl ?? defaultTtl) : defaultTtl;
  if (ttl <= 1) return { kind: 'denied', why: `TTL ${ttl} does not last for ${from.node.name}, which routes it` };
  const reached = { to: outside.name, source: from.node.underlay.ip };
  const answers = (protocol: 'TCP' | 'UDP', port: number) => answersOn({ listens: outside.listens ?? [] }, protocol, port);
  if (stimulus.kind === 'udp' && !answers('UDP', stimulus.port)) return { kind: 'delivered', ...reached, why: `${outside.name} has nobody on UDP port ${stimulus.port}` };
  if ((stimulus.kind === 'tcp' || stimulus.kind === 'probe') && !answers('TCP', stimulus.port)) return { kind: 'refused', ...reached, why: `nobody listens on TCP port ${stimulus.port} of ${outside.name}` };
  return { kind: 'round-trip', ...reached, path: [externalTraffic(from, stimulus.to)] };
}

function isSent(stimulus: Stimulus): stimulus is Sent {
  return stimulus.kind === 'ping' || stimulus.kind === 'udp' || stimulus.kind === 'probe' || (stimulus.kind === 'tcp' && stimulus.interjection === undefined);
}

/**
 * "The packet from a Pod to an external address is firstly output to antrea-gw0, and then SNAT is performed on the Windows host. The SNATed packet enters OVS from the OVS bridge
 * interface and leaves the Windows host from the uplink interface directly", and all of it back. On Linux the same, by the node's network card.
 */
function externalTraffic({ ip, node }: Party, to: string): PathIntent {
  const { bridge, uplink } = namesOn(node);
  const hidden = node.underlay.ip;
  const there: readonly Crossing[] = [
    { direction: 'out', port: gatewayName, src: ip, dst: to },
    { direction: 'in', port: bridge, src: hidden, dst: to },
    { direction: 'out', port: uplink, src: hidden, dst: to },
  ];
  return { node: node.name, ports: [gatewayName, bridge, uplink], crossings: [...there, ...mirrored(there)] };
}
