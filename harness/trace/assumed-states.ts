/** What the connection tracker is taken to say (ovs-vswitchd(8), "--ct-next"). */
import { InputError } from '../base/errors/errors.js';
import { ctStateBits, fieldCalled } from '../openflow/match/fields.js';
import { parseFlags } from '../openflow/match/flags.js';
import { span } from '../openflow/syntax/text.js';

/**
 * @param texts `trk,est` each. @returns bits of ct_state each. @throws InputError for what no
 *   tracker says.
 */
export function readAssumedStates(texts: readonly string[]): readonly number[] {
  return texts.map((text) => {
    const at = span(text.replaceAll(/[\s,]+/g, '|'), { file: '--ct-next' });
    const state = Number(parseFlags(fieldCalled('ct_state'), at).value);
    const wrong = contradictionIn(state);
    if (wrong !== undefined) throw new InputError(`--ct-next ${text}: ${wrong}`);
    return state;
  });
}

function contradictionIn(state: number): string | undefined {
  const has = (bits: number) => (state & bits) !== 0;
  const { trk, inv, new: isNew, est, rpl } = ctStateBits;
  if (!has(trk) && state !== 0) return 'without trk there are no other flags';
  if (has(inv) && has(~(trk | inv))) return 'beside inv there is only trk';
  if (has(isNew) && has(est | rpl)) return 'a connection that is new is not est, and has no rpl';
  return undefined;
}
