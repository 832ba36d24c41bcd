/** Setting fields: set_field, load, move, the actions that single fields have, and the stack. */
import { assert } from '../../../base/errors/errors.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import { fieldCalled, type Field } from '../../match/fields.js';
import type { Form } from '../../syntax/form.js';
import { complain, cut, parseNumber, shorten, type Span } from '../../syntax/text.js';
import { parseMasked, printAssigned } from '../../match/masked-values.js';
import type { Action, SetAction } from '../action.js';
import {
  arrow,
  fieldNamed,
  hex,
  needed,
  ones,
  printSubfield,
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
  checkWritable,
  mplsTypes,
  needsIp,
  needsTag,
  needsType,
  requireField,
  requireReadable,
  valueIn,
  requireWritable,
} from '../packet-knowledge.js';

export type SetField = Extract<SetAction, { kind: 'set' }>;

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

/** `set_field:VALUE[/MASK]->FIELD` */
function readSetField(call: ActionText, reading: ParseContext): Action {
  const [text, name] = arrow(needed(call), 'set_field:VALUE->FIELD');
  if (name.text !== name.text.toLowerCase())
    throw complain(name, `unknown field "${shorten(name.text)}"`);
  const field = fieldNamed(name, name.text);
  checkTarget(name, field, reading);
  requireField(name, field, reading);
  if (field.name === 'vlan_vid') needsTag(name, 'vlan_vid', { ...reading, protocol: 'OpenFlow15' });
  const [plain, maskText] = cut(text, '/');
  const value =
    field.name === 'vlan_vid'
      ? parseNumber(plain, field.name, ones(13))
      : parseMasked(field, plain, reading.names.ports).value;
  const mask = maskText === undefined ? undefined : readMask(text, maskText, field, reading);
  return checkAssignment(
    text,
    {
      kind: 'set',
      notation: 'set_field',
      field,
      value,
      ...(mask === undefined || isWhole(field, mask) ? {} : { mask }),
    },
    reading,
  );
}

/**
 * Fields that matches cannot mask have masks in dumps where part of them was loaded, though
 * ovs-ofctl refuses to read them.
 */
function readMask(whole: Span, mask: Span, field: Field, { names }: ParseContext): bigint {
  return field.maskable && field.name !== 'vlan_vid'
    ? parseMasked(field, whole, names.ports).mask
    : parseNumber(mask, field.name, wholeBytes(field));
}

/** `load:NUMBER->FIELD[FROM..TO]` */
function readLoad(call: ActionText, reading: ParseContext): Action {
  const [text, target] = arrow(needed(call), 'load:VALUE->FIELD[]');
  const { field, offset, bits } = subfield(target, reading);
  checkTarget(target, field, reading);
  requireField(target, field, reading);
  const value = parseNumber(text, field.name, ones(bits)) << BigInt(offset);
  const mask = ones(bits) << BigInt(offset);
  return checkAssignment(
    text,
    { kind: 'set', notation: 'load', field, value, ...(isWhole(field, mask) ? {} : { mask }) },
    reading,
  );
}

function checkTarget(at: Span, field: Field, reading: ParseContext): void {
  checkConnectionField(at, field, reading);
  checkWritable(at, field);
}

/** A mask is one that Open vSwitch prints, unless it covers all bytes of the field. */
export function isWhole(field: Field, mask: bigint): boolean {
  return mask === wholeBytes(field);
}

function wholeBytes({ bits }: Field): bigint {
  return ones(8 * Math.ceil(bits / 8));
}

/** A set VLAN says that there is a tag. */
const vlanPresent = 0x1000n;

/** What the switch refuses at its end of the connection. */
function checkAssignment(at: Span, action: SetField, { protocol }: ParseContext): Action {
  const { field, value, mask, notation } = action;
  if (mask === 0n) throw complain(at, `${at.text} sets nothing: its mask is zero`);
  if (notation === 'load' && protocol !== 'OpenFlow15') return action;
  if (field.name !== 'vlan_vid' && (value & ~field.ones) !== 0n)
    throw complain(at, `${field.name} cannot be ${at.text}: it has the bits ${hex(field.ones)}`);
  if (protocol === 'OpenFlow10') return action;
  if (field.name === 'in_port_oxm') throw complain(at, 'in_port_oxm cannot be set; in_port can');
  const isLoaded = protocol === 'OpenFlow13' && mask !== undefined;
  if (field.name === 'vlan_vid' && !isLoaded && (value & vlanPresent) === 0n)
    throw complain(at, `vlan_vid is set with the bit 0x1000, got ${at.text}`);
  if (protocol === 'OpenFlow15' && mask !== undefined && (value & ~mask) !== 0n)
    throw complain(at, `${at.text} has bits that its mask leaves out`);
  return action;
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

export function printSet(action: SetField, form: Form): string {
  switch (action.notation) {
    case 'set_field':
      return `set_field:${printValue(action, form)}->${action.field.name}`;
    case 'load':
      return printLoad(action);
    case 'own':
      return printOwn(action);
    case 'set_tunnel64':
      return `set_tunnel64:${hex(action.value)}`;
  }
}

function printValue({ field, value, mask }: SetField, form: Form): string {
  if (mask !== field.ones || field.notation === 'flags')
    return printAssigned(field, { value, mask: mask ?? field.ones }, form);
  return `${printAssigned(field, { value, mask }, form)}/${hex(mask)}`; // its bytes are not full
}

/** One run of bits. */
function printLoad({ field, value, mask = ones(field.bits) }: SetField): string {
  const offset = mask.toString(2).length - mask.toString(2).replace(/0+/, '').length;
  const bits = mask.toString(2).length - offset;
  return `load:${hex(value >> BigInt(offset))}->${printSubfield({ field, offset, bits })}`;
}

/** The actions that set a single field, with `#` for the value in the field's notation. */
const ownTexts: Readonly<Record<string, string>> = {
  eth_src: 'mod_dl_src:#',
  eth_dst: 'mod_dl_dst:#',
  ip_src: 'mod_nw_src:#',
  ip_dst: 'mod_nw_dst:#',
  nw_ttl: 'mod_nw_ttl:#',
  tcp_src: 'mod_tp_src:#',
  udp_src: 'mod_tp_src:#',
  sctp_src: 'mod_tp_src:#',
  tcp_dst: 'mod_tp_dst:#',
  udp_dst: 'mod_tp_dst:#',
  sctp_dst: 'mod_tp_dst:#',
  mpls_label: 'set_mpls_label(#)',
  mpls_tc: 'set_mpls_tc(#)',
  mpls_ttl: 'set_mpls_ttl(#)',
};

function printOwn({ field, value }: SetField): string {
  if (field.name === 'ip_dscp') return `mod_nw_tos:${value << 2n}`;
  if (field.name === 'tun_id') return `set_tunnel${value > 0xffffffffn ? '64' : ''}:${hex(value)}`;
  const text = ownTexts[field.name];
  assert(text !== undefined, `${field.name} has an action of its own`);
  return text.replace('#', () => printAssigned(field, { value, mask: field.ones }));
}
