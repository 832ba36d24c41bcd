/** For tests: what decides the fields that packets have, and numbers for those fields. */
import type { Random } from '../../base/random.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import type { FieldMatch } from '../../openflow/match/field-match.js';

const exactly = (name: string, value: number): FieldMatch => ({
  field: fieldCalled(name),
  value: BigInt(value),
  mask: fieldCalled(name).ones,
});
const typed = (type: number, ...more: readonly FieldMatch[]) => [
  exactly('eth_type', type),
  ...more,
];

/** A match for each kind of packet that has fields of its own. */
export const protocolContexts: readonly (readonly FieldMatch[])[] = [
  [],
  typed(0x0806),
  typed(0x8035),
  typed(0x8847),
  typed(0x8848),
  ...[0x0800, 0x86dd].flatMap((type) => [
    typed(type),
    ...[1, 6, 17, 58, 132].map((protocol) => typed(type, exactly('nw_proto', protocol))),
  ]),
  ...[135, 136].map((type) =>
    typed(0x86dd, exactly('nw_proto', 58), exactly('icmpv6_type', type), exactly('icmpv6_code', 0)),
  ),
];

export function someBits(random: Random, bits: number): bigint {
  let value = 0n;
  for (let done = 0; done < bits; done += 8) value = (value << 8n) | BigInt(random.integer(0, 255));
  return value & ((1n << BigInt(bits)) - 1n);
}
