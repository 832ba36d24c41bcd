/**
 * Which flows a command is about: what `ovs-ofctl del-flows`, `mod-flows` and `dump-flows` take
 * (ovs-ofctl(8), "Flow Syntax").
 */
import { sortPieces, numberOf } from './flow-attributes.js';
import { parseTable } from './flow.js';
import { noNames, type Names } from '../syntax/form.js';
import { parseMatch, type Match } from '../match/match.js';
import { parsePort } from '../syntax/ports.js';
import { complain, cut, parseNumber, part, span, split } from '../syntax/text.js';
import type { Masked } from '../match/masked.js';

export interface FlowRequest {
  readonly match: Match;
  /** Bits of the cookie that flows must have. */
  readonly cookie: Masked;
  /** All tables where it is missing. */
  readonly table?: number;
  /** Asked for in strict commands only. */
  readonly priority?: number;
  /** Only flows that send there. */
  readonly outPort?: number;
  readonly outGroup?: number;
}

const allBits = (1n << 64n) - 1n;
/** OpenFlow's number for all of them (1.3, section 7.3.4.1, OFPTT_ALL). */
const allTables = '255';

/**
 * @param text `cookie=0x10/0xff,table=3,ip,out_port=2`; empty for all flows. @throws InputError
 *   with line and column.
 */
export function parseFlowRequest(
  text: string,
  names: Names = noNames,
  place = { file: 'flows', line: 1 },
): FlowRequest {
  const { attributes, match: pieces } = sortPieces(
    split(part(span(text, { ...place, column: 1 }), 0), /[,\s]/),
  );
  const allowed = new Set(['cookie', 'table', 'priority']);
  for (const [name, at] of attributes)
    if (!allowed.has(name)) throw complain(at, `${name} says nothing about which flows are meant`);
  const out = (name: string) =>
    pieces.map((piece) => cut(piece, '=')).findLast(([left]) => left.text === name)?.[1];
  const [table, outPort, outGroup] = [attributes.get('table'), out('out_port'), out('out_group')];
  const [value, mask] = cut(attributes.get('cookie') ?? span('0/0', place), '/');
  const cookieMask =
    mask === undefined || mask.text === '-1' ? allBits : parseNumber(mask, 'cookie', allBits);
  const priority = numberOf(attributes, 'priority', 0xffffn);
  return {
    match: parseMatch(
      pieces.filter(({ text: piece }) => !/^out_(port|group)=/.test(piece)),
      names,
    ),
    cookie: { value: parseNumber(value, 'cookie', allBits) & cookieMask, mask: cookieMask },
    ...(table === undefined || table.text === allTables ? {} : { table: parseTable(table, names) }),
    ...(priority === undefined ? {} : { priority: Number(priority) }),
    ...(outPort === undefined ? {} : { outPort: parsePort(outPort, names.ports) }),
    ...(outGroup === undefined
      ? {}
      : { outGroup: Number(parseNumber(outGroup, 'out_group', 0xffffffffn)) }),
  };
}
