/** VLAN tags, MPLS labels and the TTL. */
import { complain, parseDecimal, split } from '../../syntax/text.js';
import type { Action, HeaderAction } from '../action.js';
import {
  needed,
  small,
  uint16,
  type ActionText,
  type Reader,
  type ParseContext,
} from '../parse-context.js';
import { mostTags, mplsTypes, needsIp, needsTag, needsType } from '../packet-knowledge.js';

export const headerReaders: Readonly<Record<string, Reader>> = {
  push_vlan: readPushVlan,
  pop_vlan: readPopVlan,
  strip_vlan: readPopVlan,
  push_mpls: (call) => {
    const type = small(needed(call), 'Ethernet type', uint16);
    if (!mplsTypes.includes(type))
      throw complain(
        call.argument,
        `push_mpls: expected 0x8847 or 0x8848, got ${call.argument.text}`,
      );
    return { kind: 'push_mpls', type };
  },
  pop_mpls: (call, reading) => {
    needsType(call.at, call.name, reading, 'mpls', mplsTypes);
    return { kind: 'pop_mpls', type: small(needed(call), 'Ethernet type', uint16) };
  },
  dec_mpls_ttl: (call, reading) => {
    needsType(call.at, call.name, reading, 'mpls', mplsTypes);
    return { kind: 'dec_mpls_ttl' };
  },
  dec_ttl: readDecTtl,
};

const tagTypes: readonly number[] = [0x8100, 0x88a8];

function readPushVlan(call: ActionText, { packet, protocol, inside }: ParseContext): Action {
  if (protocol === 'OpenFlow10') throw complain(call.at, 'push_vlan is not there in OpenFlow 1.0');
  const type = small(needed(call), 'Ethernet type', uint16);
  if (!tagTypes.includes(type))
    throw complain(
      call.argument,
      `push_vlan: expected 0x8100 or 0x88a8, got ${call.argument.text}`,
    );
  if (packet.tags >= mostTags && inside !== 'bucket')
    throw complain(call.at, `a packet has at most ${mostTags} VLAN tags`);
  return { kind: 'push_vlan', type };
}

function readPopVlan(call: ActionText, reading: ParseContext): Action {
  needsTag(call.at, call.name, reading);
  return { kind: 'pop_vlan' };
}

/** `dec_ttl`, `dec_ttl(ID,ID…)` */
function readDecTtl(call: ActionText, reading: ParseContext): Action {
  needsIp(call.at, call.name, reading);
  const ids = split(call.argument, /[,\s]/).map((id) => parseDecimal(id, 'controller id', 65535));
  if (ids.length === 0 && call.argument.text !== '')
    throw complain(call.argument, 'dec_ttl: expected ids of controllers');
  return ids.length === 0 ? { kind: 'dec_ttl' } : { kind: 'dec_ttl', controllers: ids };
}

export function printHeader(action: Exclude<HeaderAction, { kind: 'pop_vlan' }>): string {
  switch (action.kind) {
    case 'push_vlan':
      return `push_vlan:0x${action.type.toString(16)}`;
    case 'push_mpls':
    case 'pop_mpls':
      return `${action.kind}:0x${action.type.toString(16).padStart(4, '0')}`;
    case 'dec_mpls_ttl':
      return 'dec_mpls_ttl';
    case 'dec_ttl':
      return action.controllers === undefined
        ? 'dec_ttl'
        : `dec_ttl(${action.controllers.join(',')})`;
  }
}
