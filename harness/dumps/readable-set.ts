/**
 * `set_field:0/0x2->nw_ecn`: of flows that load some bits ovs-ofctl prints masks of fields that
 * take none, and does not read them again.
 */
import { fieldsNamed } from '../openflow/match/fields.js';

export const maskedSet = /\bset_field:(0x[\da-f]+|\d+)\/(0x[\da-f]+)->(\w+)/gi;

/** The same in words that ovs-ofctl reads: the whole field, or runs of its bits. */
export function readableSet(text: string, value: string, mask: string, name: string): string {
  const field = fieldsNamed(name)[0];
  if (field === undefined || field.maskable) return text;
  if (BigInt(mask) === field.ones) return `set_field:${value}->${name}`;
  return runsOf(BigInt(mask))
    .map(([first, last]) => {
      const bits = (BigInt(value) >> BigInt(first)) & ((1n << BigInt(last - first + 1)) - 1n);
      return `load:0x${bits.toString(16)}->${field.nxm}[${first}..${last}]`;
    })
    .join(',');
}

/** First and last bit of each run of ones. */
function runsOf(mask: bigint): readonly (readonly [first: number, last: number])[] {
  const bits = [...mask.toString(2)].toReversed();
  return bits.flatMap((bit, first) => {
    if (bit === '0' || bits[first - 1] === '1') return [];
    const end = bits.indexOf('0', first);
    return [[first, (end < 0 ? bits.length : end) - 1] as const];
  });
}
