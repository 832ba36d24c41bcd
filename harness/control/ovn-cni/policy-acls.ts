/** ACLs of a policy's rules: matches on ports, address sets and blocks of addresses. */
import { selects } from '../../kube/pod-selection.js';
import { blockWithout } from './address-blocks.js';
import type { Direction, DirectedRules } from './policy-rules.js';
import type { WatchedNamespace, WatchedPeer, WatchedPod, WatchedPort } from './watched-objects.js';

/** A logical port that is attached, and the pod that it says it is for. */
export interface AttachedPort {
  readonly uuid: string;
  readonly name: string;
  readonly ip: string;
  readonly namespace: string;
  readonly pod: string;
  /** Missing where the runtime did not say it. */
  readonly uid?: string;
}

export interface JoinedPort {
  readonly port: AttachedPort;
  readonly pod: WatchedPod;
  readonly namespace: WatchedNamespace;
}

/** Allow-related. */
export interface PolicyAcl {
  readonly direction: Direction;
  readonly match: string;
}

/** @param sets gets the addresses of peers. */
export function aclsOf(
  { name, namespace }: { readonly name: string; readonly namespace: string },
  { direction, rules }: DirectedRules,
  {
    joined,
    selected,
    sets,
  }: {
    readonly joined: readonly JoinedPort[];
    readonly selected: readonly JoinedPort[];
    readonly sets: Map<string, readonly string[]>;
  },
): readonly PolicyAcl[] {
  return rules.flatMap(({ peers, ports }, index) => {
    const set = direction === 'to-lport' ? `${name}_${index}` : `${name}_out_${index}`;
    const found = joined.filter((one) => peers.some((peer) => isPeer(peer, one, namespace)));
    if (peers.length > 0)
      sets.set(
        set,
        found.map(({ port }) => port.ip),
      );
    const own = direction === 'to-lport' ? `outport == @${name}` : `inport == @${name}`;
    // A name stands for a number of its own in each pod that takes it in.
    const named = direction === 'to-lport' ? selected : peers.length > 0 ? found : joined;
    return portMatches(ports, named, direction).map((port) => ({
      direction,
      match: [own, 'ip4', ...peerMatch(peers, set, direction), ...port].join(' && '),
    }));
  });
}

function isPeer(
  { podSelector, namespaceSelector, ipBlock }: WatchedPeer,
  { pod, namespace }: JoinedPort,
  own: string,
): boolean {
  if (ipBlock !== undefined) return false;
  const inNamespace =
    namespaceSelector === undefined
      ? namespace.metadata.name === own
      : selects(namespaceSelector, namespace.metadata.labels ?? {});
  return inNamespace && selects(podSelector ?? {}, pod.metadata.labels ?? {});
}

function peerMatch(
  peers: readonly WatchedPeer[],
  set: string,
  direction: Direction,
): readonly string[] {
  if (peers.length === 0) return [];
  const field = direction === 'to-lport' ? 'ip4.src' : 'ip4.dst';
  const blocks = peers.flatMap(({ ipBlock }) =>
    ipBlock === undefined || ipBlock.cidr.includes(':')
      ? []
      : blockWithout(ipBlock.cidr, ipBlock.except ?? []),
  );
  const inBlocks = blocks.length === 0 ? [] : [`${field} == {${blocks.join(', ')}}`];
  return [`(${[`${field} == $${set}`, ...inBlocks].join(' || ')})`];
}

/**
 * Alternatives, each a list of conditions; one without conditions where no ports are said.
 * @param named pods whose names of ports are meant.
 */
function portMatches(
  ports: readonly WatchedPort[],
  named: readonly JoinedPort[],
  direction: Direction,
): readonly (readonly string[])[] {
  if (ports.length === 0) return [[]];
  return ports.flatMap(({ protocol = 'TCP', port, endPort }): readonly (readonly string[])[] => {
    const transport = protocol.toLowerCase();
    if (port === undefined) return [[transport]];
    if (typeof port === 'number')
      return [
        endPort === undefined
          ? [`${transport}.dst == ${port}`]
          : [`${transport}.dst >= ${port}`, `${transport}.dst <= ${endPort}`],
      ];
    return named.flatMap(({ port: { name, ip }, pod }) =>
      running(pod)
        .flatMap(({ ports = [] }) => ports)
        .filter((one) => one.name === port && (one.protocol ?? 'TCP') === protocol)
        .map((one) => [
          direction === 'to-lport' ? `outport == ${JSON.stringify(name)}` : `ip4.dst == ${ip}`,
          `${transport}.dst == ${one.containerPort}`,
        ]),
    );
  });
}

/** Its containers, and its sidecars (Kubernetes, "Sidecar Containers"). */
function running({ spec }: WatchedPod): NonNullable<WatchedPod['spec']['containers']> {
  const { containers = [], initContainers = [] } = spec;
  return [
    ...containers,
    ...initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ];
}
