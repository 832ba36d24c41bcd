/** Fields that a text gives twice. */
import type { Field } from './fields.js';
import { tagParts } from './notations.js';
import { complain, type Span } from '../syntax/text.js';

/** What counts then: flows take them, ofproto/trace refuses them. */
export type Repeats = 'the last counts' | 'refused';

/**
 * @param before what the field was given by: another of its names counts too, a view of it does
 *   not, and parts of a tag are several fields. @throws InputError where it was given.
 */
export function refuseRepeat(at: Span, name: Field, before: Field | undefined): void {
  if (before === undefined) return;
  const apart = (row: Field) => row.isView || Object.hasOwn(tagParts, row.name);
  if (before === name || (!apart(before) && !apart(name)))
    throw complain(at, `${name.matchName} is given twice`);
}
