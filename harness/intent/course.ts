/**
 * L0 over time: what is promised depends on what was before, namely on connections that stand, on switches that have no flows, and on what each node has
 * heard of. Where policies change, connections that stand are not asked again (the seed, "EgressRuleTable": "ongoing connections are not affected").
 */
import { Unsupported } from '../base/errors.js';
import type { KubeObjects, Network } from '../kube/objects.js';
import { heardAfter, heardBy, running, type Hearing, type HistoryEvent } from '../nouns/history.js';
import type { Intent } from '../nouns/intent.js';
import type { Stimulus } from '../nouns/vector.js';
import { intentAmongUnaware } from './hearing.js';
import { intentOf } from './intent.js';
import { holder, parties, type Party } from './parties.js';
import { verdictsOn } from './policy/intent.js';
import { opened, promisedThroughProxy, refuseUnsettled, stillThere, type Relayed } from './relayed.js';

export interface Course {
  readonly hearing: Hearing<Network>;
  /** Nodes whose switches have no flows. */
  readonly dark: ReadonlySet<string>;
  /** Connections that stand, by name. */
  readonly standing: ReadonlyMap<string, Standing>;
  /** Those that stand with a proxy, by name. */
  readonly relayed: ReadonlyMap<string, Relayed>;
}

interface Standing {
  readonly from: Party;
  readonly to: Party;
  readonly port: number;
  /** The nodes on its way whose switches have forgotten it: they take its next packet for the first of a new one. */
  readonly forgottenBy: ReadonlySet<string>;
  /** Whether the one that answers is still the one that it was opened to. */
  readonly isWhole: boolean;
}

export function beginning(network: Network): Course {
  return { hearing: { cluster: network, behind: new Map() }, dark: new Set(), standing: new Map(), relayed: new Map() };
}

/** The course once that has happened: who has left takes its connections along; a switch that has started anew has neither flows nor connections, until its agent programs it. */
export function happened(course: Course, event: HistoryEvent<Network>): Course {
  const hearing = heardAfter(course.hearing, event);
  if (event.kind === 'switch restarts') return darkened({ ...course, hearing }, event.node);
  const there = parties(running(hearing));
  const stays = (party: Party) => there.some((other) => other.name === party.name && other.ip === party.ip && other.node.name === party.node.name);
  const standing = [...course.standing].filter(([, { from }]) => stays(from)).map(([name, connection]) => [name, { ...connection, isWhole: connection.isWhole && stays(connection.to) }] as const);
  const isLit = (node: string) => (event.kind === 'switch is programmed' || event.kind === 'agent restarts') && event.node === node;
  const dark = [...course.dark].filter((name) => !isLit(name) && hearing.cluster.nodes.some((node) => node.name === name));
  return { hearing, dark: new Set(dark), standing: new Map(standing), relayed: stillThere(course.relayed, running(hearing)) };
}

function darkened(course: Course, node: string): Course {
  const standing = [...course.standing].map(([name, connection]) => {
    const isOnWay = connection.from.node.name === node || connection.to.node.name === node;
    return [name, isOnWay ? { ...connection, forgottenBy: new Set([...connection.forgottenBy, node]) } : connection] as const;
  });
  return { ...course, dark: new Set([...course.dark, node]), standing: new Map(standing) };
}

/** What the stimulus must lead to now. @throws as `intentOf` does, and Unsupported for a connection whose other end is somebody else by now. */
export function promised(course: Course, stimulus: Stimulus): Intent {
  const { hearing, dark } = course;
  const there = running(hearing);
  const unlit = [stimulus.from, nameOf(there, stimulus)].flatMap((name) => parties(there).filter((party) => party.name === name)).find(({ node }) => dark.has(node.name));
  if (unlit !== undefined) return { kind: 'denied', why: `the switch of ${unlit.node.name} has no flows` };
  refuseUnsettled(there, stimulus, dark.size > 0 || hearing.behind.size > 0);
  if (stimulus.kind === 'talk') return promisedThroughProxy(course.relayed, stimulus) ?? promisedToTalk(course, stimulus);
  return hearing.behind.size === 0 ? intentOf(hearing.cluster, stimulus) : intentAmongUnaware(hearing, stimulus);
}

/** The course behind a stimulus of which `intent` was promised. */
export function afterwards(course: Course, stimulus: Stimulus, intent: Intent): Course {
  if (stimulus.kind !== 'open' && stimulus.kind !== 'talk') return course;
  const relayed = opened(course.relayed, running(course.hearing), stimulus, intent);
  if (relayed !== undefined) return { ...course, relayed };
  const standing = new Map(course.standing);
  const known = standing.get(stimulus.connection);
  const there = running(course.hearing);
  const [from, to] = [parties(there).find(({ name }) => name === stimulus.from), holder(there, stimulus.to)];
  if (intent.kind !== 'round-trip') standing.delete(stimulus.connection);
  else if (known !== undefined) standing.set(stimulus.connection, { ...known, forgottenBy: new Set() });
  else if (from !== undefined && to !== undefined) standing.set(stimulus.connection, { from, to, port: stimulus.port, forgottenBy: new Set(), isWhole: true });
  return { ...course, standing };
}

function promisedToTalk({ hearing, standing }: Course, { connection, to }: Extract<Stimulus, { readonly kind: 'talk' }>): Intent {
  const known = standing.get(connection);
  if (known === undefined) return { kind: 'denied', why: `no connection ${connection} stands` };
  if (!known.isWhole && holder(running(hearing), to) !== undefined) throw new Unsupported(`nothing is promised about connection ${connection}, whose other end is somebody else by now`);
  if (!known.isWhole) return { kind: 'denied', why: `${known.to.name} is gone` };
  const [opener, answerer] = [known.from, known.to].map(({ node }) => heardBy(hearing, node.name).objects);
  const refusal = opener === undefined || answerer === undefined ? undefined : refusalOf(known, { opener, answerer });
  return refusal === undefined ? { kind: 'round-trip', to: known.to.name, source: known.from.ip } : { kind: 'denied', why: refusal };
}

/** Only a switch that has forgotten the connection asks policies again, and only those of its own pods. */
function refusalOf({ from, to, port, forgottenBy }: Standing, heard: { readonly opener: KubeObjects; readonly answerer: KubeObjects }): string | undefined {
  const { atOpener, atAnswerer } = verdictsOn(heard, from, to, { protocol: 'TCP', port });
  const asked = [...(forgottenBy.has(from.node.name) ? [atOpener] : []), ...(forgottenBy.has(to.node.name) ? [atAnswerer] : [])];
  const denied = asked.find((verdict) => verdict.kind === 'denied');
  return denied?.kind === 'denied' ? `the connection was forgotten, and of new ones it holds: ${denied.why}` : undefined;
}

function nameOf(network: Network, stimulus: Stimulus): string | undefined {
  if (stimulus.kind === 'frame') return undefined;
  return holder(network, stimulus.kind === 'arp' ? stimulus.target : stimulus.to)?.name;
}
