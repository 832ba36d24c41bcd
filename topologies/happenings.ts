/** What happens to a cluster, one thing after the other, as a history: what cannot be where it stands is left out, so that of a list of happenings every part is one. */
import { assertNever } from '../harness/base/errors.js';
import type { Cluster } from '../harness/kube/objects.js';
import type { History, HistoryStep } from '../harness/nouns/history.js';
import { podsOf } from '../harness/nouns/topology.js';
import type { Stimulus } from '../harness/nouns/vector.js';
import { apply, has, nameOf, remove, type ChangingCluster, type Manifest } from './changing-cluster.js';

export type Happening =
  | { readonly kind: 'apply'; readonly manifest: Manifest }
  | { readonly kind: 'delete'; readonly object: Pick<Manifest, 'kind' | 'metadata'> }
  /** Until its agent has programmed it anew, or has swept behind itself, this happens. */
  | { readonly kind: 'switch restarts' | 'agent restarts'; readonly node: string; readonly meanwhile: readonly Sending[] }
  | Sending;

/** `id` is unique in a list. Hosts by name: one that has left is sent to all the same. */
export type Sending =
  | { readonly kind: 'send'; readonly id: string; readonly from: string; readonly to: string; readonly service: { readonly protocol: 'TCP' | 'UDP'; readonly port: number } | { readonly protocol: 'ICMP' } }
  | { readonly kind: 'open'; readonly id: string; readonly from: string; readonly to: string; readonly port: number }
  /** By the connection that was opened under this id. */
  | { readonly kind: 'talk'; readonly id: string; readonly connection: string };

export function historyOf(first: ChangingCluster, happenings: readonly Happening[]): History<Cluster> {
  const telling: Telling = { now: first, addresses: new Map(), connections: new Map() };
  noteAddresses(telling);
  return { cluster: first.cluster, steps: happenings.flatMap((happening) => stepsOf(telling, happening)) };
}

interface Telling {
  now: ChangingCluster;
  /** Those that hosts have, or had last. */
  readonly addresses: Map<string, string>;
  readonly connections: Map<string, Extract<Sending, { readonly kind: 'open' }>>;
}

function stepsOf(telling: Telling, happening: Happening): readonly HistoryStep<Cluster>[] {
  switch (happening.kind) {
    case 'apply': {
      const { manifest } = happening;
      const what = has(telling.now, manifest) ? `${nameOf(manifest)} changes` : `${nameOf(manifest)} comes`;
      return changed(telling, what, apply(telling.now, [manifest]));
    }
    case 'delete': {
      const isLastNode = happening.object.kind === 'Node' && telling.now.cluster.nodes.length === 1;
      return isLastNode || !has(telling.now, happening.object) ? [] : changed(telling, `${nameOf(happening.object)} goes`, remove(telling.now, happening.object));
    }
    case 'switch restarts':
    case 'agent restarts': {
      const { kind, node } = happening;
      if (!telling.now.cluster.nodes.some(({ name }) => name === node)) return [];
      const meanwhile = happening.meanwhile.flatMap((sending) => stepsOf(telling, sending));
      return [{ kind, node }, ...meanwhile, { kind: kind === 'switch restarts' ? 'switch is programmed' : 'agent sweeps', node }];
    }
    case 'send':
    case 'open':
    case 'talk':
      return sent(telling, happening);
    default:
      return assertNever(happening);
  }
}

function changed(telling: Telling, what: string, now: ChangingCluster): readonly HistoryStep<Cluster>[] {
  const isSame = JSON.stringify(now.manifests) === JSON.stringify(telling.now.manifests);
  telling.now = now;
  noteAddresses(telling);
  return isSame ? [] : [{ kind: 'cluster', what, cluster: now.cluster }];
}

function noteAddresses({ now: { cluster }, addresses }: Telling): void {
  for (const { pod } of podsOf(cluster)) addresses.set(pod.name, pod.ip);
  for (const { name, gateway } of cluster.nodes) addresses.set(name, gateway.ip);
}

function sent(telling: Telling, sending: Sending): readonly HistoryStep<Cluster>[] {
  const { connections, addresses } = telling;
  const opening = sending.kind === 'talk' ? connections.get(sending.connection) : sending;
  if (opening === undefined || !isThere(telling, opening.from)) return [];
  const to = addresses.get(opening.to);
  if (to === addresses.get(opening.from)) return [];
  const isTaken = !isThere(telling, opening.to) && [...addresses].some(([name, ip]) => ip === to && isThere(telling, name));
  // Of who has somebody else's address nothing is promised to those who mean the other.
  if (to === undefined || (isTaken && sending.kind === 'talk')) return [];
  if (sending.kind === 'open') connections.set(sending.id, sending);
  return [{ kind: 'vector', vector: { id: sending.id, stimulus: stimulusOf(sending, opening, to) } }];
}

function stimulusOf(sending: Sending, { from }: { readonly from: string }, to: string): Stimulus {
  switch (sending.kind) {
    case 'open':
      return { kind: 'open', from, to, port: sending.port, connection: sending.id };
    case 'talk':
      return { kind: 'talk', from, to, port: 0, connection: sending.connection };
    case 'send':
      return sending.service.protocol === 'TCP' ? { kind: 'probe', from, to, port: sending.service.port, transmissions: 1 }
        : sending.service.protocol === 'UDP' ? { kind: 'udp', from, to, port: sending.service.port } : { kind: 'ping', from, to };
  }
}

function isThere({ now: { cluster } }: Telling, name: string): boolean {
  return podsOf(cluster).some(({ pod }) => pod.name === name) || cluster.nodes.some((node) => node.name === name);
}
