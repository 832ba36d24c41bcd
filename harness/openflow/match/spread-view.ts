/** Views: second names for bits of other rows of the field table. */
import { fields, wordsOf, type Field } from './fields.js';
import type { Masked } from './masked.js';
import type { FieldMatch } from './field-match.js';

/** A view's bits in the rows that have them. */
export function spread(field: Field, { value, mask }: Masked): readonly FieldMatch[] {
  return (
    viewed.get(field)?.map(({ row, up }) => {
      const bits = (number: bigint) => (number >> up) & row.ones;
      return { field: row, value: bits(value), mask: bits(mask) };
    }) ?? [{ field, value, mask }]
  );
}

/**
 * The rows that a view shows, with the bits of the view above (or below, if negative) the row's
 * lowest.
 */
const viewed: ReadonlyMap<Field, readonly { readonly row: Field; readonly up: bigint }[]> = new Map(
  fields
    .filter(({ isView }) => isView)
    .map((view) => {
      const end = view.word + wordsOf(view);
      const rows = fields.filter((row) => !row.isView && row.word >= view.word && row.word < end);
      return [
        view,
        rows.map((row) => ({ row, up: BigInt((end - row.word - wordsOf(row)) * 32 - view.shift) })),
      ] as const;
    }),
);
