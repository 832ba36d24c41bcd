/**
 * L0 over time: what is promised depends on what was before, namely on connections that stand, and on switches that have no flows. Where policies
 * change, connections that stand are not asked again (the seed, "EgressRuleTable": "ongoing connections are not affected").
 */
import { Unsupported } from '../base/errors.js';
import type { Network } from '../kube/objects.js';
import type { Intent } from '../nouns/intent.js';
import type { Stimulus } from '../nouns/vector.js';
import { intentOf } from './intent.js';
import { holder, parties, type Party } from './parties.js';
import { verdictsOn } from './policy/intent.js';

export interface Course {
  readonly network: Network;
  /** Nodes whose switches have no flows. */
  readonly dark: ReadonlySet<string>;
  /** Connections that stand, by name. */
  readonly standing: ReadonlyMap<string, Standing>;
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
  return { network, dark: new Set(), standing: new Map() };
}

/** The cluster is now another: who has left takes its connections along. */
export function changedTo(course: Course, network: Network): Course {
  const there = (party: Party) => parties(network).some((other) => other.name === party.name && other.ip === party.ip && other.node.name === party.node.name);
  const kept = [...course.standing].filter(([, { from }]) => there(from)).map(([name, connection]) => [name, { ...connection, isWhole: connection.isWhole && there(connection.to) }] as const);
  const dark = [...course.dark].filter((name) => network.nodes.some((node) => node.name === name));
  return { network, dark: new Set(dark), standing: new Map(kept) };
}

/** The node's switch has started anew, and has neither flows nor connections. */
export function darkened(course: Course, node: string): Course {
  const standing = [...course.standing].map(([name, connection]) => {
    const isOnWay = connection.from.node.name === node || connection.to.node.name === node;
    return [name, isOnWay ? { ...connection, forgottenBy: new Set([...connection.forgottenBy, node]) } : connection] as const;
  });
  return { ...course, dark: new Set([...course.dark, node]), standing: new Map(standing) };
}

/** It has its flows again. */
export function lit(course: Course, node: string): Course {
  return { ...course, dark: new Set([...course.dark].filter((other) => other !== node)) };
}

/** What the stimulus must lead to now. @throws as `intentOf` does, and Unsupported for a connection whose other end is somebody else by now. */
export function promised(course: Course, stimulus: Stimulus): Intent {
  const unlit = [stimulus.from, nameOf(course, stimulus)].flatMap((name) => parties(course.network).filter((party) => party.name === name)).find(({ node }) => course.dark.has(node.name));
  if (unlit !== undefined) return { kind: 'denied', why: `the switch of ${unlit.node.name} has no flows` };
  return stimulus.kind === 'talk' ? promisedToTalk(course, stimulus) : intentOf(course.network, stimulus);
}

/** The course behind a stimulus of which `intent` was promised. */
export function afterwards(course: Course, stimulus: Stimulus, intent: Intent): Course {
  if (stimulus.kind !== 'open' && stimulus.kind !== 'talk') return course;
  const standing = new Map(course.standing);
  const known = standing.get(stimulus.connection);
  const [from, to] = [parties(course.network).find(({ name }) => name === stimulus.from), holder(course.network, stimulus.to)];
  if (intent.kind !== 'round-trip') standing.delete(stimulus.connection);
  else if (known !== undefined) standing.set(stimulus.connection, { ...known, forgottenBy: new Set() });
  else if (from !== undefined && to !== undefined) standing.set(stimulus.connection, { from, to, port: stimulus.port, forgottenBy: new Set(), isWhole: true });
  return { ...course, standing };
}

function promisedToTalk({ network, standing }: Course, { connection, to }: Extract<Stimulus, { readonly kind: 'talk' }>): Intent {
  const known = standing.get(connection);
  if (known === undefined) return { kind: 'denied', why: `no connection ${connection} stands` };
  if (!known.isWhole && holder(network, to) !== undefined) throw new Unsupported(`nothing is promised about connection ${connection}, whose other end is somebody else by now`);
  if (!known.isWhole) return { kind: 'denied', why: `${known.to.name} is gone` };
  const refusal = network.objects === undefined ? undefined : refusalOf(known, verdictsOn(network.objects, known.from, known.to, known.port));
  return refusal === undefined ? { kind: 'round-trip', to: known.to.name, source: known.from.ip } : { kind: 'denied', why: refusal };
}

/** Only a switch that has forgotten the connection asks policies again, and only those of its own pods. */
function refusalOf({ from, to, forgottenBy }: Standing, { atOpener, atAnswerer }: ReturnType<typeof verdictsOn>): string | undefined {
  const asked = [...(forgottenBy.has(from.node.name) ? [atOpener] : []), ...(forgottenBy.has(to.node.name) ? [atAnswerer] : [])];
  const denied = asked.find((verdict) => verdict.kind === 'denied');
  return denied?.kind === 'denied' ? `the connection was forgotten, and of new ones it holds: ${denied.why}` : undefined;
}

function nameOf({ network }: Course, stimulus: Stimulus): string | undefined {
  if (stimulus.kind === 'frame') return undefined;
  return holder(network, stimulus.kind === 'arp' ? stimulus.target : stimulus.to)?.name;
}
