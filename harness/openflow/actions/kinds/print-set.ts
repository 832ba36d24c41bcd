/** Actions that set a field, printed. */
import { assert } from '../../../base/errors/errors.js';
import type { Form } from '../../syntax/form.js';
import { printAssigned } from '../../match/masked-values.js';
import { hex, ones, printSubfield } from '../parse-context.js';
import type { SetField } from '../action.js';

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
