/** A value with the bits of it that count; bits outside the mask are zero in the value. */

export interface Masked {
  readonly value: bigint;
  readonly mask: bigint;
}
