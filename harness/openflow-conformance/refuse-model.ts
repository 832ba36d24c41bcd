/**
 * Programs that a switch refuses, offered to the model: it is to refuse them too, and for the same
 * reason.
 */
import { InputError, Unsupported } from '../base/errors/errors.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import { openModel } from '../testbeds/model/model-testbed.js';
import type { Testbed } from '../testbeds/testbed.js';
import type { ModelVerdict } from './compare-with-model.js';

/**
 * @param error the names of OpenFlow's errors that the switch of these versions answered the
 *   program's messages with, as ovs-ofctl prints them (lib/ofp-errors.h), with commas between them.
 */
export function refuseModel(
  plan: NodePlan,
  versions: Testbed['versions'],
  error: string,
): ModelVerdict {
  try {
    openModel({ nodes: [plan] }, versions);
    return { kind: 'differs', differences: [`the model takes what the switch refuses: ${error}`] };
  } catch (refusal) {
    if (refusal instanceof Unsupported) return { kind: 'unknown', why: refusal.message };
    if (!(refusal instanceof InputError)) throw refusal;
    const why = refusal.message.replace(/^[^:]*:(\d+:\d+:)? /, '');
    if (
      reasons.some((reason) => reason.refusal.test(why) && error.split(', ').includes(reason.error))
    )
      return { kind: 'refuses', why };
    return {
      kind: 'differs',
      differences: [
        `the model refuses for another reason than the switch, ${error}: ${refusal.message}`,
      ],
    };
  }
}

/** What the switch calls it, and what it is called here. */
const reasons: readonly { readonly error: string; readonly refusal: RegExp }[] = [
  { error: 'OFPBAC_BAD_TYPE', refusal: /^unknown action "/ },
  { error: 'OFPBMC_BAD_FIELD', refusal: /^unknown field "/ },
  { error: 'OFPBAC_BAD_SET_ARGUMENT', refusal: /^\w+ cannot be written$/ },
  { error: 'OFPMMFC_BAD_BAND', refusal: /^the bands of a userspace datapath drop,/ },
];
