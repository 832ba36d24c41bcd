/** Setting fields: set_field, load, move, the actions that single fields have, and the stack. */
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { fieldCalled } from '../../match/fields.js';
import { complain, parseNumber } from '../../syntax/text.js';
import { parseMasked } from '../../match/masked-values.js';
import type { Action, SetField } from '../action.js';
import {
  arrow,
  fieldNamed,
  needed,
  ones,
  small,
  subfield,
  uint16,
  uint64,
  uint8,
  type ActionText,
  type Reader,
  type ParseContext,
} from '../parse-context.js';
import {
  checkConnectionField,
  checkMapped,
  mplsTypes,
  needsIp,
  needsTag,
  needsType,
  requireField,
  requireReadable,
  valueIn,
  requireWritable,
} from '../packet-knowledge.js';
import { readSetField, readLoad } from './read-set-field.js';

export const setReaders: Readonly<Record<string, Reader>> = {
  set_field: readSetField,
  load: readLoad,
  move: readMove,
  push: (call, reading) => ({
    kind: 'push',
    source: requireReadable(call.argument, subfield(needed(call), reading), reading),
  }),
  pop: (call, reading) => ({
    kind: 'pop',
    destination: requireWritable(call.argument, subfield(needed(call), reading), reading),
  }),
  delete_field: readDeleteField,
  mod_dl_src: (call, reading) => own('eth_src', valueOf('eth_src', call, reading)),
  mod_dl_dst: (call, reading) => own('eth_dst', valueOf('eth_dst', call, reading)),
  mod_nw_src: (call, reading) => own('ip_src', ipv4Of('ip_src', call, reading)),
  mod_nw_dst: (call, reading) => own('ip_dst', ipv4Of('ip_dst', call, reading)),
  mod_nw_tos: readTos,
  mod_nw_ecn: (call, reading) => own('nw_ecn', loadable('nw_ecn', call, reading, 3n)),
  mod_nw_ttl: (call, reading) => own('nw_ttl', loadable('nw_ttl', call, reading, uint8)),
  set_nw_ttl: (call, reading) => own('nw_ttl', loadable('nw_ttl', call, reading, uint8)),
  mod_tp_src: (call, reading) => readPort('src', call, reading),
  mod_tp_dst: (call, reading) => readPort('dst', call, reading),
  set_mpls_label: (call, reading) => own('mpls_label', ofMpls(call, reading, ones(20))),
  set_mpls_tc: (call, reading) => own('mpls_tc', ofMpls(call, reading, 7n)),
  set_mpls_ttl: (call, reading) => own('mpls_ttl', ofMpls(call, reading, uint8)),
  set_tunnel: (call) => own('tun_id', parseNumber(needed(call), 'tun_id', uint64)),
  set_tunnel64: (call) => ({
    ...own('tun_id', parseNumber(needed(call), 'tun_id', uint64)),
    notation: 'set_tunnel64',
  }),
  mod_vlan_vid: (call) => readVlan('vid', false, call),
  mod_vlan_pcp: (call) => readVlan('pcp', false, call),
  set_vlan_vid: (call, reading) => ofTag(call, reading, readVlan('vid', true, call)),
  set_vlan_pcp: (call, reading) => ofTag(call, reading, readVlan('pcp', true, call)),
};

function own(name: string, value: bigint): SetField {
  return { kind: 'set', notation: 'own', field: fieldCalled(name), value };
}

/** A value in the notation of the field. */
function valueOf(name: string, call: ActionText, { names }: ParseContext): bigint {
  return parseMasked(fieldCalled(name), needed(call), names.ports).value;
}

function ipv4Of(name: string, call: ActionText, reading: ParseContext): bigint {
  needsType(call.at, call.name, reading, 'ip', [etherTypes.ipv4]);
  if (call.argument.text.includes('/'))
    throw complain(
      call.argument,
      `${call.name} takes an address without a mask, got "${call.argument.text}"`,
    );
  return valueOf(name, call, reading);
}

function ofIp(call: ActionText, reading: ParseContext, maximum: bigint): bigint {
  needsIp(call.at, call.name, reading);
  return parseNumber(needed(call), call.name, maximum);
}

/**
 * OpenFlow 1.0 loads it, and asks for a match on ip as for every load; of write_actions it has
 * none.
 */
function loadable(name: string, call: ActionText, reading: ParseContext, maximum: bigint): bigint {
  if (reading.protocol === 'OpenFlow10' && reading.inside !== 'write_actions')
    requireField(call.at, fieldCalled(name), reading);
  return ofIp(call, reading, maximum);
}

function ofMpls(call: ActionText, reading: ParseContext, maximum: bigint): bigint {
  needsType(call.at, call.name, reading, 'mpls', mplsTypes);
  return parseNumber(needed(call), call.name, maximum);
}

function ofTag(call: ActionText, reading: ParseContext, action: Action): Action {
  needsTag(call.at, call.name, reading);
  return action;
}

function readTos(call: ActionText, reading: ParseContext): Action {
  const tos = ofIp(call, reading, uint8);
  if ((tos & 3n) !== 0n)
    throw complain(call.argument, `${call.name}: the last two bits are for ECN, got ${tos}`);
  return own('ip_dscp', tos >> 2n);
}

/** The port of the transport that the flow matches. */
function readPort(part: 'src' | 'dst', call: ActionText, reading: ParseContext): Action {
  const value = parseNumber(needed(call), call.name, uint16);
  const protocol = valueIn(reading.packet.match, 'nw_proto');
  const transport = (['tcp', 'udp', 'sctp'] as const).find(
    (name) => protocol === BigInt(ipProtocols[name]),
  );
  if (
    reading.protocol !== 'OpenFlow10' &&
    (reading.inside !== 'write_actions' || transport !== undefined)
  )
    requireField(call.at, fieldCalled(`${transport ?? 'tcp'}_${part}`), reading);
  return transport === undefined
    ? { kind: 'set_port', part, value: Number(value) }
    : own(`${transport}_${part}`, value);
}

function readVlan(part: 'vid' | 'pcp', tagged: boolean, call: ActionText): Action {
  return {
    kind: 'set_vlan',
    part,
    value: small(needed(call), call.name, part === 'vid' ? 0xfffn : 7n),
    tagged,
  };
}

function readMove(call: ActionText, reading: ParseContext): Action {
  const [from, to] = arrow(needed(call), 'move:FIELD[]->FIELD[]');
  const [source, destination] = [subfield(from, reading), subfield(to, reading)];
  if (source.bits !== destination.bits)
    throw complain(call.argument, `move from ${source.bits} bits to ${destination.bits} bits`);
  checkConnectionField(to, destination.field, reading);
  return {
    kind: 'move',
    source: requireReadable(from, source, reading),
    destination: requireWritable(to, destination, reading),
  };
}

function readDeleteField(call: ActionText, { names }: ParseContext): Action {
  const field = fieldNamed(call.argument, needed(call).text);
  if (field.notation !== 'option')
    throw complain(
      call.argument,
      `delete_field takes an option of a tunnel such as tun_metadata0, got "${field.name}"`,
    );
  checkMapped(call.argument, field, names);
  return { kind: 'delete_field', field };
}
