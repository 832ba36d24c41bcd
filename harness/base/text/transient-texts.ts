/**
 * The same texts for a moment. One that was put together of pieces takes little room as long as
 * nobody reads it, and is laid out whole where somebody does, for as long as it lives: of the flows
 * of a thousand nodes, that is most of the memory. These are laid out, and those stay as they are.
 */
export function transientTexts(texts: readonly string[]): readonly string[] {
  const whole = texts.join('\n').split('\n');
  // Where one has several lines, its lines are no texts.
  return whole.length === texts.length ? whole : texts;
}
