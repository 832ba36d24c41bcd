/**
 * What steers what it is shown on: controls (C0 and C1, DEL, so ESC), the marks, embeddings and
 * isolates that turn the direction of text round (UAX #9), separators of lines and paragraphs, and
 * halves of surrogate pairs, which are no characters.
 */
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/**
 * The text with what may not reach a terminal told by its code: `\x1b`, `\u202e`. Newlines and tabs
 * stay: whoever wants one line takes `onOneLine`.
 */
export function visible(text: string): string {
  return text.replace(steering, (one) => (one === '\n' || one === '\t' ? one : codeOf(one)));
}

/** The same, on one line: newlines and tabs are told by their codes as well, `\n` and `\t`. */
export function onOneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function codeOf(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
}
