/**
 * For tests: what real programs made of texts, as the files beside this one keep it. Their heads
 * say how to read them.
 */
import { readFileSync } from 'node:fs';
import type { Protocol } from '../syntax/form.js';

export interface Case {
  /** Open vSwitch's; all that were asked where none is named. */
  readonly versions: readonly string[];
  readonly input: string;
  /** Text by the version that gave it and the version that dumped it. */
  readonly printed: ReadonlyMap<Protocol, ReadonlyMap<Protocol, string>>;
  /** Why, in Open vSwitch's words. */
  readonly refused: ReadonlyMap<Protocol, string>;
}

const short: Readonly<Record<string, Protocol>> = {
  '10': 'OpenFlow10',
  '13': 'OpenFlow13',
  '15': 'OpenFlow15',
};

/** `protocols`: those that `*` stands for. */
export function readCorpus(
  name: 'actions' | 'groups' | 'meters',
  protocols: readonly Protocol[],
): readonly Case[] {
  const text = readFileSync(
    new URL(`../../../../harness/openflow/testkit/corpus/${name}.txt`, import.meta.url),
    'utf8',
  );
  const blocks: string[][] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('#') || line === '') continue;
    if (line.startsWith('  ')) blocks.at(-1)?.push(line.slice(2));
    else blocks.push([line]);
  }
  return blocks.map(([head = '', ...lines]) => readCase(head, lines, protocols));
}

function readCase(head: string, lines: readonly string[], protocols: readonly Protocol[]): Case {
  const [, versions = '', input = ''] = /^(?:@(\S+) )?(.*)$/.exec(head) ?? [];
  const printed = new Map<Protocol, Map<Protocol, string>>(
    protocols.map((protocol) => [protocol, new Map()]),
  );
  const refused = new Map<Protocol, string>();
  for (const line of lines) {
    const [, where = '', word, rest = ''] =
      /^(\S+)(?: (refused|unreadable)(?=:|$):?)? ?(.*)$/.exec(line) ?? [];
    if (word === 'unreadable') continue;
    const pairs =
      where === '*'
        ? protocols.flatMap((by) => protocols.map((dump) => [by, dump] as const))
        : where.split(',').map((pair) => pair.split('>').map((number) => short[number]!));
    for (const [by, dump] of pairs) {
      if (word === 'refused') refused.set(by, rest);
      else printed.get(by)?.set(dump, rest);
    }
  }
  return { versions: versions === '' ? [] : versions.split(','), input, printed, refused };
}
