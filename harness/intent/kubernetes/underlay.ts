/**
 * L0 on the network between nodes: who is there reaches everybody there, and no policy is asked.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { InputError, Unsupported } from '../../base/errors/errors.js';
import type { UnderlayHost } from '../../domain/cluster-host.js';
import { nobodyHolds, type Intent } from '../../domain/intent.js';
import { isBehindRouter } from '../../domain/next-hops.js';
import type { ControlPlanePromises } from '../../domain/promises.js';
import type { Topology } from '../../domain/topology.js';
import type { PayloadSpec, Stimulus } from '../../domain/test-vector.js';
import { answersOn, isUnheld } from './cluster-hosts.js';

function stations({ nodes, externalHosts = [] }: Topology): readonly UnderlayHost[] {
  return [
    ...nodes.map(
      ({ name, os = 'linux', underlay, listens = [] }): UnderlayHost => ({
        kind: 'node',
        os,
        name,
        ip: underlay.ip,
        mac: underlay.mac,
        listens,
      }),
    ),
    ...externalHosts.map(
      (host): UnderlayHost => ({ kind: 'external', os: 'linux', listens: [], ...host }),
    ),
  ];
}

/**
 * What nodes and external hosts send to addresses of the network between nodes, and external hosts
 * anywhere; undefined for all else.
 */
export function intentOnUnderlay(
  topology: Topology,
  stimulus: Stimulus,
  promises: ControlPlanePromises,
): Intent | undefined {
  const from = stations(topology).find(({ name }) => name === stimulus.from);
  if (from === undefined) return undefined;
  if (stimulus.kind === 'dhcp' || stimulus.kind === 'announcement') return undefined;
  if (stimulus.kind === 'frame') {
    if (from.kind === 'node') return undefined;
    const { payload } = stimulus.frame;
    const router = promises
      .routersOnUnderlay?.(topology)
      .find(({ mac }) => mac === stimulus.frame.dst);
    if (router !== undefined && isAnnouncedTo(topology, payload, router.ip))
      return { kind: 'denied', why: `${router.name} learns from it, and no host gets it` };
    throw new Unsupported(
      `nothing is promised about frames that ${from.name}, an external host, sends past its stack`,
    );
  }
  const ip = stimulus.kind === 'arp' ? stimulus.target : stimulus.to;
  if (from.kind === 'external' && isBehindRouter(topology, from.ip))
    throw new Unsupported(
      `nothing is promised about what ${from.name} sends, which is behind a router`,
    );
  if (!isOnUnderlay(topology, ip)) {
    if (from.kind === 'node') return undefined;
    return isUnheld(topology, ip)
      ? { kind: 'denied', ...nobodyHolds(ip) }
      : { kind: 'denied', why: `${from.name} is outside the cluster and knows no way to ${ip}` };
  }
  if (!isNeighbour(topology, from.ip, ip) && (from.kind === 'external' || stimulus.kind === 'arp'))
    return isUnheld(topology, ip)
      ? { kind: 'denied', ...nobodyHolds(ip) }
      : {
          kind: 'denied',
          why: `${ip} is on another network than ${from.name}, behind a router`,
        };
  if (ip === from.ip)
    throw new InputError(
      `${from.name} itself holds ${ip}: what a host sends to itself never leaves it`,
    );
  const router = promises.routersOnUnderlay?.(topology).find((one) => one.ip === ip);
  if (router !== undefined) {
    if (stimulus.kind === 'arp') return { kind: 'resolves', ip, mac: router.mac };
    throw new Unsupported(`nothing is promised about what ${from.name} sends to ${router.name}`);
  }
  const to = stations(topology).find((station) => station.ip === ip);
  return to === undefined
    ? { kind: 'denied', ...nobodyHolds(ip) }
    : intentBetween(from, to, stimulus, promises);
}

/** Whether it says to the router's address, which may be that of IPv6, where somebody is. */
function isAnnouncedTo({ ipv6 = {} }: Topology, payload: PayloadSpec, router: string): boolean {
  if (payload.kind === 'arp') return payload.op === 'reply' && payload.tpa === router;
  return payload.kind === 'neighbour-advertisement' && payload.dst === ipv6[router];
}

function intentBetween(
  from: UnderlayHost,
  to: UnderlayHost,
  stimulus: Exclude<Stimulus, { readonly kind: 'frame' | 'dhcp' | 'announcement' }>,
  promises: ControlPlanePromises,
): Intent {
  const arrival = { to: to.name, source: from.ip };
  const path = promises.underlayPath(from, to);
  const andBack: Intent = {
    kind: 'round-trip',
    ...arrival,
    ...(path.length === 0 ? {} : { path }),
  };
  switch (stimulus.kind) {
    case 'arp':
      return { kind: 'resolves', ip: to.ip, mac: to.mac };
    case 'ping':
      return andBack;
    case 'udp':
      return answersOn(to, 'UDP', stimulus.port)
        ? andBack
        : {
            kind: 'delivered',
            ...arrival,
            why: `${to.name} has nobody on UDP port ${stimulus.port}`,
          };
    case 'calls':
      throw new Unsupported(
        `nothing is promised about several calls to ${to.name}, which is no Service`,
      );
    case 'sctp':
      return answersOn(to, 'SCTP', stimulus.port)
        ? andBack
        : {
            kind: 'refused',
            ...arrival,
            why: `nobody listens on SCTP port ${stimulus.port} of ${to.name}`,
          };
    case 'tcp':
    case 'probe':
    case 'open':
      if (stimulus.kind === 'tcp' && stimulus.interjection !== undefined)
        throw new Unsupported(
          'nothing is promised about segments that do not belong, on the network between nodes',
        );
      return answersOn(to, 'TCP', stimulus.port)
        ? andBack
        : {
            kind: 'refused',
            ...arrival,
            why: `nobody listens on TCP port ${stimulus.port} of ${to.name}`,
          };
    case 'talk':
      throw new Unsupported(
        'nothing is promised about connections that stay open, on the network between nodes',
      );
  }
}

function isOnUnderlay({ nodes }: Topology, ip: string): boolean {
  return nodes.some(({ underlay }) => isIn(underlay, ip));
}

function isNeighbour({ nodes }: Topology, one: string, other: string): boolean {
  return nodes.some(({ underlay }) => isIn(underlay, one) && isIn(underlay, other));
}

function isIn(
  { ip: own, prefixLength }: { readonly ip: string; readonly prefixLength: number },
  ip: string,
): boolean {
  return cidrContains(parseCidr(`${own}/${prefixLength}`), ipv4Number(ip));
}
