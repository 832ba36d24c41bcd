/** Options of a Geneve tunnel as the datapath prints them, and the fields that they are. */
import { complain, span, type Span } from '../openflow/syntax/text.js';
import type { TlvMap } from '../openflow/syntax/form.js';

const option =
  /^\{class=(0x[\da-f]+|\d+),type=(0x[\da-f]+|\d+),len=(\d+)(?:,(0x[\da-f]+|\d+)(?:\/0x[\da-f]+)?)?\}/i;

/**
 * `{class=0x102,type=0x80,len=4,0x10002}{…}` as `tun_metadata0=0x10002`, …
 * @throws InputError for what is no option, and for one that no field stands for.
 */
export function readGeneveOptions(at: Span, map: TlvMap): readonly string[] {
  const fields: string[] = [];
  let rest = at.text;
  while (rest !== '') {
    const found = option.exec(rest);
    const here = span(rest, { ...at, column: at.column + at.text.length - rest.length });
    if (found === null)
      throw complain(here, 'expected {class=0x102,type=0x80,len=4,0x10002}, as dpctl prints it');
    const [all, optionClass, type, length, value = '0'] = found;
    const field = [...map].find(
      ([, one]) =>
        one.class === Number(optionClass) &&
        one.type === Number(type) &&
        one.bytes === Number(length),
    )?.[0];
    if (field === undefined)
      throw complain(
        here,
        `no field stands for ${all}: give what "ovs-ofctl dump-tlv-map" prints by --tlv-map`,
      );
    fields.push(`tun_metadata${field}=${value}`);
    rest = rest.slice(all.length).replace(/^,/, '');
  }
  return fields;
}
