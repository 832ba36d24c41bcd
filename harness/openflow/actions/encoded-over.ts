/**
 * Actions on their way over a connection. The versions of OpenFlow have different actions; what one
 * does not have is sent as others that do the same, or as near as there is. So it is for a flow on
 * its way to a switch, and for a dump on its way back.
 */
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { fieldCalled } from '../match/fields.js';
import type { Protocol } from '../syntax/form.js';
import type { Action, CtAction, SetAction, SetField } from './action.js';
import { isExperimental, ones } from './parse-context.js';
import { isWhole } from './kinds/read-set-field.js';
import { afterAction } from './packet-knowledge.js';
import { type PacketKnowledge } from './known-packet.js';

/** `actions` as they are on the other side. */
export function encodedOver(protocol: Protocol, actions: readonly Action[]): readonly Action[] {
  return actions.flatMap((action) => encodeAction(protocol, action));
}

function encodeAction(protocol: Protocol, action: Action): readonly Action[] {
  const is10 = protocol === 'OpenFlow10';
  switch (action.kind) {
    case 'set':
      return is10 ? set10(action) : protocol === 'OpenFlow13' ? set13(action) : [set15(action)];
    case 'set_vlan':
      return is10 ? [{ ...action, tagged: false }] : setVlan(action);
    case 'enqueue':
      return is10
        ? [action]
        : [
            { kind: 'set_queue', queue: action.queue },
            { kind: 'output', port: action.port },
            { kind: 'pop_queue' },
          ];
    case 'push_vlan':
    case 'meter':
    case 'clear_actions':
      return is10 ? [] : [action];
    case 'write_actions':
      return is10 || action.actions.length === 0
        ? []
        : [{ ...action, actions: encodedOver(protocol, action.actions) }];
    case 'goto':
      return is10 ? [{ kind: 'resubmit', table: action.table, original: false }] : [action];
    case 'clone':
      return [{ ...action, actions: encodedOver(protocol, action.actions) }];
    case 'ct':
      return [{ ...action, exec: encodedOver(protocol, action.exec) } satisfies CtAction];
    case 'note':
      return [{ ...action, bytes: [...action.bytes, ...padding(action.bytes.length)] }];
    default:
      return [action];
  }
}

/** A message has room for 6 bytes of a note, and then for 8 at a time. */
function padding(length: number): readonly number[] {
  return Array<number>((8 + 6 - (length % 8)) % 8).fill(0);
}

const hasOwn15: readonly string[] = ['nw_ttl', 'mpls_ttl'];

/** OpenFlow 1.5 sets every field by set_field, with a mask where it is not all of it. */
function set15(action: SetField): SetField {
  return action.notation === 'own' && hasOwn15.includes(action.field.name)
    ? action
    : { ...action, notation: 'set_field' };
}

/** OpenFlow 1.3 has no masks: bits are loaded, by Open vSwitch's own action. */
function set13(action: SetField): readonly SetField[] {
  if (action.notation === 'own' || action.notation === 'set_tunnel64') return [set15(action)];
  return action.notation === 'load' || action.mask !== undefined ? loads(action) : [action];
}

/** OpenFlow 1.0 has actions for some fields, which know no mask; the others are loaded. */
function set10(action: SetField): readonly Action[] {
  const { field, value, notation } = action;
  if (field.name === 'nw_ttl' || field.name === 'nw_ecn') return loads(action);
  if (notation !== 'set_field') return notation === 'load' ? loads(action) : [action];
  switch (field.name) {
    case 'vlan_tci':
      return (value & tagPresent) === 0n
        ? [{ kind: 'pop_vlan' }]
        : [vlan('vid', value & 0xfffn), vlan('pcp', value >> 13n)];
    case 'vlan_vid':
      return [vlan('vid', value & 0xfffn)];
    case 'vlan_pcp':
      return [vlan('pcp', value)];
    case 'nw_tos':
      return [{ kind: 'set', notation: 'own', field: fieldCalled('ip_dscp'), value: value >> 2n }];
    case 'eth_src':
    case 'eth_dst':
    case 'ip_src':
    case 'ip_dst':
    case 'ip_dscp':
    case 'tcp_src':
    case 'tcp_dst':
    case 'udp_src':
    case 'udp_dst':
      return [{ kind: 'set', notation: 'own', field, value }];
    default:
      return loads(action);
  }
}

const tagPresent = 0x1000n;

/** Whether there is a tag is seen where it arrives. */
function vlan(part: 'vid' | 'pcp', value: bigint): Action {
  return { kind: 'set_vlan', part, value: Number(value), tagged: false };
}

function setVlan({
  part,
  value,
  tagged,
}: Extract<SetAction, { kind: 'set_vlan' }>): readonly Action[] {
  const set: SetField =
    part === 'vid'
      ? {
          kind: 'set',
          notation: 'set_field',
          field: fieldCalled('vlan_vid'),
          value: BigInt(value) | tagPresent,
        }
      : {
          kind: 'set',
          notation: 'set_field',
          field: fieldCalled('vlan_pcp'),
          value: BigInt(value),
        };
  return tagged ? [set] : [{ kind: 'push_vlan', type: etherTypes.vlan }, set];
}

const longestLoad = 64;

/**
 * One load for every run of bits, of at most 64. Messages with loads have no room for some numbers
 * of fields, nor for options of tunnels of any width: those are set with a mask.
 */
function loads(action: SetField): readonly SetField[] {
  const { field, value } = action;
  if (isExperimental(field) || field.notation === 'option')
    return [{ ...action, notation: 'set_field' }];
  const bits = action.mask ?? ones(field.bits);
  const found: SetField[] = [];
  for (let from = 0; from < field.bits; ) {
    let to = from;
    while (to < field.bits && to - from < longestLoad && ((bits >> BigInt(to)) & 1n) === 1n) to++;
    if (to > from) {
      const mask = ones(to - from) << BigInt(from);
      found.push({
        kind: 'set',
        notation: 'load',
        field,
        value: value & mask,
        ...(isWhole(field, mask) ? {} : { mask }),
      });
    }
    from = Math.max(to, from + 1);
  }
  return found;
}

/**
 * `actions` in words that ovs-ofctl reads. It prints parts of fields that take no mask with one,
 * which it refuses to read.
 */
export function normalisedActions(actions: readonly Action[]): readonly Action[] {
  return actions.flatMap((action): readonly Action[] => {
    if (action.kind === 'clone' || action.kind === 'write_actions')
      return [{ ...action, actions: normalisedActions(action.actions) }];
    return action.kind === 'set' && action.mask !== undefined && !action.field.maskable
      ? loads(action)
      : [action];
  });
}

/**
 * `actions` with what each end of a connection finds out about them: whether packets have a tag
 * where VLAN actions stand.
 */
export function decodedActions(
  actions: readonly Action[],
  from: PacketKnowledge,
): readonly Action[] {
  let standing = from;
  return actions.map((action) => {
    const here = decodeAction(action, standing);
    standing = afterAction(standing, action);
    return here;
  });
}

function decodeAction(action: Action, standing: PacketKnowledge): Action {
  if (action.kind === 'set_vlan') return { ...action, tagged: standing.tags > 0 };
  return action.kind === 'clone' || action.kind === 'write_actions'
    ? { ...action, actions: decodedActions(action.actions, standing) }
    : action;
}

/**
 * The same of a bucket's actions: no match restricts its packets, and which transport's port is set
 * in OpenFlow 1.0 is not known.
 */
export function decodedBucketActions(actions: readonly Action[]): readonly Action[] {
  return actions.map((action) => {
    const [, part] =
      action.kind === 'set' && action.notation === 'own'
        ? (/^(?:tcp|udp|sctp)_(src|dst)$/.exec(action.field.name) ?? [])
        : [];
    return action.kind === 'set' && (part === 'src' || part === 'dst')
      ? { kind: 'set_port', part, value: Number(action.value) }
      : action;
  });
}
