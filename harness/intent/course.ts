/**
 * L0 over time: what is promised depends on what was before, namely on connections that stand, on
 * switches that have no flows, and on what each node has heard of. Where policies change,
 * connections that stand are not asked again (the seed, "EgressRuleTable": "ongoing connections are
 * not affected").
 */
import { Unsupported, assert } from '../base/errors.js';
import type { Cluster, KubeObjects, Network } from '../kube/objects.js';
import { heardAfter, heardBy, running, type Hearing, type HistoryEvent } from '../nouns/history.js';
import type { Intent } from '../nouns/intent.js';
import type { HostNote } from '../nouns/observation.js';
import type { Topology } from '../nouns/topology.js';
import type { Stimulus } from '../nouns/vector.js';
import { intentAmongUnaware } from './hearing.js';
import { intentOf } from './intent.js';
import { holder, parties, sender, type Party } from './parties.js';
import { promisedUnder, verdictsOn } from './policy/intent.js';
import { together, type PolicyVerdict } from './policy/verdict.js';
import {
  opened,
  promisedThroughProxy,
  refuseUnsettled,
  stillThere,
  type Relayed,
} from './relayed.js';
import { intentOfService, reachOf, reachOfItself } from './service/intent.js';
import { askedFromOutside, intentFromOutside } from './service/outside.js';
import { listenerAt, sourcesSeen, type Reach } from './service/reach.js';
import {
  answererAmong,
  askedFor,
  keptAfter,
  keptAmong,
  narrowed,
  notKept,
  servedBy,
  type Affinity,
  type Asked,
} from './service/served.js';

export interface Course {
  readonly hearing: Hearing<Network>;
  /** Nodes whose switches have no flows. */
  readonly dark: ReadonlySet<string>;
  /** Connections that stand, by name. */
  readonly standing: ReadonlyMap<string, Standing>;
  /** Those that stand with a proxy, by name. */
  readonly relayed: ReadonlyMap<string, Relayed>;
  /** The endpoints of Services that clients keep. */
  readonly affinity: Affinity;
}

interface Standing {
  readonly from: Party;
  readonly to: Party;
  readonly port: number;
  /**
   * The nodes on its way whose switches have forgotten it: they take its next packet for the first
   * of a new one.
   */
  readonly forgottenBy: ReadonlySet<string>;
  /** Whether the one that answers is still the one that it was opened to. */
  readonly isWhole: boolean;
  /**
   * Where it was opened to a Service: to which, whom the endpoint sees, and whether it has been one
   * ever since.
   */
  readonly by?: {
    readonly asked: Asked;
    readonly sources: readonly string[];
    readonly isServed: boolean;
  };
}

export function beginning(network: Network): Course {
  return {
    hearing: { cluster: network, behind: new Map() },
    dark: new Set(),
    standing: new Map(),
    relayed: new Map(),
    affinity: new Map(),
  };
}

/**
 * The course once that has happened: who has left takes its connections along; a switch that has
 * started anew has neither flows nor connections, until its agent programs it. Whether clients of a
 * node keep their endpoints when its switch or its agent starts anew, nobody says.
 */
export function happened(course: Course, event: HistoryEvent<Network>): Course {
  const hearing = heardAfter(course.hearing, event);
  const restarted =
    event.kind === 'switch restarts' || event.kind === 'agent restarts' ? event.node : undefined;
  const affinity = keptAmong(course.affinity, (node) =>
    node !== restarted && hearing.cluster.nodes.some(({ name }) => name === node)
      ? heardBy(hearing, node)
      : undefined,
  );
  if (event.kind === 'switch restarts')
    return darkened({ ...course, hearing, affinity }, event.node);
  const there = parties(running(hearing));
  const stays = (party: Party) =>
    there.some(
      (other) =>
        other.name === party.name && other.ip === party.ip && other.node.name === party.node.name,
    );
  const standing = [...course.standing]
    .filter(([, { from }]) => stays(from))
    .map(
      ([name, connection]) =>
        [
          name,
          {
            ...connection,
            isWhole: connection.isWhole && stays(connection.to),
            ...servedStill(hearing, connection),
          },
        ] as const,
    );
  const isLit = (node: string) =>
    (event.kind === 'switch is programmed' || event.kind === 'agent restarts') &&
    event.node === node;
  const dark = [...course.dark].filter(
    (name) => !isLit(name) && hearing.cluster.nodes.some((node) => node.name === name),
  );
  return {
    hearing,
    dark: new Set(dark),
    standing: new Map(standing),
    relayed: stillThere(course.relayed, running(hearing)),
    affinity,
  };
}

function servedStill(
  hearing: Hearing<Network>,
  { from, to, by, port }: Standing,
): Pick<Standing, 'by'> {
  if (by === undefined) return {};
  const isServed =
    by.isServed &&
    servedBy(heardBy(hearing, from.node.name), by.asked).some(
      (backend) => backend.ip === to.ip && backend.port === port,
    );
  return { by: { ...by, isServed } };
}

function darkened(course: Course, node: string): Course {
  const standing = [...course.standing].map(([name, connection]) => {
    const isOnWay = connection.from.node.name === node || connection.to.node.name === node;
    return [
      name,
      isOnWay
        ? { ...connection, forgottenBy: new Set([...connection.forgottenBy, node]) }
        : connection,
    ] as const;
  });
  return { ...course, dark: new Set([...course.dark, node]), standing: new Map(standing) };
}

/**
 * What the stimulus must lead to now. @throws as `intentOf` does, and Unsupported for a connection
 * whose other end is somebody else by now.
 */
export function promised(course: Course, stimulus: Stimulus): Intent {
  const { hearing, dark } = course;
  const there = running(hearing);
  const to =
    stimulus.kind === 'talk'
      ? course.standing.get(stimulus.connection)?.to.name
      : nameOf(there, stimulus);
  const unlit = [stimulus.from, to]
    .flatMap((name) => parties(there).filter((party) => party.name === name))
    .find(({ node }) => dark.has(node.name));
  if (unlit !== undefined)
    return { kind: 'denied', why: `the switch of ${unlit.node.name} has no flows` };
  refuseUnsettled(there, stimulus, dark.size > 0 || hearing.behind.size > 0);
  if (stimulus.kind === 'talk')
    return promisedThroughProxy(course.relayed, stimulus) ?? promisedToTalk(course, stimulus);
  const { objects } = hearing.cluster;
  const asked = objects === undefined ? undefined : askedFor(hearing.cluster, stimulus);
  if (asked !== undefined) return promisedByService(course, stimulus, asked);
  const isExposed =
    objects !== undefined &&
    (hearing.behind.size > 0 || dark.size > 0) &&
    intentFromOutside({ ...hearing.cluster, objects }, stimulus) !== undefined;
  if (isExposed)
    throw new Unsupported(
      'nothing is promised about Services that are asked for from outside while switches have ' +
        'no flows or nodes have not heard of all',
    );
  return hearing.behind.size === 0
    ? intentOf(hearing.cluster, stimulus)
    : intentAmongUnaware(hearing, stimulus);
}

/** @throws Unsupported for connections that stay open to an endpoint that is no pod. */
function promisedByService(course: Course, stimulus: Stimulus, asked: Asked): Intent {
  const { hearing, dark, affinity } = course;
  const there = running(hearing);
  const { objects } = heardBy(hearing, sender(there, stimulus.from).node.name);
  const isCalm = objects === undefined || (hearing.behind.size === 0 && dark.size === 0);
  const intent = isCalm
    ? intentOf(hearing.cluster, stimulus)
    : intentOfService(
        { ...there, objects },
        sender(there, stimulus.from),
        stimulus,
        (cluster, from, { protocol }, { ip, port }) =>
          reachNow(cluster, course, from, { ip, port, protocol }),
      );
  assert(intent !== undefined, "a Service's address was asked for");
  if (
    stimulus.kind === 'open' &&
    intent.kind === 'balanced' &&
    intent.answerers.some(
      ({ to }) => !parties(there).some(({ kind, name }) => kind === 'pod' && name === to),
    )
  )
    throw new Unsupported(
      `nothing is promised about connections to ${asked.ip} that stay open: not all of its ` +
        'endpoints are pods',
    );
  return narrowed(affinity, stimulus.from, asked, intent);
}

/**
 * A pod is reached as it is by its own address; a host on the network between nodes as long as
 * there are flows, by policies alone. @throws Unsupported where nobody listens.
 */
function reachNow(
  { objects, ...there }: Cluster,
  course: Course,
  from: Party,
  endpoint: Asked,
): Reach {
  const to = holder(there, endpoint.ip);
  if (to?.name === from.name)
    return reachOfItself(objects, from, endpoint, {
      to: to.name,
      sources: sourcesSeen(there, from, endpoint.ip),
    });
  const isOutside = there.externalHosts?.some(({ ip }) => ip === endpoint.ip) === true;
  if (to === undefined && !isOutside) return keptBack(endpoint.ip, `nobody holds ${endpoint.ip}`);
  if (to?.kind !== 'pod')
    return to !== undefined && course.dark.has(to.node.name)
      ? keptBack(to.name, `the switch of ${to.node.name} has no flows`)
      : reachOf({ ...there, objects }, from, endpoint, endpoint);
  const direct = promised(course, askingFor(endpoint, from));
  if (direct.kind === 'denied') return keptBack(to.name, direct.why);
  listenerAt({ ...there, objects }, endpoint, endpoint);
  const answerer = { to: to.name, sources: sourcesSeen(there, from, endpoint.ip) };
  if (direct.kind === 'either') return { answerer, policies: 'may keep it back', why: direct.why };
  return {
    answerer: direct.kind === 'delivered' ? { ...answerer, unanswered: direct.why } : answerer,
    policies: 'let it through',
  };
}

function keptBack(to: string, why: string): Reach {
  return { answerer: { to, sources: [] }, policies: 'keep it back', why };
}

function askingFor({ ip, port, protocol }: Asked, { name: from }: Party): Stimulus {
  switch (protocol) {
    case 'TCP':
      return { kind: 'probe', from, to: ip, port };
    case 'UDP':
      return { kind: 'udp', from, to: ip, port };
    case 'SCTP':
      return { kind: 'sctp', from, to: ip, port };
  }
}

/**
 * The course behind a stimulus of which `intent` was promised, and what hosts noted: it tells which
 * endpoint of a Service it was.
 */
export function afterwards(
  course: Course,
  stimulus: Stimulus,
  intent: Intent,
  notes: readonly HostNote[] = [],
): Course {
  const { objects } = course.hearing.cluster;
  const byOther =
    objects === undefined
      ? undefined
      : askedFromOutside({ ...course.hearing.cluster, objects }, stimulus);
  if (byOther !== undefined)
    return { ...course, affinity: notKept(course.affinity, stimulus.from, byOther) };
  const asked =
    intent.kind === 'balanced' && intent.relay === undefined && stimulus.kind !== 'talk'
      ? askedFor(course.hearing.cluster, stimulus)
      : undefined;
  if (asked !== undefined && intent.kind === 'balanced')
    return afterAnswer(course, stimulus, { asked, intent, answerer: answererAmong(notes, asked) });
  if (stimulus.kind !== 'open' && stimulus.kind !== 'talk') return course;
  const relayed = opened(course.relayed, running(course.hearing), stimulus, intent);
  if (relayed !== undefined) return { ...course, relayed };
  const standing = new Map(course.standing);
  const known = standing.get(stimulus.connection);
  const there = running(course.hearing);
  const [from, to] = [
    parties(there).find(({ name }) => name === stimulus.from),
    holder(there, stimulus.to),
  ];
  const isLost =
    intent.kind === 'balanced' &&
    intent.lost !== undefined &&
    !notes.some(({ kind }) => kind === 'received'); // its opener has given it up
  if (isLost) standing.delete(stimulus.connection);
  else if (known?.by !== undefined && intent.kind === 'balanced')
    standing.set(
      stimulus.connection,
      known.by.isServed ? { ...known, forgottenBy: new Set() } : known,
    );
  else if (intent.kind !== 'round-trip') standing.delete(stimulus.connection);
  else if (known !== undefined)
    standing.set(stimulus.connection, { ...known, forgottenBy: new Set() });
  else if (from !== undefined && to !== undefined)
    standing.set(stimulus.connection, {
      from,
      to,
      port: stimulus.port,
      forgottenBy: new Set(),
      isWhole: true,
    });
  return { ...course, standing };
}

interface Answer {
  readonly asked: Asked;
  readonly intent: Extract<Intent, { readonly kind: 'balanced' }>;
  readonly answerer: string | undefined;
}

function afterAnswer(
  course: Course,
  stimulus: Stimulus,
  { asked, intent, answerer }: Answer,
): Course {
  const there = running(course.hearing);
  const [from, to] = [
    sender(there, stimulus.from),
    parties(there).find(({ name }) => name === answerer),
  ];
  const heard = heardBy(course.hearing, from.node.name);
  const affinity = keptAfter(
    course.affinity,
    heard,
    { client: from.name, node: from.node.name },
    asked,
    answerer,
  );
  if (stimulus.kind !== 'open') return { ...course, affinity };
  const port = servedBy(heard, asked).find(({ ip }) => ip === to?.ip)?.port;
  const sources = intent.answerers.find((one) => one.to === answerer)?.sources ?? [];
  const isOpened = to !== undefined && port !== undefined;
  const others = [...course.standing].filter(([name]) => name !== stimulus.connection);
  return {
    ...course,
    affinity,
    standing: new Map([
      ...others,
      ...(isOpened
        ? [
            [
              stimulus.connection,
              {
                from,
                to,
                port,
                forgottenBy: new Set<string>(),
                isWhole: true,
                by: { asked, sources, isServed: true },
              },
            ] as const,
          ]
        : []),
    ]),
  };
}

/**
 * @throws Unsupported for a connection whose other end is somebody else by now, and for one to a
 *   Service that its opener's switch has forgotten: which endpoint it had, nobody knows.
 */
function promisedToTalk(
  { hearing, standing }: Course,
  { connection, to }: Extract<Stimulus, { readonly kind: 'talk' }>,
): Intent {
  const known = standing.get(connection);
  if (known === undefined) return { kind: 'denied', why: `no connection ${connection} stands` };
  if (
    !known.isWhole &&
    holder(running(hearing), known.by === undefined ? to : known.to.ip) !== undefined
  )
    throw new Unsupported(
      `nothing is promised about connection ${connection}, whose other end is somebody else by now`,
    );
  if (!known.isWhole) return { kind: 'denied', why: `${known.to.name} is gone` };
  const [opener, answerer] = [known.from, known.to].map(
    ({ node }) => heardBy(hearing, node.name).objects,
  );
  if (known.by !== undefined && known.forgottenBy.has(known.from.node.name))
    throw new Unsupported(
      `nothing is promised about a connection of ${known.from.name} to ${known.by.asked.ip} ` +
        `that the switch of ${known.from.node.name} has forgotten`,
    );
  const verdict =
    opener === undefined || answerer === undefined
      ? undefined
      : verdictAnew(running(hearing), known, { opener, answerer });
  const stands: Intent =
    known.by === undefined
      ? { kind: 'round-trip', to: known.to.name, source: known.from.ip }
      : promisedToStand(known, known.by);
  return verdict === undefined || verdict.kind === 'allowed'
    ? stands
    : promisedUnder(
        {
          ...verdict,
          why: `the connection was forgotten, and of new ones it holds: ${verdict.why}`,
        },
        stands,
      );
}

/**
 * Nobody else gets what belongs to a connection. What becomes of it once its endpoint is none any
 * more, nobody says (Kubernetes, "Virtual IPs and Service Proxies", is about new ones).
 */
function promisedToStand(
  { to }: Standing,
  { asked, sources, isServed }: NonNullable<Standing['by']>,
): Intent {
  const lost = isServed ? {} : { lost: `${to.name} is no endpoint of it any more` };
  return {
    kind: 'balanced',
    answerers: [{ to: to.name, sources }],
    spread: 'any',
    ...lost,
    why: `its connection to ${asked.ip} is with ${to.name}`,
  };
}

/**
 * Only a switch that has forgotten the connection asks policies again, and only those of its own
 * pods.
 */
function verdictAnew(
  network: Topology,
  { from, to, port, forgottenBy }: Standing,
  heard: { readonly opener: KubeObjects; readonly answerer: KubeObjects },
): PolicyVerdict {
  const { atOpener, atAnswerer } = verdictsOn(network, heard, {
    from,
    to,
    service: { protocol: 'TCP', port },
  });
  return together([
    ...(forgottenBy.has(from.node.name) ? [atOpener] : []),
    ...(forgottenBy.has(to.node.name) ? [atAnswerer] : []),
  ]);
}

function nameOf(network: Network, stimulus: Stimulus): string | undefined {
  if (stimulus.kind === 'frame') return undefined;
  return holder(network, stimulus.kind === 'arp' ? stimulus.target : stimulus.to)?.name;
}
