/** Where ovn-controller writes whether it did what it was asked to: one bit of a field. */
import { Unsupported } from '../../base/errors/errors.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { readOxmHeader } from '../../openflow/match/oxm.js';
import type { Field } from '../../openflow/match/fields.js';

/**
 * The field's header, and the bit's place in it, as OVN's actions begin (OVN lib/actions.c,
 * encode_put_opts).
 */
export function readResultBit(
  argument: Uint8Array,
  operation: string,
): {
  readonly result: { readonly field: Field; readonly mask: bigint };
  readonly rest: Uint8Array;
} {
  const header = readOxmHeader(argument);
  const place = argument.subarray(header.bytes);
  if (place.length < 4) throw new Unsupported(`${operation} with an argument that is cut off`);
  return {
    result: { field: header.field, mask: 1n << BigInt(viewOf(place).getUint32(0)) },
    rest: place.subarray(4),
  };
}
