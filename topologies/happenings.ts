/**
 * What happens to a cluster, one thing after the other, as a history: what cannot be where it
 * stands is left out, so that of a list of happenings every part is one.
 */
import { assertNever } from '../harness/base/errors.js';
import type { Cluster } from '../harness/kube/objects.js';
import {
  heardAfter,
  running,
  type Hearing,
  type History,
  type HistoryEvent,
  type HistoryStep,
} from '../harness/nouns/history.js';
import { podsOf } from '../harness/nouns/topology.js';
import type { Stimulus } from '../harness/nouns/vector.js';
import {
  apply,
  has,
  nameOf,
  remove,
  type ChangingCluster,
  type Manifest,
} from './changing-cluster.js';

export type Happening =
  | { readonly kind: 'apply'; readonly manifest: Manifest }
  | { readonly kind: 'delete'; readonly object: Pick<Manifest, 'kind' | 'metadata'> }
  /** Until its agent has programmed it anew, or has swept behind itself, this happens. */
  | {
      readonly kind: 'switch restarts' | 'agent restarts';
      readonly node: string;
      readonly meanwhile: readonly Sending[];
    }
  /**
   * The node's agent is gone while this happens; then it restarts and sweeps, and nothing is sent
   * in between: until then rules that it missed the end of stand beside new ones.
   */
  | {
      readonly kind: 'agent is gone';
      readonly node: string;
      readonly meanwhile: readonly Happening[];
    }
  /**
   * These agents hear of the change one after the other, each when what stands before it has been
   * sent.
   */
  | {
      readonly kind: 'not all hear';
      readonly change: Change;
      readonly late: readonly { readonly node: string; readonly before: readonly Sending[] }[];
    }
  | Sending;

export type Change = Extract<Happening, { readonly kind: 'apply' | 'delete' }>;

/**
 * `id` is unique in a list. Hosts by name, nodes on the network between nodes as `Node n1`, and
 * Services as `Service web`: what has left is sent to all the same.
 */
export type Sending =
  | {
      readonly kind: 'send';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly service:
        | { readonly protocol: 'TCP' | 'UDP'; readonly port: number; readonly calls?: number }
        | { readonly protocol: 'ICMP' };
    }
  | {
      readonly kind: 'open';
      readonly id: string;
      readonly from: string;
      readonly to: string;
      readonly port: number;
    }
  /** By the connection that was opened under this id. */
  | { readonly kind: 'talk'; readonly id: string; readonly connection: string };

export function historyOf(
  first: ChangingCluster,
  happenings: readonly Happening[],
): History<Cluster> {
  const telling: Telling = {
    now: first,
    hearing: { cluster: first.cluster, behind: new Map() },
    gone: new Set(),
    dark: new Set(),
    addresses: new Map(),
    connections: new Map(),
    forgotten: new Set(),
  };
  noteAddresses(telling);
  return {
    cluster: first.cluster,
    steps: happenings.flatMap((happening) => stepsOf(telling, happening)),
  };
}

interface Telling {
  now: ChangingCluster;
  hearing: Hearing<Cluster>;
  /** Nodes whose agents are gone. */
  readonly gone: Set<string>;
  /** Nodes whose switches have no flows. */
  readonly dark: Set<string>;
  /** Those that hosts have, or had last. */
  readonly addresses: Map<string, string>;
  readonly connections: Map<string, Extract<Sending, { readonly kind: 'open' }>>;
  /**
   * Connections to Services whose opener's switch has started anew since: nothing is promised about
   * them.
   */
  readonly forgotten: Set<string>;
}

const betweenCallsMs = 10;

function stepsOf(telling: Telling, happening: Happening): readonly HistoryStep<Cluster>[] {
  switch (happening.kind) {
    case 'apply':
    case 'delete':
      return changed(telling, happening, []);
    case 'switch restarts':
      return isNode(telling, happening.node) ? switchRestarts(telling, happening) : [];
    case 'agent restarts':
      return isNode(telling, happening.node)
        ? agentRestarts(telling, happening.node, happening.meanwhile)
        : [];
    case 'agent is gone':
      return isNode(telling, happening.node) ? agentIsGone(telling, happening) : [];
    case 'not all hear': {
      const late = happening.late.filter(
        ({ node }) => isNode(telling, node) && !telling.hearing.behind.has(node),
      );
      const change = changed(
        telling,
        happening.change,
        late.map(({ node }) => node),
      );
      return change.length === 0
        ? []
        : [
            ...change,
            ...late.flatMap(({ node, before }) => [
              ...allOf(telling, before),
              ...(telling.hearing.behind.has(node)
                ? [happens(telling, { kind: 'agent hears', node })]
                : []),
            ]),
          ];
    }
    case 'send':
    case 'open':
    case 'talk':
      return sent(telling, happening);
    default:
      return assertNever(happening);
  }
}

function allOf(
  telling: Telling,
  happenings: readonly Happening[],
): readonly HistoryStep<Cluster>[] {
  return happenings.flatMap((happening) => stepsOf(telling, happening));
}

/** Nobody programs a switch whose agent is gone. */
function switchRestarts(
  telling: Telling,
  { node, meanwhile }: Extract<Happening, { readonly kind: 'switch restarts' | 'agent restarts' }>,
): readonly HistoryStep<Cluster>[] {
  const restart = happens(telling, { kind: 'switch restarts', node });
  for (const { id, from, to } of telling.connections.values())
    if (to.startsWith('Service ') && nodeHolding(telling, from) === node) telling.forgotten.add(id);
  return [
    restart,
    ...allOf(telling, meanwhile),
    ...(telling.gone.has(node) ? [] : [happens(telling, { kind: 'switch is programmed', node })]),
  ];
}

function agentRestarts(
  telling: Telling,
  node: string,
  meanwhile: readonly Sending[],
): readonly HistoryStep<Cluster>[] {
  const restart = happens(telling, { kind: 'agent restarts', node });
  return [restart, ...allOf(telling, meanwhile), happens(telling, { kind: 'agent sweeps', node })];
}

/** One whose node leaves meanwhile does not come back. */
function agentIsGone(
  telling: Telling,
  { node, meanwhile }: Extract<Happening, { readonly kind: 'agent is gone' }>,
): readonly HistoryStep<Cluster>[] {
  if (telling.gone.has(node)) return [];
  telling.gone.add(node);
  const steps = [happens(telling, { kind: 'agent stops', node }), ...allOf(telling, meanwhile)];
  return telling.gone.delete(node) ? [...steps, ...agentRestarts(telling, node, [])] : steps;
}

function changed(
  telling: Telling,
  change: Change,
  unheardBy: readonly string[],
): readonly HistoryStep<Cluster>[] {
  const before = telling.now;
  const isNew = change.kind === 'apply' && !has(before, change.manifest);
  const isLastNode =
    change.kind === 'delete' && change.object.kind === 'Node' && before.cluster.nodes.length === 1;
  if (isLastNode || (change.kind === 'delete' && !has(before, change.object))) return [];
  const now =
    change.kind === 'apply' ? apply(before, [change.manifest]) : remove(before, change.object);
  if (JSON.stringify(now.manifests) === JSON.stringify(before.manifests)) return [];
  const what =
    change.kind === 'apply'
      ? `${nameOf(change.manifest)} ${isNew ? 'comes' : 'changes'}`
      : `${nameOf(change.object)} goes`;
  telling.now = now;
  const step = happens(telling, {
    kind: 'cluster',
    what,
    cluster: now.cluster,
    ...(unheardBy.length === 0 ? {} : { unheardBy }),
  });
  for (const nodes of [telling.gone, telling.dark])
    for (const node of nodes) if (!isNode(telling, node)) nodes.delete(node);
  noteAddresses(telling);
  return [step];
}

function happens(telling: Telling, event: HistoryEvent<Cluster>): HistoryStep<Cluster> {
  telling.hearing = heardAfter(telling.hearing, event);
  if (event.kind === 'switch restarts') telling.dark.add(event.node);
  if (event.kind === 'switch is programmed' || event.kind === 'agent restarts')
    telling.dark.delete(event.node);
  return event;
}

function nodeHolding({ hearing }: Telling, host: string): string | undefined {
  const cluster = running(hearing);
  return (
    podsOf(cluster).find(({ pod }) => pod.name === host)?.node.name ??
    cluster.nodes.find(({ name }) => name === host)?.name
  );
}

function isNode({ now: { cluster } }: Telling, name: string): boolean {
  return cluster.nodes.some((node) => node.name === name);
}

function noteAddresses({ now: { cluster }, addresses }: Telling): void {
  for (const { pod } of podsOf(cluster)) addresses.set(pod.name, pod.ip);
  for (const { name, gateway, underlay } of cluster.nodes)
    addresses.set(name, gateway.ip).set(`Node ${name}`, underlay.ip);
  for (const { name, ip } of cluster.externalHosts ?? []) addresses.set(name, ip);
  for (const {
    metadata: { name, namespace },
    spec,
  } of cluster.objects.services)
    if (spec.clusterIP !== undefined)
      addresses.set(
        `Service ${namespace === 'default' ? '' : `${namespace}/`}${name}`,
        spec.clusterIP,
      );
}

function sent(telling: Telling, sending: Sending): readonly HistoryStep<Cluster>[] {
  const { connections, addresses } = telling;
  const opening = sending.kind === 'talk' ? connections.get(sending.connection) : sending;
  if (opening === undefined || !isThere(telling, opening.from)) return [];
  // What is promised then of ports of nodes and of who is outside hangs on more than whom nodes
  // have heard of.
  if (isOutward(telling, opening) && (telling.hearing.behind.size > 0 || telling.dark.size > 0))
    return [];
  const to = addresses.get(opening.to);
  if (to === addresses.get(opening.from)) return [];
  const isTaken =
    !isThere(telling, opening.to) &&
    [...addresses].some(([name, ip]) => ip === to && isThere(telling, name));
  // Of who has somebody else's address nothing is promised to those who mean the other.
  if (to === undefined || (isTaken && sending.kind === 'talk')) return [];
  if (sending.kind === 'talk' && telling.forgotten.has(sending.connection)) return [];
  if (sending.kind === 'open') connections.set(sending.id, sending);
  return [
    { kind: 'vector', vector: { id: sending.id, stimulus: stimulusOf(sending, opening, to) } },
  ];
}

function stimulusOf(sending: Sending, { from }: { readonly from: string }, to: string): Stimulus {
  switch (sending.kind) {
    case 'open':
      return { kind: 'open', from, to, port: sending.port, connection: sending.id };
    case 'talk':
      return { kind: 'talk', from, to, port: 0, connection: sending.connection };
    case 'send':
      if (sending.service.protocol !== 'ICMP' && sending.service.calls !== undefined)
        return {
          kind: 'calls',
          from,
          to,
          protocol: sending.service.protocol,
          port: sending.service.port,
          count: sending.service.calls,
          everyMs: betweenCallsMs,
        };
      return sending.service.protocol === 'TCP'
        ? { kind: 'probe', from, to, port: sending.service.port, transmissions: 1 }
        : sending.service.protocol === 'UDP'
          ? { kind: 'udp', from, to, port: sending.service.port }
          : { kind: 'ping', from, to };
  }
}

/** Whether it runs: its node has heard of it. */
function isThere({ hearing }: Telling, name: string): boolean {
  const cluster = running(hearing);
  return [
    ...podsOf(cluster).map(({ pod }) => pod),
    ...cluster.nodes,
    ...(cluster.externalHosts ?? []),
  ].some((host) => host.name === name);
}

function isOutward(
  { now: { cluster } }: Telling,
  { from, to }: { readonly from: string; readonly to: string },
): boolean {
  return (
    to.startsWith('Node ') ||
    (cluster.externalHosts ?? []).some(({ name }) => name === from || name === to)
  );
}
