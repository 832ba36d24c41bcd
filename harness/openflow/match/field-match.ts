import type { Field } from './fields.js';
import type { Masked } from './masked.js';

export interface FieldMatch extends Masked {
  readonly field: Field;
}
