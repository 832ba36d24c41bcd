/** What only the switch can tell, because OpenFlow or a seed of its own leaves it open. */
import { assert, Unsupported } from '../base/errors.js';
import type { TrackedConnection } from '../nouns/state.js';
import type { FlowCount, FlowId } from '../nouns/switching.js';
import type { Rule } from './classifier.js';
import { parseTuple, printProtocol, printTuple, reversed, type Tuple } from './conntrack/tuple.js';
import type { ModelNode } from './node.js';

export type Question =
  /** Which of several flows of equal priority a packet takes; `candidates` with the packets that the model has counted for each so far. */
  | { readonly kind: 'flow'; readonly candidates: readonly FlowCount[] }
  /** What a new connection is translated to. */
  | { readonly kind: 'translation'; readonly original: Tuple };

export class Undecided extends Unsupported {
  constructor(
    message: string,
    readonly node: ModelNode,
    readonly question: Question,
  ) {
    super(message);
  }
}

/** What was seen of one node's switches, in the order in which it was asked for. */
export interface Decisions {
  readonly ties: { readonly candidates: readonly FlowId[]; readonly winner: FlowId }[];
  /** The directions of answers; undefined where the switch remembers no such connection. */
  readonly translations: (Tuple | undefined)[];
  /** How many of them were asked for since the node was reset. */
  translationsAsked: number;
  /** Whether the first is taken where all of them do the same; which of them it was is left open then. */
  ofAlike: 'asked' | 'first';
  /** Rules that were left open, each with others of which one took the packet. */
  readonly leftOpen: Map<Rule, Set<Rule>>;
}

export function noDecisions(): Decisions {
  return { ties: [], translations: [], translationsAsked: 0, ofAlike: 'asked', leftOpen: new Map() };
}

/** Tells what switches did. */
export interface Witness {
  /** The index of the candidate that the switch took. */
  readonly taken: (candidates: readonly FlowCount[]) => Promise<number>;
  readonly connections: () => Promise<readonly TrackedConnection[]>;
  /** Of flows that do the same the first is taken, and nobody asked. */
  readonly ofAlike?: 'first';
}

/** Stands in for switches: the first of what is open. */
export const firstOfAll: Witness = { taken: () => Promise.resolve(0), connections: () => Promise.resolve([]) };

/** Tells nothing, where many packets go through switches at once: what they counted cannot be told apart. */
export const onlyAlike: Witness = {
  ofAlike: 'first',
  taken: () => Promise.reject(new Unsupported('of flows of equal priority that do not do the same, nobody tells which one packets took that were sent together')),
  connections: () => Promise.reject(new Unsupported('what connections are translated to nobody tells where packets are sent together')),
};

/** Asks, and notes the answer for the node: it holds from then on. */
export async function decide({ node, question }: Undecided, witness: Witness): Promise<void> {
  switch (question.kind) {
    case 'flow': {
      const winner = question.candidates[await witness.taken(question.candidates)]?.flow;
      assert(winner !== undefined, 'one of the candidates wins');
      node.decisions.ties.push({ candidates: question.candidates.map(({ flow }) => flow), winner });
      return;
    }
    case 'translation': {
      const { original } = question;
      const asked = { node: node.name, zone: original.zone, protocol: printProtocol(original), original: printTuple(original) };
      const found = (await witness.connections()).find((seen) => seen.node === asked.node && seen.zone === asked.zone && seen.protocol === asked.protocol && seen.original === asked.original);
      node.decisions.translations.push(found === undefined ? undefined : parseTuple(found.reply, reversed(original)));
    }
  }
}
