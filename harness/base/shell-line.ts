/** The words as one line for sh(1), quoted where they must be. */
export function shellLine(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}
