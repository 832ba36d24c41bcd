/**
 * What steers what it is shown on: controls (C0 and C1, DEL, so ESC), the marks, embeddings and
 * isolates that turn the direction of text round (UAX #9), separators of lines and paragraphs, and
 * halves of surrogate pairs, which are no characters.
 */
const steering = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\p{Cs}]/gu;

/**
 * The text with what may not reach a terminal written as its code: `\x1b`, `\u202e`. Newlines and
 * tabs stay: whoever wants one line takes `onOneLine`.
 */
export function visible(text: string): string {
  return text.replace(steering, (one) => (one === '\n' || one === '\t' ? one : codeOf(one)));
}

/** The same, on one line: newlines and tabs are written as codes as well, `\n` and `\t`. */
export function onOneLine(text: string): string {
  return visible(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/**
 * The data with every text in it on one line and visible, names of properties among them: what
 * reports are made of. What is no plain data, such as bytes, stays as it is.
 */
export function shown<Data>(data: Data): Data {
  return mapTexts(data, onOneLine) as Data;
}

/** The same, but for newlines and tabs: for what is shown in a page, where they are blanks. */
export function shownInPage<Data>(data: Data): Data {
  return mapTexts(data, visible) as Data;
}

function mapTexts(data: unknown, change: (text: string) => string): unknown {
  if (typeof data === 'string') return change(data);
  if (Array.isArray(data)) return data.map((item) => mapTexts(item, change));
  if (!isPlain(data)) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [change(name), mapTexts(value, change)]),
  );
}

function isPlain(data: unknown): data is object {
  return (
    data !== null && typeof data === 'object' && Object.getPrototypeOf(data) === Object.prototype
  );
}

/** JSON as it is printed: what steers a terminal stands as `\u001b` in it, and means the same. */
export function printedJson(data: unknown): string {
  return JSON.stringify(data, null, 2).replace(steering, (one) =>
    one === '\n' ? one : `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function codeOf(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u${code.padStart(4, '0')}`;
}
