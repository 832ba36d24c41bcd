/** Numbers for tables that have names in a dump of flows, where nothing else gives them. */
import { unquote } from '../openflow/syntax/ports.js';
import type { TableNames } from '../openflow/syntax/form.js';
import type { FlowLine } from './pasted/flow-lines.js';

const ownTable = /(?:^|[\s,])table[=:]\s*("[^"]*"|\w[^,\s]*)/;
const leadingTo = /\b(?:goto_table:|resubmit\([^,)]*,)("[^"]*"|\w[\w.-]*)/g;

/**
 * Tables that have names: a dump is in the order of its tables, so that each gets the next number
 * behind those before it which nobody else has. Those that are only led to come behind all.
 * @param groups texts of groups, which lead to tables too.
 */
export function numberedTables(
  lines: readonly FlowLine[],
  groups: readonly string[] = [],
): TableNames {
  const texts = lines.map((pieces) => pieces.map(({ text }) => text).join(''));
  const known = new Map<string, number>();
  const owns = texts.map(
    (text) => ownTable.exec(text.replace(/\bactions?\s*=.*$/s, ''))?.[1] ?? '0',
  );
  const taken = new Set([
    ...owns.filter((own) => /^\d+$/.test(own)).map(Number),
    ...[...texts, ...groups].flatMap((text) => [...numbersOfTables(text)]),
  ]);
  let last = -1;
  const put = (text: string) => {
    let number = last + 1;
    while (taken.has(number)) number++;
    taken.add(number);
    known.set(unquote(text), number);
    last = number;
  };
  for (const own of owns) {
    if (/^\d+$/.test(own)) last = Math.max(last, Number(own));
    else if (!known.has(unquote(own))) put(own);
  }
  last = Math.max(last, ...taken);
  for (const text of [...texts, ...groups])
    for (const [, name = ''] of text.matchAll(leadingTo))
      if (!/^\d/.test(name) && !known.has(unquote(name))) put(name);
  return known;
}

/** Of its own table, and of those that it leads to. */
function* numbersOfTables(text: string): Generator<number> {
  for (const [, name = ''] of text.matchAll(leadingTo)) if (/^\d+$/.test(name)) yield Number(name);
  for (const [, number] of text.matchAll(/(?:^|[\s,(])table[=:]\s*(\d+)/g)) yield Number(number);
}
