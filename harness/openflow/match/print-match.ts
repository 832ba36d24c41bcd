/** The text of a match, as ovs-ofctl prints it and as it reads it. */
import { fieldsBeforeProtocol } from './fields.js';
import { canonical, type Form } from '../syntax/form.js';
import type { Match } from './match.js';
import type { FieldMatch } from './field-match.js';
import { printTag, tagIn } from './notations.js';
import { protocolWords, type ProtocolWord } from './protocol-words.js';
import { printAssigned, printMasked } from './masked-values.js';

/**
 * `ct_state=+trk,tcp,in_port=1,tp_dst=80`; empty where everything matches.
 * @param form As a dump of this form shows it. Without one it is the canonical text, which keeps
 *   what dumps lose: masks of some tunnel fields, and names that ovs-ofctl reads.
 */
export function printMatch(match: Match, form?: Form): string {
  const [name, word] = match.some(({ field }) => decisive.has(field.matchName))
    ? (words.find(([, known]) =>
        known.every((asked) => match.some((entry) => says(entry, asked))),
      ) ?? [])
    : [];
  const isHidden = (entry: FieldMatch) => word?.some((asked) => says(entry, asked)) === true;
  const print = (entries: Match) =>
    entries.filter((entry) => !isHidden(entry)).flatMap((entry) => printOne(entry, form));
  const isBefore = ({ field }: FieldMatch) => fieldsBeforeProtocol.has(field);
  return [
    ...print(match.filter(isBefore)),
    ...(name === undefined ? [] : [name]),
    ...print(match.filter((entry) => !isBefore(entry))),
  ].join(',');
}

const words = [...protocolWords].filter(([, known]) => known.length > 0);

/** The fields that words stand for. */
const decisive: ReadonlySet<string> = new Set(
  words.flatMap(([, known]) => known.map(([matchName]) => matchName)),
);

function says({ field, value }: FieldMatch, [matchName, number]: ProtocolWord[number]): boolean {
  return field.matchName === matchName && value === BigInt(number);
}

function printOne(entry: FieldMatch, dumped: Form | undefined): readonly string[] {
  const { field } = entry;
  const form = dumped ?? canonical;
  if (entry.mask === 0n) return [field.name];
  if (dumped === undefined && field.notation.startsWith('unmasked'))
    return [`${field.name}=${printAssigned(field, entry)}`];
  if (field.notation !== 'vlan') return [`${field.matchName}=${printMasked(field, entry, form)}`];
  const tag = tagIn(form.protocol, entry);
  return tag.mask === 0n
    ? []
    : (printTag(tag) ?? [`${field.matchName}=${printMasked(field, tag, form)}`]);
}
