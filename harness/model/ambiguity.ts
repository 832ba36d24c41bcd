/** Outcomes that OpenFlow, or a seed of the switch's own, does not determine. */
import { assert, Unsupported } from '../base/errors/errors.js';
import type { TrackedConnection } from '../domain/switch-state.js';
import { formatFlowId, type FlowCount, type FlowId } from '../domain/switching.js';
import { parseTuple, printProtocol, printTuple, reversed, type Tuple } from './conntrack/tuple.js';
import type { ModelNode } from './model-node.js';
import type { Tie } from './oracle-answers.js';

export type Ambiguity =
  /**
   * Which of several flows of equal priority a packet takes; `candidates` with the packets that the
   * model has counted for each so far, `parts` as in a tie.
   */
  | { readonly kind: 'flow'; readonly candidates: readonly FlowCount[]; readonly clauses: string }
  /** What a new connection is translated to. */
  | { readonly kind: 'translation'; readonly original: Tuple };

export class AmbiguousOutcome extends Unsupported {
  constructor(
    message: string,
    readonly node: ModelNode,
    readonly ambiguity: Ambiguity,
  ) {
    super(message);
  }
}

/** Answers what switches did. */
export interface Oracle {
  /** The packets that the switch has counted for each of the candidates by now. */
  readonly flowCounts: (candidates: readonly FlowCount[]) => Promise<readonly number[]>;
  readonly connections: () => Promise<readonly TrackedConnection[]>;
  /** Of flows that do the same the first is taken, and nobody asked. */
  readonly equivalentFlows?: 'first';
}

/** Stands in for switches: the first of what is open. */
export const firstCandidateOracle: Oracle = {
  flowCounts: () => Promise.resolve([]),
  connections: () => Promise.resolve([]),
};

/**
 * A tie in which several have counted, since packets come to them in other ways as well: who won
 * shows in what the model has counted in the end.
 */
export interface AmbiguousTie {
  readonly node: ModelNode;
  readonly tie: Tie;
  /** What the switch counted for the candidates. */
  readonly observedCounts: readonly number[];
  /**
   * Who else may have won, and at last again who is taken to have won where nobody bears it out.
   */
  readonly alternatives: FlowId[];
  /** How much had been decided when it was. */
  readonly answersBefore: { readonly ties: number; readonly translations: number };
}

/**
 * Asks, and notes the answer for the node: it holds from then on. Of flows of equal priority the
 * one is taken that the switch has counted more for than the model has so far. Where it has for
 * none, the first: then model and switch diverge in any case.
 * @returns a choice that may be wrong, where it has for several.
 */
export async function resolveAmbiguity(
  { node, ambiguity }: AmbiguousOutcome,
  oracle: Oracle,
): Promise<AmbiguousTie | undefined> {
  switch (ambiguity.kind) {
    case 'flow': {
      const { candidates, clauses } = ambiguity;
      const counted = candidates.map(() => 0);
      for (const [index, packets] of (await oracle.flowCounts(candidates)).entries())
        counted[index] = packets;
      const [winner = candidates[0]?.flow, ...alternatives] = candidates
        .filter(({ packets }, index) => (counted[index] ?? 0) > packets)
        .map(({ flow }) => flow);
      assert(winner !== undefined, 'flows tie');
      const { flowChanges } = node.answers;
      const tie = { candidates: candidates.map(({ flow }) => flow), clauses, flowChanges, winner };
      node.answers.ties.push(tie);
      return alternatives.length === 0
        ? undefined
        : {
            node,
            tie,
            observedCounts: counted,
            alternatives: [...alternatives, winner],
            answersBefore: {
              ties: node.answers.ties.length,
              translations: node.answers.natTuples.length,
            },
          };
    }
    case 'translation': {
      const { original } = ambiguity;
      const wanted = {
        node: node.name,
        zone: original.zone,
        protocol: printProtocol(original),
        original: printTuple(original),
      };
      const found = (await oracle.connections()).find(
        (seen) =>
          seen.node === wanted.node &&
          seen.zone === wanted.zone &&
          seen.protocol === wanted.protocol &&
          seen.original === wanted.original,
      );
      node.answers.natTuples.push(
        found === undefined ? undefined : parseTuple(found.reply, reversed(original)),
      );
      return undefined;
    }
  }
}

/**
 * Finds the latest choice that `counts`, the model's counters of flows by now, does not confirm,
 * chooses the next flow that may have won, and drops what was chosen after it.
 * @returns the choices that may still be wrong; undefined where all are confirmed, or no other flow
 *   is left.
 */
export function backtrack(
  ambiguousTies: readonly AmbiguousTie[],
  counts: (node: ModelNode) => readonly FlowCount[],
): readonly AmbiguousTie[] | undefined {
  const at = ambiguousTies.findLastIndex(
    (tie) => tie.alternatives.length > 0 && !isConfirmed(tie, counts(tie.node)),
  );
  const [tie] = ambiguousTies.slice(at);
  const alternative = at < 0 ? undefined : tie?.alternatives.shift();
  if (tie === undefined || alternative === undefined) return undefined;
  const {
    node: { answers },
    answersBefore,
  } = tie;
  tie.tie.winner = alternative;
  answers.ties.length = answersBefore.ties;
  answers.natTuples.length = answersBefore.translations;
  return ambiguousTies.slice(0, at + 1);
}

function isConfirmed(
  { tie: { candidates }, observedCounts }: AmbiguousTie,
  counts: readonly FlowCount[],
): boolean {
  const packets = new Map(counts.map((count) => [keyOf(count.flow), count.packets]));
  return candidates.every((flow, index) => packets.get(keyOf(flow)) === observedCounts[index]);
}

/** Identifies a flow of one node. */
export function keyOf(flow: FlowId): string {
  return `${flow.bridge} ${formatFlowId(flow)}`;
}

/** Identifies a set of parts of conjunctions; empty where there are none. */
export function clausesKey(clauses: readonly FlowId[]): string {
  return clauses.map(keyOf).sort().join('\n');
}
