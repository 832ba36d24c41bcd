import { onOneLine } from './visible.js';

/** The words as one line for sh(1), quoted where they must be. */
export function shellLine(words: readonly string[]): string {
  return words.map(quoted).join(' ');
}

/**
 * The same as people see it and type it again: a word with characters in it that steer a terminal
 * is written as their codes, which bash, zsh and ksh read (POSIX.1-2024, 2.2.4,
 * dollar-single-quotes).
 */
export function lineToType(words: readonly string[]): string {
  return words.map((word) => (onOneLine(word) === word ? quoted(word) : coded(word))).join(' ');
}

/** A word that begins with `=` is a program's path to zsh. */
function quoted(word: string): string {
  return /^[\w./:,@+-][\w./:=,@+-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function coded(word: string): string {
  const codes = [...word].map((character) => {
    if (character === "'" || character === '\\') return `\\${character}`;
    return onOneLine(character) === character ? character : octal(character);
  });
  return `$'${codes.join('')}'`;
}

function octal(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `\\${byte.toString(8).padStart(3, '0')}`)
    .join('');
}
