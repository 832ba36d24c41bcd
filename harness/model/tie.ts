import { Unsupported } from '../base/errors.js';
import type { FlowCount } from '../nouns/switching.js';
import type { Rule } from './classifier.js';
import type { ModelNode } from './node.js';

/** Flows of equal priority match one packet, and which of them the switch takes only the switch can tell. */
export class Tie extends Unsupported {
  constructor(
    message: string,
    readonly node: ModelNode,
    readonly rules: readonly Rule[],
    /** The same flows, with the packets that the model has counted for each so far. */
    readonly candidates: readonly FlowCount[],
  ) {
    super(message);
  }
}

/** Tells the index of the candidate that the switch took. */
export type Decide = (candidates: readonly FlowCount[]) => Promise<number>;
