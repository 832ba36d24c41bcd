/**
 * Connections that a host translates, and which way each of them: rules are asked for the first
 * packet of a connection, in two steps, before and behind the routing; what they decide holds for
 * all that follow, and the other way round for answers (netfilter, nf_nat). Pure but for the state
 * that it is handed. Errors (ICMP) about translated packets are not followed.
 */
import { cidrContains, ipv4Number, parseCidr } from '../base/address.js';
import { sha256 } from '../base/digest.js';
import type {
  AddressAndPort,
  DestinationRule,
  SourceRule,
  TransportProtocol,
  TranslationPlan,
} from '../nouns/translation.js';
import { ipProtocols } from '../packet/ipv4.js';
import { keyOfTuple, reversed, type Tuple } from './tuple.js';

/** What a host remembers. */
export interface Translations {
  readonly plan: TranslationPlan;
  /** By the key of what comes: a connection stands here once for each direction. */
  readonly connections: Map<string, TranslatedConnection>;
  /** The endpoint that a sender got of a rule with affinity, and when. */
  readonly kept: Map<string, { readonly endpoint: AddressAndPort; readonly atUs: number }>;
}

interface TranslatedConnection {
  /** As the first packet came, and as it left. */
  readonly original: Tuple;
  readonly translated: Tuple;
  /** When an answer was first seen. */
  answeredUs?: number;
  expiresUs: number;
}

/** When and where a connection is decided on. */
export interface Moment {
  readonly nowUs: number;
  /**
   * What the choice among endpoints is drawn from: the same for the same connection, spread evenly
   * over connections.
   */
  readonly draw: number;
}

/** What becomes of a packet, as far as its destination is concerned. */
export type Inbound =
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
      readonly isHidden: boolean;
    }
  /** Nobody is there to get it; who sent it is told so, or is not. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'lost' };

/** What goes on behind the routing. */
export type Forwardable = Extract<Inbound, { readonly kind: 'known' | 'new' }>;

export function noTranslations(plan: TranslationPlan): Translations {
  return { plan, connections: new Map(), kept: new Map() };
}

/** The first step (PREROUTING; OUTPUT for what the host itself sends). */
export function beforeRouting(state: Translations, tuple: Tuple, moment: Moment): Inbound {
  const known = knownTuple(state, tuple, moment.nowUs);
  if (known !== undefined) return { kind: 'known', tuple: known };
  const rule = state.plan.destinations.find(
    ({ match }) =>
      match.ip === tuple.dst.ip &&
      match.port === tuple.dst.port &&
      protocolNumbers[match.protocol] === tuple.protocol &&
      (match.from === undefined || isIn(tuple.src.ip, match.from)),
  );
  if (rule === undefined) return { kind: 'new', original: tuple, tuple, isHidden: false };
  const endpoint = chooseEndpoint(state, rule, tuple, moment);
  if (endpoint === undefined) return { kind: rule.nobody === 'lost' ? 'lost' : 'refused' };
  const isHidden = endpoint.ip === tuple.src.ip || !isIn(tuple.src.ip, rule.keepsSenders);
  return { kind: 'new', original: tuple, tuple: { ...tuple, dst: endpoint }, isHidden };
}

/**
 * The second step (POSTROUTING; INPUT for what ends here): how the packet leaves. `outgoing` is the
 * address of the interface that it leaves by; missing where it ends here. @returns undefined where
 * no port is left.
 */
export function behindRouting(
  state: Translations,
  inbound: Forwardable,
  outgoing: string | undefined,
  { nowUs }: Moment,
): Tuple | undefined {
  if (inbound.kind === 'known') return inbound.tuple;
  const { original, tuple } = inbound;
  const rule = state.plan.sources.find((candidate) => hidesSender(candidate, tuple));
  const hides = outgoing !== undefined && (inbound.isHidden || rule !== undefined);
  const translated =
    hides && tuple.src.ip !== outgoing
      ? withPort(
          state,
          { ...tuple, src: { ip: outgoing, port: tuple.src.port } },
          rule?.ports,
          nowUs,
        )
      : tuple;
  if (translated === undefined) return undefined;
  const connection: TranslatedConnection = {
    original,
    translated,
    expiresUs: nowUs + firstLifetimeUs(state.plan, tuple.protocol),
  };
  state.connections.set(keyOfTuple(original), connection);
  state.connections.set(keyOfTuple(reversed(translated)), connection);
  return translated;
}

/** How the packet leaves, where its connection stands. */
function knownTuple(state: Translations, tuple: Tuple, nowUs: number): Tuple | undefined {
  const key = keyOfTuple(tuple);
  const connection = live(state, key, nowUs);
  if (connection === undefined) return undefined;
  const isOriginal = key === keyOfTuple(connection.original);
  if (!isOriginal) connection.answeredUs ??= nowUs;
  connection.expiresUs = Math.max(
    connection.expiresUs,
    nowUs + lifetimeOf(state.plan, tuple.protocol, connection, nowUs),
  );
  return isOriginal ? connection.translated : reversed(connection.original);
}

function live(
  { connections }: Translations,
  key: string,
  nowUs: number,
): TranslatedConnection | undefined {
  const connection = connections.get(key);
  return connection === undefined || connection.expiresUs <= nowUs ? undefined : connection;
}

const second = 1_000_000;

/**
 * Linux's defaults (nf_conntrack-sysctl): nf_conntrack_udp_timeout and its stream's,
 * nf_conntrack_icmp_timeout, and of TCP that of connections which stand. States of TCP are not
 * followed: one that is not answered goes like a datagram, and one that is closed is remembered for
 * longer than it need be.
 */
const lifetimes = {
  unanswered: 30 * second,
  stream: 120 * second,
  streamAfter: 2 * second,
  tcp: 432_000 * second,
} as const;

function firstLifetimeUs({ lifetimes: told }: TranslationPlan, protocol: number): number {
  if (told === undefined) return lifetimes.unanswered;
  return (
    second *
    (protocol === ipProtocols.icmp
      ? told.icmpS
      : protocol === ipProtocols.udp
        ? told.udpS
        : told.tcpTransientS)
  );
}

function lifetimeOf(
  plan: TranslationPlan,
  protocol: number,
  { answeredUs }: TranslatedConnection,
  nowUs: number,
): number {
  if (plan.lifetimes !== undefined)
    return protocol === ipProtocols.tcp && answeredUs !== undefined
      ? plan.lifetimes.tcpEstablishedS * second
      : firstLifetimeUs(plan, protocol);
  if (answeredUs === undefined || protocol === ipProtocols.icmp) return lifetimes.unanswered;
  if (protocol === ipProtocols.udp)
    return nowUs - answeredUs >= lifetimes.streamAfter ? lifetimes.stream : lifetimes.unanswered;
  return lifetimes.tcp;
}

/** The one that the sender had last, where the rule is so and it is not gone; else any. */
function chooseEndpoint(
  state: Translations,
  rule: DestinationRule,
  tuple: Tuple,
  { nowUs, draw }: Moment,
): AddressAndPort | undefined {
  const { to, affinity } = rule;
  const any =
    to[Number.parseInt(sha256(`${draw} ${keyOfTuple(tuple)}`).slice(0, 8), 16) % to.length];
  if (affinity === undefined) return any;
  const client = `${tuple.src.ip} ${affinity.name}`;
  const kept = state.kept.get(client);
  const isStill =
    kept !== undefined &&
    nowUs - kept.atUs < affinity.seconds * second &&
    to.some(({ ip, port }) => ip === kept.endpoint.ip && port === kept.endpoint.port);
  const endpoint = isStill ? kept.endpoint : any;
  if (endpoint !== undefined) state.kept.set(client, { endpoint, atUs: nowUs });
  return endpoint;
}

function hidesSender({ from, except }: SourceRule, { src, dst }: Tuple): boolean {
  return isIn(src.ip, from) && !isIn(dst.ip, except);
}

function isIn(ip: string, blocks: readonly string[]): boolean {
  return blocks.some((block) => cidrContains(parseCidr(block), ipv4Number(ip)));
}

/**
 * With a port by which answers would find back to this connection alone: the lowest of the range;
 * without a range the sender's own, or the next above it. Undefined where none is left.
 */
function withPort(
  state: Translations,
  wanted: Tuple,
  range: SourceRule['ports'],
  nowUs: number,
): Tuple | undefined {
  for (const port of portsToTry(range, wanted.src.port)) {
    const tuple = withSource(wanted, port);
    if (live(state, keyOfTuple(reversed(tuple)), nowUs) === undefined) return tuple;
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
export function* portsToTry(range: SourceRule['ports'], own: number): Iterable<number> {
  if (range !== undefined) {
    for (let port = range.first; port <= range.last; port++) yield port;
    return;
  }
  yield own;
  for (let port = Math.max(own + 1, firstPort); port <= lastPort; port++) yield port;
  for (let port = firstPort; port < own; port++) yield port;
}

/**
 * Ports below are nobody's to give out (ip(7), "ip_local_port_range"; netfilter has the same
 * bound).
 */
const firstPort = 1024;
const lastPort = 65_535;

const protocolNumbers: Readonly<Record<TransportProtocol, number>> = {
  TCP: ipProtocols.tcp,
  UDP: ipProtocols.udp,
  SCTP: ipProtocols.sctp,
};
