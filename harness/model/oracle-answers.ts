/** What was seen of a switch where OpenFlow leaves several outcomes open, for one node. */
import type { FlowId } from '../domain/switching.js';
import type { Rule } from './tables/flow-tables.js';
import type { Tuple } from './conntrack/tuple.js';

/**
 * The flow that packets are taken to go on in wherever just these match, and where they are
 * conjunctions, by just these parts: Open vSwitch takes the one that it finds complete first, which
 * hangs on the parts (lib/classifier.c, find_conjunctive_match).
 */
export interface Tie {
  readonly candidates: readonly FlowId[];
  /** As `clausesKey` has them. */
  readonly clauses: string;
  /** It holds until flows of the node come, go or change: as `OracleAnswers` counts them. */
  readonly flowChanges: number;
  winner: FlowId;
}

/**
 * The bucket of a `select` group that packets with one hash go to, where the kernel hashes them
 * with a secret of its own (net/core/flow_dissector.c, hashrnd).
 */
export interface ChosenBucket {
  /** Bridge, group and hash. */
  readonly packets: string;
  bucket: number;
}

/** What was seen of one node's switches, in the order in which it was asked for. */
export interface OracleAnswers {
  readonly ties: Tie[];
  readonly buckets: ChosenBucket[];
  /** The directions of answers; undefined where the switch remembers no such connection. */
  readonly natTuples: (Tuple | undefined)[];
  /** How many of them were asked for since the node was reset. */
  natTuplesUsed: number;
  /** How often its flows were changed since the node was reset. */
  flowChanges: number;
  /**
   * Whether the first is taken where all of them do the same; which of them it was stays ambiguous
   * then.
   */
  equivalentFlows: 'asked' | 'first';
  /** Ambiguous rules, each with others of which one took the packet. */
  readonly ambiguous: Map<Rule, Set<Rule>>;
}

export function noOracleAnswers(): OracleAnswers {
  return {
    ties: [],
    buckets: [],
    natTuples: [],
    natTuplesUsed: 0,
    flowChanges: 0,
    equivalentFlows: 'asked',
    ambiguous: new Map(),
  };
}
