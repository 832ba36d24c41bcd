/** One line of what a side reports, and which side did. */

import { describeNote, describeNoteWithoutTime } from './describe-note.js';
import type { Observation } from '../domain/observation.js';

export interface Note {
  readonly text: string;
  readonly seen: 'by both' | 'by the model only' | 'by the switch only' | 'not observed';
}

export function sideBySide(
  predicted: readonly string[],
  seen: readonly string[] | undefined,
): readonly Note[] {
  if (seen === undefined) return predicted.map((text) => ({ text, seen: 'not observed' }));
  return [
    ...predicted.map(
      (text): Note => ({ text, seen: seen.includes(text) ? 'by both' : 'by the model only' }),
    ),
    ...seen
      .filter((text) => !predicted.includes(text))
      .map((text): Note => ({ text, seen: 'by the switch only' })),
  ];
}

/**
 * Beside what ran in a batch: there hosts knew their neighbours, and came to the
 * same sooner.
 */
export function batchNotes({ notes }: Observation, seen: Observation | undefined): readonly Note[] {
  const observedTexts = new Set(seen?.notes.map(describeNoteWithoutTime));
  return notes.map((note) => ({
    text: describeNote(note),
    seen: observedTexts.has(describeNoteWithoutTime(note)) ? 'by both' : 'not observed',
  }));
}
