import { bannedWords, stillUsed, type BannedWord } from './banned-words.js';
import type { Source } from './sources.js';

/**
 * Files that may hold such words: the list itself, what tests it, and the page that repeats
 * messages of the code.
 */
const exempt = /^(dev\/tidiness\/(banned-words|find-banned-words(\.test)?)\.ts|docs\/limits\.md)$/;

/**
 * Banned words in sources and docs, one complaint each with its place. The first `allowed` uses of
 * a pattern pass; where fewer are left than allowed, that is the complaint.
 */
export function complainAboutWords(
  texts: readonly Source[],
  words: readonly BannedWord[] = bannedWords,
  allowed: Readonly<Record<string, number>> = stillUsed,
): readonly string[] {
  const searched = texts.filter(({ path }) => !exempt.test(path)).map(searchable);
  return words.flatMap((word) => {
    const found = searched.flatMap((source) => usesOf(word, source));
    const left = allowed[word.pattern] ?? 0;
    if (found.length < left)
      return [
        `/${word.pattern}/ occurs ${found.length} times, and dev/tidiness/banned-words.ts ` +
          `allows ${left}`,
      ];
    return found.length > left ? found : [];
  });
}

interface Searched extends Source {
  /** The text, as long as it was, with lines joined that are one sentence. */
  readonly joined: string;
  /** Names of several words, as words, one a line. */
  readonly names: string;
}

/** A sentence may wrap in a comment, in a string of several parts, and in a page. */
function searchable(source: Source): Searched {
  const blank = (match: string): string => ' '.repeat(match.length);
  return {
    ...source,
    joined: source.text
      .replace(/\n\s*(\*(?!\/)|\/\/|#)?\s?/g, blank)
      .replace(/['`] \+ {2,}['`]/g, blank),
    names: [...source.text.matchAll(camelCase)].map(([name]) => inWords(name)).join('\n'),
  };
}

const camelCase = /\b\w*[a-z][A-Z]\w*\b/g;
const inWords = (name: string): string => name.replace(/([A-Z])/g, ' $1');

function usesOf(word: BannedWord, source: Searched): readonly string[] {
  const { path, text, joined, names } = source;
  const complain = (index: number, match: string): string =>
    `${path}:${text.slice(0, index).split('\n').length}: ` +
    `"${match.replace(/\s+/g, ' ')}": ${word.use}`;
  const inProse = new RegExp(word.pattern.replace(/ /g, '\\s+'), 'gi');
  const inNames = new RegExp(word.pattern, 'i');
  return [
    ...[...joined.matchAll(inProse)].map((match) => complain(match.index, match[0])),
    ...(inNames.test(names)
      ? [...text.matchAll(camelCase)]
          .filter(([name]) => inNames.test(inWords(name)))
          .map((match) => complain(match.index, match[0]))
      : []),
  ];
}
