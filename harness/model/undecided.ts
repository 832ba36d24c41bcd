/** What only the switch can tell, because OpenFlow or a seed of its own leaves it open. */
import { assert, Unsupported } from '../base/errors.js';
import type { TrackedConnection } from '../nouns/state.js';
import { formatFlowId, type FlowCount, type FlowId } from '../nouns/switching.js';
import type { Rule } from './classifier.js';
import { parseTuple, printProtocol, printTuple, reversed, type Tuple } from './conntrack/tuple.js';
import type { ModelNode } from './node.js';

export type Question =
  /**
   * Which of several flows of equal priority a packet takes; `candidates` with the packets that the
   * model has counted for each so far, `parts` as in a tie.
   */
  | { readonly kind: 'flow'; readonly candidates: readonly FlowCount[]; readonly parts: string }
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

/**
 * The flow that packets are taken to go on in wherever just these match, and where they are
 * conjunctions, by just these parts: Open vSwitch takes the one that it finds complete first, which
 * hangs on the parts (lib/classifier.c, find_conjunctive_match).
 */
export interface Tie {
  readonly candidates: readonly FlowId[];
  /** As `partsKey` has them. */
  readonly parts: string;
  /** It holds until flows of the node come, go or change: as `Decisions` counts them. */
  readonly flowChanges: number;
  winner: FlowId;
}

/** What was seen of one node's switches, in the order in which it was asked for. */
export interface Decisions {
  readonly ties: Tie[];
  /** The directions of answers; undefined where the switch remembers no such connection. */
  readonly translations: (Tuple | undefined)[];
  /** How many of them were asked for since the node was reset. */
  translationsAsked: number;
  /** How often its flows were changed since the node was reset. */
  flowChanges: number;
  /**
   * Whether the first is taken where all of them do the same; which of them it was is left open
   * then.
   */
  ofAlike: 'asked' | 'first';
  /** Rules that were left open, each with others of which one took the packet. */
  readonly leftOpen: Map<Rule, Set<Rule>>;
}

export function noDecisions(): Decisions {
  return {
    ties: [],
    translations: [],
    translationsAsked: 0,
    flowChanges: 0,
    ofAlike: 'asked',
    leftOpen: new Map(),
  };
}

/** Tells what switches did. */
export interface Witness {
  /** The packets that the switch has counted for each of the candidates by now. */
  readonly counted: (candidates: readonly FlowCount[]) => Promise<readonly number[]>;
  readonly connections: () => Promise<readonly TrackedConnection[]>;
  /** Of flows that do the same the first is taken, and nobody asked. */
  readonly ofAlike?: 'first';
}

/** Stands in for switches: the first of what is open. */
export const firstOfAll: Witness = {
  counted: () => Promise.resolve([]),
  connections: () => Promise.resolve([]),
};

/**
 * A tie in which several have counted, since packets come to them in other ways as well: who won
 * shows in what the model has counted in the end.
 */
export interface Doubt {
  readonly node: ModelNode;
  readonly tie: Tie;
  /** What the switch counted for the candidates. */
  readonly counted: readonly number[];
  /**
   * Who else may have won, and at last again who is taken to have won where nobody bears it out.
   */
  readonly others: FlowId[];
  /** How much had been decided when it was. */
  readonly decided: { readonly ties: number; readonly translations: number };
}

/**
 * Asks, and notes the answer for the node: it holds from then on. Of flows of equal priority the
 * one is taken that the switch has counted more for than the model has so far. Where it has for
 * none, the first: then model and switch part in any case.
 * @returns a doubt where it has for several.
 */
export async function decide(
  { node, question }: Undecided,
  witness: Witness,
): Promise<Doubt | undefined> {
  switch (question.kind) {
    case 'flow': {
      const { candidates, parts } = question;
      const counted = candidates.map(() => 0);
      for (const [index, packets] of (await witness.counted(candidates)).entries())
        counted[index] = packets;
      const [winner = candidates[0]?.flow, ...others] = candidates
        .filter(({ packets }, index) => (counted[index] ?? 0) > packets)
        .map(({ flow }) => flow);
      assert(winner !== undefined, 'flows tie');
      const { flowChanges } = node.decisions;
      const tie = { candidates: candidates.map(({ flow }) => flow), parts, flowChanges, winner };
      node.decisions.ties.push(tie);
      return others.length === 0
        ? undefined
        : {
            node,
            tie,
            counted,
            others: [...others, winner],
            decided: {
              ties: node.decisions.ties.length,
              translations: node.decisions.translations.length,
            },
          };
    }
    case 'translation': {
      const { original } = question;
      const asked = {
        node: node.name,
        zone: original.zone,
        protocol: printProtocol(original),
        original: printTuple(original),
      };
      const found = (await witness.connections()).find(
        (seen) =>
          seen.node === asked.node &&
          seen.zone === asked.zone &&
          seen.protocol === asked.protocol &&
          seen.original === asked.original,
      );
      node.decisions.translations.push(
        found === undefined ? undefined : parseTuple(found.reply, reversed(original)),
      );
      return undefined;
    }
  }
}

/**
 * Takes the latest doubt that `counts`, what the model counts for flows by now, does not bear out
 * for the next who may have won, and forgets what was decided after it.
 * @returns the doubts that are left; undefined where all are borne out, or nobody else is left.
 */
export function reconsider(
  doubts: readonly Doubt[],
  counts: (node: ModelNode) => readonly FlowCount[],
): readonly Doubt[] | undefined {
  const at = doubts.findLastIndex(
    (doubt) => doubt.others.length > 0 && !isBorneOut(doubt, counts(doubt.node)),
  );
  const [doubt] = doubts.slice(at);
  const other = at < 0 ? undefined : doubt?.others.shift();
  if (doubt === undefined || other === undefined) return undefined;
  const {
    node: { decisions },
    decided,
  } = doubt;
  doubt.tie.winner = other;
  decisions.ties.length = decided.ties;
  decisions.translations.length = decided.translations;
  return doubts.slice(0, at + 1);
}

function isBorneOut(
  { tie: { candidates }, counted }: Doubt,
  counts: readonly FlowCount[],
): boolean {
  const packets = new Map(counts.map((count) => [keyOf(count.flow), count.packets]));
  return candidates.every((flow, index) => packets.get(keyOf(flow)) === counted[index]);
}

/** Tells the flows of one node apart. */
export function keyOf(flow: FlowId): string {
  return `${flow.bridge} ${formatFlowId(flow)}`;
}

/** Tells sets of parts of conjunctions apart; empty where there are none. */
export function partsKey(parts: readonly FlowId[]): string {
  return parts.map(keyOf).sort().join('\n');
}
