/** Connections that another one announced (Open vSwitch lib/conntrack-private.h, alg_exp_node). */
import type { Address, Tuple } from './tuple.js';

/**
 * What a connection that is expected takes from the one that expected it: mark and label as they
 * were then.
 */
export interface Expectation {
  readonly mark: number;
  readonly label: bigint;
  readonly parent: Tuple;
  /** Where it is translated: which end of its answers has another address. */
  readonly reply: { readonly part: 'src' | 'dst'; readonly address: Address };
}

/** Of a connection: what it expects, by `expectationKey`. */
export type Expectations = Map<string, Expectation>;
