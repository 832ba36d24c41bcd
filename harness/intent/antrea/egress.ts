/**
 * L0 on pods that leave the cluster, and nodes by another adapter: to other nodes by their own
 * addresses and to hosts outside, who see the node (the Windows design, "External Traffic"; Antrea,
 * "masquerade pod to external packets").
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { Unsupported } from '../../base/errors/errors.js';
import type { Answerer, Crossing, Intent, PathIntent } from '../../domain/intent.js';
import type { Listener, Node, Topology } from '../../domain/topology.js';
import type { Stimulus } from '../../domain/test-vector.js';
import { answersOn } from '../kubernetes/cluster-hosts.js';
import { type ClusterHost } from '../../domain/cluster-host.js';
import { defaultTtl } from '../kubernetes/datagram.js';
import { gatewayName, reversedCrossings, portNamesOn } from './path.js';

type EgressStimulus = Extract<
  Stimulus,
  { readonly kind: 'ping' | 'udp' | 'tcp' | 'probe' | 'sctp' | 'calls' }
>;

/** Undefined for what stays in the cluster, and for what is not sent to an address. */
export function egressIntent(
  topology: Topology,
  from: ClusterHost,
  stimulus: Stimulus,
): Intent | undefined {
  if (!isEgressStimulus(stimulus)) return undefined;
  const { nodes, externalHosts = [] } = topology;
  const outside =
    externalHosts.find(({ ip }) => ip === stimulus.to) ??
    nodes
      .filter((node) => node !== from.node && node.underlay.ip === stimulus.to)
      .map(({ name, underlay, listens }) => ({ name, ip: underlay.ip, listens }))[0];
  if (outside === undefined) return undefined;
  const leaves = egressSourceOf(from.node, stimulus.to);
  // there is more to say of hosts on that network
  if (from.kind === 'node' && leaves.by === 'uplink') return undefined;
  const ttl = 'ttl' in stimulus ? (stimulus.ttl ?? defaultTtl) : defaultTtl;
  if (from.kind === 'pod' && ttl <= 1)
    return {
      kind: 'denied',
      why: `TTL ${ttl} does not last for ${from.node.name}, which routes it`,
    };
  const reached = { to: outside.name, source: leaves.ip };
  if (stimulus.kind === 'sctp' && from.node.os === 'windows')
    throw new Unsupported(
      `nothing is promised about SCTP that leaves the cluster by ${from.node.name}: NetNat ` +
        'knows ICMP, UDP and TCP',
    );
  const answers = (protocol: Listener['protocol'], port: number) =>
    answersOn({ listens: outside.listens ?? [] }, protocol, port);
  if (stimulus.kind === 'calls')
    return intentOfCalls(
      stimulus,
      { to: outside.name, sources: [leaves.ip] },
      answers(stimulus.protocol, stimulus.port),
    );
  if (stimulus.kind === 'udp' && !answers('UDP', stimulus.port))
    return {
      kind: 'delivered',
      ...reached,
      why: `${outside.name} has nobody on UDP port ${stimulus.port}`,
    };
  const protocol = stimulus.kind === 'sctp' ? 'SCTP' : 'TCP';
  if (stimulus.kind !== 'ping' && stimulus.kind !== 'udp' && !answers(protocol, stimulus.port))
    return {
      kind: 'refused',
      ...reached,
      why: `nobody listens on ${protocol} port ${stimulus.port} of ${outside.name}`,
    };
  return { kind: 'round-trip', ...reached, path: [egressPath(from, stimulus.to, leaves)] };
}

/**
 * Each of them gets there and back, however many there were before it: what hides their sender
 * forgets those that are over.
 */
function intentOfCalls(
  { protocol, port }: Extract<Stimulus, { readonly kind: 'calls' }>,
  answerer: Answerer,
  isAnswered: boolean,
): Intent {
  if (!isAnswered)
    throw new Unsupported(
      `nothing is promised about several calls to ${protocol} port ${port} of ${answerer.to}, ` +
        'where nobody listens',
    );
  return {
    kind: 'balanced',
    answerers: [answerer],
    spread: 'any',
    why: `${answerer.to} is outside of the cluster`,
  };
}

function isEgressStimulus(stimulus: Stimulus): stimulus is EgressStimulus {
  return (
    stimulus.kind !== 'arp' &&
    stimulus.kind !== 'frame' &&
    stimulus.kind !== 'open' &&
    stimulus.kind !== 'talk' &&
    (stimulus.kind !== 'tcp' || stimulus.interjection === undefined)
  );
}

/**
 * "The packet from a Pod to an external address is firstly output to antrea-gw0, and then SNAT is
 * performed on the Windows host. The SNATed packet enters OVS from the OVS bridge interface and
 * leaves the Windows host from the uplink interface directly", and all of it back. On Linux the
 * same, by the node's network card.
 */
function egressPath(
  { kind, ip, node }: ClusterHost,
  to: string,
  { ip: hidden, by }: EgressSource,
): PathIntent {
  const { bridge, uplink } = portNamesOn(node);
  const nothing = { node: node.name, ports: [gatewayName, bridge, uplink], crossings: [] };
  if (kind === 'node') return nothing;
  const toHost: Crossing = { direction: 'out', port: gatewayName, src: ip, dst: to };
  if (by === 'another adapter')
    return { ...nothing, crossings: [toHost, ...reversedCrossings([toHost])] };
  const there: readonly Crossing[] = [
    toHost,
    {
      direction: 'in',
      port: bridge,
      src: hidden,
      dst: to,
      ...(node.os === 'windows' ? { srcPorts: netNatPorts } : {}),
    },
    { direction: 'out', port: uplink, src: hidden, dst: to },
  ];
  return { ...nothing, crossings: [...there, ...reversedCrossings(there)] };
}

/**
 * NetNat allocates from Windows' dynamic ports (Microsoft, "Default dynamic port range for
 * TCP/IP").
 */
const netNatPorts = { first: 49_152, last: 65_535 } as const;

interface EgressSource {
  /** The address that is seen. */
  readonly ip: string;
  readonly by: 'uplink' | 'another adapter';
}

/**
 * "The SNATed address is chosen by Windows host according to the routing configuration." What
 * leaves by another adapter enters the switch no more.
 */
export function egressSourceOf({ underlay, adapters = [] }: Node, to: string): EgressSource {
  const adapter = adapters.find(({ ip, prefixLength }) =>
    cidrContains(parseCidr(`${ip}/${prefixLength}`), ipv4Number(to)),
  );
  return adapter === undefined
    ? { ip: underlay.ip, by: 'uplink' }
    : { ip: adapter.ip, by: 'another adapter' };
}
