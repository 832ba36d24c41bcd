/**
 * Connections that a host translates, and which way each of them: rules are asked for the first
 * packet of a connection, in two steps, before and behind the routing; what they decide holds for
 * all that follow, and the other way round for answers (netfilter, nf_nat). Pure but for the state
 * that it is handed. Errors (ICMP) about translated packets are not followed.
 */
import { cidrContains, ipv4Number, parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { sha256 } from '../../base/files/digest.js';
import type {
  AddressAndPort,
  DnatRule,
  SnatRule,
  TransportProtocol,
  NatPlan,
} from '../../domain/plan/nat-plan.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { keyOfTuple, reversed, type Tuple } from './connection-tuple.js';
import { second, firstLifetimeUs, lifetimeOf, type NatConnection } from './nat-connection.js';

/** What a host remembers. */
export interface NatState {
  readonly plan: NatPlan;
  /** By the key of what comes: a connection stands here once for each direction. */
  readonly connections: Map<string, NatConnection>;
  /** The endpoint that a sender got of a rule with affinity, and when. */
  readonly affinityTable: Map<string, { readonly endpoint: AddressAndPort; readonly atUs: number }>;
}

/** When and where a connection is decided on. */
export interface NatMoment {
  readonly nowUs: number;
  /**
   * What the choice among endpoints is drawn from: the same for the same connection, spread evenly
   * over connections.
   */
  readonly draw: number;
}

/** The result for a packet, as far as its destination is concerned. */
export type PreroutingResult =
  /** Of a connection that stands: it leaves as `tuple`. */
  | { readonly kind: 'known'; readonly tuple: Tuple }
  /**
   * The first of its connection: `tuple` has its destination; its source is decided behind the
   * routing, by rule where it is not hidden in any case.
   */
  | {
      readonly kind: 'new';
      readonly original: Tuple;
      readonly tuple: Tuple;
      readonly isMasqueraded: boolean;
    }
  /** No host gets it; its sender gets an ICMP error, or does not. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'lost' };

/** What continues after routing. */
export type Forwardable = Extract<PreroutingResult, { readonly kind: 'known' | 'new' }>;

export function newNatState(plan: NatPlan): NatState {
  return { plan, connections: new Map(), affinityTable: new Map() };
}

/** The first step (PREROUTING; OUTPUT for what the host itself sends). */
export function prerouting(state: NatState, tuple: Tuple, moment: NatMoment): PreroutingResult {
  const known = knownTuple(state, tuple, moment.nowUs);
  if (known !== undefined) return { kind: 'known', tuple: known };
  const rule = state.plan.destinations.find(
    ({ match }) =>
      match.ip === tuple.dst.ip &&
      match.port === tuple.dst.port &&
      protocolNumbers[match.protocol] === tuple.protocol &&
      (match.from === undefined || isIn(tuple.src.ip, match.from)),
  );
  if (rule === undefined) return { kind: 'new', original: tuple, tuple, isMasqueraded: false };
  const endpoint = chooseEndpoint(state, rule, tuple, moment);
  if (endpoint === undefined) return { kind: rule.nobody === 'lost' ? 'lost' : 'refused' };
  const isHidden = endpoint.ip === tuple.src.ip || !isIn(tuple.src.ip, rule.keepsSenders);
  return {
    kind: 'new',
    original: tuple,
    tuple: { ...tuple, dst: endpoint },
    isMasqueraded: isHidden,
  };
}

/**
 * The second step (POSTROUTING; INPUT for what ends here): how the packet leaves. `outgoing` is the
 * address of the interface that it leaves by; missing where it ends here. @returns undefined where
 * no port is left.
 */
export function postrouting(
  state: NatState,
  inbound: Forwardable,
  outgoing: string | undefined,
  { nowUs }: NatMoment,
): Tuple | undefined {
  if (inbound.kind === 'known') return inbound.tuple;
  const { original, tuple } = inbound;
  const rule = state.plan.sources.find((candidate) => isMasqueradedBy(candidate, tuple));
  const masquerades = outgoing !== undefined && (inbound.isMasqueraded || rule !== undefined);
  const translated =
    masquerades && tuple.src.ip !== outgoing
      ? withFreePort(
          state,
          { ...tuple, src: { ip: outgoing, port: tuple.src.port } },
          rule?.ports,
          nowUs,
        )
      : tuple;
  if (translated === undefined) return undefined;
  const connection: NatConnection = {
    original,
    translated,
    expiresUs: nowUs + firstLifetimeUs(state.plan, tuple.protocol),
  };
  state.connections.set(keyOfTuple(original), connection);
  state.connections.set(keyOfTuple(reversed(translated)), connection);
  return translated;
}

/** How the packet leaves, where its connection stands. */
function knownTuple(state: NatState, tuple: Tuple, nowUs: number): Tuple | undefined {
  const key = keyOfTuple(tuple);
  const connection = liveConnection(state, key, nowUs);
  if (connection === undefined) return undefined;
  const isOriginal = key === keyOfTuple(connection.original);
  if (!isOriginal) connection.answeredUs ??= nowUs;
  connection.expiresUs = Math.max(
    connection.expiresUs,
    nowUs + lifetimeOf(state.plan, tuple.protocol, connection, nowUs),
  );
  return isOriginal ? connection.translated : reversed(connection.original);
}

function liveConnection(
  { connections }: NatState,
  key: string,
  nowUs: number,
): NatConnection | undefined {
  const connection = connections.get(key);
  return connection === undefined || connection.expiresUs <= nowUs ? undefined : connection;
}

/** The one that the sender had last, where the rule is so and it is not gone; else any. */
function chooseEndpoint(
  state: NatState,
  rule: DnatRule,
  tuple: Tuple,
  { nowUs, draw }: NatMoment,
): AddressAndPort | undefined {
  const { to, affinity } = rule;
  const any =
    to[Number.parseInt(sha256(`${draw} ${keyOfTuple(tuple)}`).slice(0, 8), 16) % to.length];
  if (affinity === undefined) return any;
  const client = `${tuple.src.ip} ${affinity.name}`;
  const previous = state.affinityTable.get(client);
  const isStill =
    previous !== undefined &&
    nowUs - previous.atUs < affinity.seconds * second &&
    to.some(({ ip, port }) => ip === previous.endpoint.ip && port === previous.endpoint.port);
  const endpoint = isStill ? previous.endpoint : any;
  if (endpoint !== undefined) state.affinityTable.set(client, { endpoint, atUs: nowUs });
  return endpoint;
}

function isMasqueradedBy({ from, except }: SnatRule, { src, dst }: Tuple): boolean {
  return isIn(src.ip, from) && !isIn(dst.ip, except);
}

function isIn(ip: string, blocks: readonly string[]): boolean {
  return blocks.some((block) => cidrContains(parseCidr(block), ipv4Number(ip)));
}

/**
 * With a port by which answers would find back to this connection alone: the lowest of the range;
 * without a range the sender's own, or the next above it. Undefined where none is left.
 */
function withFreePort(
  state: NatState,
  wanted: Tuple,
  range: SnatRule['ports'],
  nowUs: number,
): Tuple | undefined {
  for (const port of portsToTry(range, wanted.src.port)) {
    const tuple = withSource(wanted, port);
    if (liveConnection(state, keyOfTuple(reversed(tuple)), nowUs) === undefined) return tuple;
  }
  return undefined;
}

/** An echo has one identifier, which stands for both ports. */
function withSource({ protocol, src, dst }: Tuple, port: number): Tuple {
  return {
    protocol,
    src: { ...src, port },
    dst: protocol === ipProtocols.icmp ? { ...dst, port } : dst,
  };
}

/**
 * In the order in which they are tried: those of the range; without one the sender's own, those
 * above it, and from the first on.
 */
export function* portsToTry(range: SnatRule['ports'], own: number): Iterable<number> {
  if (range !== undefined) {
    for (let port = range.first; port <= range.last; port++) yield port;
    return;
  }
  yield own;
  for (let port = Math.max(own + 1, firstPort); port <= lastPort; port++) yield port;
  for (let port = firstPort; port < own; port++) yield port;
}

/**
 * Ports below are not allocated (ip(7), "ip_local_port_range"; netfilter has the same
 * bound).
 */
const firstPort = 1024;
const lastPort = 65_535;

const protocolNumbers: Readonly<Record<TransportProtocol, number>> = {
  TCP: ipProtocols.tcp,
  UDP: ipProtocols.udp,
  SCTP: ipProtocols.sctp,
};
