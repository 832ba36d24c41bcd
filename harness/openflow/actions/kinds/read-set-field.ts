/** `set_field` and `load`, read. */
import type { Field } from '../../match/fields.js';
import { allowsField } from '../../match/prerequisites.js';
import { complain, cut, parseNumber, shorten, type Span } from '../../syntax/text.js';
import { parseMasked } from '../../match/masked-values.js';
import type { Action, SetField } from '../action.js';
import {
  arrow,
  fieldNamed,
  hex,
  needed,
  ones,
  subfield,
  type ActionText,
  type ParseContext,
} from '../parse-context.js';
import {
  checkConnectionField,
  checkWritable,
  needsTag,
  requireField,
} from '../packet-knowledge.js';

/** `set_field:VALUE[/MASK]->FIELD` */
export function readSetField(call: ActionText, reading: ParseContext): Action {
  const [text, name] = arrow(needed(call), 'set_field:VALUE->FIELD');
  if (name.text !== name.text.toLowerCase())
    throw complain(name, `unknown field "${shorten(name.text)}"`);
  const field = fieldNamed(name, name.text);
  checkTarget(name, field, reading);
  const [plain, maskText] = cut(text, '/');
  if (isOpenflow10Set(field, maskText, reading)) {
    const { value } = parseMasked(field, plain, reading.names.ports);
    return { kind: 'set', notation: 'own', field, value };
  }
  requireField(name, field, reading);
  if (field.name === 'vlan_vid') needsTag(name, 'vlan_vid', { ...reading, protocol: 'OpenFlow15' });
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

/** Whether it is `mod_nw_tos`, `mod_nw_src` or `mod_nw_dst` of OpenFlow 1.0, as dumps show them. */
function isOpenflow10Set(
  field: Field,
  mask: Span | undefined,
  { isDumped, packet }: ParseContext,
): boolean {
  return (
    isDumped === true &&
    mask === undefined &&
    ['ip_dscp', 'ip_src', 'ip_dst'].includes(field.name) &&
    !allowsField(packet.match, field)
  );
}

/**
 * Fields that matches cannot mask have masks in dumps where some bits were loaded, though
 * ovs-ofctl refuses to read them.
 */
function readMask(whole: Span, mask: Span, field: Field, { names }: ParseContext): bigint {
  return field.maskable && field.name !== 'vlan_vid'
    ? parseMasked(field, whole, names.ports).mask
    : parseNumber(mask, field.name, wholeBytes(field));
}

/** `load:NUMBER->FIELD[FROM..TO]` */
export function readLoad(call: ActionText, reading: ParseContext): Action {
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
