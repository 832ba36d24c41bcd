/** Outcomes that OpenFlow, or a seed of the switch's own, does not determine. */
import { assert, Unsupported } from '../base/errors/errors.js';
import type { TrackedConnection } from '../domain/switch-state.js';
import { formatFlowId, type FlowCount, type FlowId, type SwitchStep } from '../domain/switching.js';
import { parseTuple, printProtocol, printTuple, reversed, type Tuple } from './conntrack/tuple.js';
import type { ModelNode } from './model-node.js';

export type Ambiguity =
  /**
   * Which of several flows of equal priority a packet takes; `candidates` with the packets that the
   * model has counted for each so far, `parts` as in a tie.
   */
  | { readonly kind: 'flow'; readonly candidates: readonly FlowCount[]; readonly clauses: string }
  /**
   * Which bucket of a `select` group the kernel sends packets to; `flows` of the node, with what
   * the model has counted for each so far.
   */
  | {
      readonly kind: 'bucket';
      readonly packets: string;
      readonly buckets: readonly number[];
      readonly flows: readonly FlowId[];
    }
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
  /**
   * What came out in the call at hand: it shows which bucket a kernel chose where no flow counts
   * that. Undefined, or missing, where nobody has seen it.
   */
  readonly outputs?: () => SwitchStep['outputs'] | undefined;
  /** Of flows that do the same the first is taken, and nobody asked. */
  readonly equivalentFlows?: 'first';
}

/** Stands in for switches: the first of what is open. */
export const firstCandidateOracle: Oracle = {
  flowCounts: () => Promise.resolve([]),
  connections: () => Promise.resolve([]),
};

/**
 * A choice that may be wrong, since what it leads to is met in other ways as well: whether it was
 * right shows in what the model has counted in the end.
 */
export interface OpenChoice {
  readonly node: ModelNode;
  /** Whose counts say whether it was right, and what the switch counted for them. */
  readonly flows: readonly FlowId[];
  readonly observedCounts: readonly number[];
  /** What has to come out as well, where that shows it: see `printOutputs`. */
  readonly observedOutputs?: string;
  /** What has to be tracked then as well: see `printConnections`. */
  readonly observedConnections?: string;
  /**
   * What else may be right, each as it is noted; at last again what is taken where the counts bear
   * nothing out.
   */
  readonly alternatives: (() => void)[];
  /** How much had been decided when it was. */
  readonly answersBefore: AnswersBefore;
}

interface AnswersBefore {
  readonly ties: number;
  readonly buckets: number;
  readonly translations: number;
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
): Promise<OpenChoice | undefined> {
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
            flows: tie.candidates,
            observedCounts: counted,
            alternatives: [...alternatives, winner].map((flow) => () => void (tie.winner = flow)),
            answersBefore: decided(node),
          };
    }
    case 'bucket': {
      const { packets, buckets, flows } = ambiguity;
      const [first, ...others] = buckets;
      assert(first !== undefined, 'several buckets are alive');
      const chosen = { packets, bucket: first };
      node.answers.buckets.push(chosen);
      const outputs = oracle.outputs?.();
      return {
        node,
        flows,
        ...(outputs === undefined
          ? {}
          : {
              observedOutputs: printOutputs(outputs),
              observedConnections: printConnections(node, await oracle.connections()),
            }),
        observedCounts: await oracle.flowCounts(flows.map(uncounted)),
        alternatives: [...others, first].map((bucket) => () => void (chosen.bucket = bucket)),
        answersBefore: decided(node),
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

function decided({ answers }: ModelNode): AnswersBefore {
  return {
    ties: answers.ties.length,
    buckets: answers.buckets.length,
    translations: answers.natTuples.length,
  };
}

function uncounted(flow: FlowId): FlowCount {
  return { flow, packets: 0, bytes: 0 };
}

/**
 * Finds the latest choice that is not confirmed by what the model has counted and tracks by now,
 * and by `outputs`, what has come out of it, chooses what else may be right, and drops what was
 * chosen after it.
 * @returns the choices that may still be wrong; undefined where all are confirmed, or no other is
 *   left.
 */
export function backtrack(
  choices: readonly OpenChoice[],
  {
    counts,
    connections,
  }: {
    counts(node: ModelNode): readonly FlowCount[];
    connections(node: ModelNode): readonly TrackedConnection[];
  },
  outputs: SwitchStep['outputs'],
): readonly OpenChoice[] | undefined {
  const cameOut = printOutputs(outputs);
  const isConfirmed = (choice: OpenChoice) =>
    (choice.observedOutputs ?? cameOut) === cameOut &&
    isCounted(choice, counts(choice.node)) &&
    (choice.observedConnections === undefined ||
      choice.observedConnections === printConnections(choice.node, connections(choice.node)));
  const at = choices.findLastIndex(
    (choice) => choice.alternatives.length > 0 && !isConfirmed(choice),
  );
  const [choice] = choices.slice(at);
  const chooseNext = at < 0 ? undefined : choice?.alternatives.shift();
  if (choice === undefined || chooseNext === undefined) return undefined;
  const {
    node: { answers },
    answersBefore,
  } = choice;
  chooseNext();
  answers.ties.length = answersBefore.ties;
  answers.buckets.length = answersBefore.buckets;
  answers.natTuples.length = answersBefore.translations;
  return choices.slice(0, at + 1);
}

/** Frames by their ports, whatever their order. */
function printOutputs(outputs: SwitchStep['outputs']): string {
  return outputs
    .map(({ port, frame }) => `${port} ${Buffer.from(frame).toString('hex')}`)
    .sort()
    .join();
}

/** Those of a node, without what time changes of them. */
function printConnections({ name }: ModelNode, connections: readonly TrackedConnection[]): string {
  return connections
    .filter(({ node }) => node === name)
    .map(({ zone, protocol, original, reply, mark, label = '0x0' }) =>
      [zone, protocol, original, reply, mark, label].join(' '),
    )
    .sort()
    .join();
}

function isCounted({ flows, observedCounts }: OpenChoice, counts: readonly FlowCount[]): boolean {
  const packets = new Map(counts.map((count) => [keyOf(count.flow), count.packets]));
  return flows.every((flow, index) => packets.get(keyOf(flow)) === observedCounts[index]);
}

/** Identifies a flow of one node. */
export function keyOf(flow: FlowId): string {
  return `${flow.bridge} ${formatFlowId(flow)}`;
}

/** Identifies a set of parts of conjunctions; empty where there are none. */
export function clausesKey(clauses: readonly FlowId[]): string {
  return clauses.map(keyOf).sort().join('\n');
}
