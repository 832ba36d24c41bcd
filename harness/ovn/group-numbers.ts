/**
 * Numbers of groups, which ovn-controller gives in the order in which it happens to compile: each
 * is numbered after what its buckets do. It makes one group of each content (OVN
 * lib/extend-table.c).
 */
import { sha256 } from '../base/files/digest.js';

/** By the number that the switch holds. */
export type GroupNumbers = ReadonlyMap<string, string>;

const heading = /^group_id=(\d+),/;

/** @param groups of one bridge, as the switch prints them. */
export function groupNumbers(groups: readonly string[]): GroupNumbers {
  return new Map(
    groups.flatMap((group) => {
      const number = heading.exec(group)?.[1];
      return number === undefined ? [] : [[number, numberFor(group.replace(heading, ''))]];
    }),
  );
}

/** In 28 bits: numbers behind 0xffffff00 are reserved (OpenFlow 1.3, section 7.2.1). */
function numberFor(content: string): string {
  return String(parseInt(sha256(content).slice(0, 7), 16) + 1);
}

/** In a flow, or in what a group itself says. */
export function renumberGroups(text: string, numbers: GroupNumbers): string {
  return text
    .replace(heading, (_, number: string) => `group_id=${numbers.get(number) ?? number},`)
    .replaceAll(/\bgroup:(\d+)/g, (_, number: string) => `group:${numbers.get(number) ?? number}`);
}
