/**
 * Which actions may stand together: the order of OpenFlow 1.1's instructions, and what an action
 * set can hold.
 */
import type { Action } from './action.js';
import { isPlain } from './kinds/output-actions.js';

/**
 * The instruction that an action is or belongs to, in the order in which they are executed
 * (OpenFlow 1.3, section 5.9).
 */
function instruction({ kind }: Action): number {
  return kind === 'meter'
    ? 0
    : kind === 'clear_actions'
      ? 2
      : kind === 'write_actions'
        ? 3
        : kind === 'write_metadata'
          ? 4
          : kind === 'goto'
            ? 5
            : apply;
}

const apply = 1;

/**
 * Whether `next` may come behind `before`: any number of actions, of the other instructions one
 * each.
 */
export function mayFollow(before: Action, next: Action): boolean {
  return (
    instruction(next) > instruction(before) ||
    (instruction(next) === apply && instruction(before) === apply)
  );
}

export function isInstruction(action: Action): boolean {
  return instruction(action) !== apply;
}

/**
 * What actions of an action set may be (OpenFlow 1.3, section 5.10, and what Open vSwitch adds).
 */
export function mayBeWritten(action: Action): boolean {
  switch (action.kind) {
    case 'output':
    case 'group':
    case 'set':
    case 'set_vlan':
    case 'set_port':
    case 'move':
    case 'set_queue':
    case 'push_vlan':
    case 'pop_vlan':
    case 'push_mpls':
    case 'pop_mpls':
    case 'dec_ttl':
    case 'dec_mpls_ttl':
    case 'ct':
    case 'ct_clear':
    case 'resubmit':
      return true;
    case 'controller':
      return isPlain(action);
    default:
      return false;
  }
}
