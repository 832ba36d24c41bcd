/**
 * YAML that people write, with the place of every value kept, so that each complaint can point at
 * what it is about.
 */
import {
  LineCounter,
  isMap,
  isNode,
  isScalar,
  parseAllDocuments,
  parseDocument,
  type Document,
} from 'yaml';
import type { z } from 'zod';
import { aliasProblems } from './yaml-aliases.js';
import { InputError, assert, formatPlace, type Place } from '../errors/errors.js';
import type { Path } from './yaml-problem.js';
import { explain, type YamlProblem } from './yaml-problem.js';

export interface YamlDocument {
  readonly value: unknown;
  /** Where the key or value of a problem begins; where it is not written, what encloses it. */
  placeOf(problem: Pick<YamlProblem, 'path' | 'of'>): Place;
}

/**
 * The one document of `text`. @throws InputError at the first place that is no YAML; the others
 * follow, a line each.
 */
export function readYaml(text: string, file: string): YamlDocument {
  checkCharacters(text, file);
  const lines = new LineCounter();
  return located(parseDocument(text, { lineCounter: lines, ...reading }), lines, file);
}

/** With merge keys (`<<`), as kubectl reads them. */
const reading = { prettyErrors: false, logLevel: 'error', merge: true } as const;

/**
 * All documents of `text`, as `---` parts them; those without a value are left out. @throws
 * InputError as `readYaml`.
 */
export function readYamlDocuments(text: string, file: string): readonly YamlDocument[] {
  const written = writtenByProgram(text);
  if (written !== undefined)
    return [
      {
        value: written,
        placeOf: (problem) => parsedDocuments(text, file)[0]?.placeOf(problem) ?? { file },
      },
    ];
  return parsedDocuments(text, file);
}

/**
 * The value of a text that is, byte by byte, what `JSON.stringify(value, null, 1)` makes of it: it
 * is YAML as well, is read a hundred times sooner as what it is, and its places are looked for only
 * where somebody complains. Undefined for any other.
 */
function writtenByProgram(text: string): unknown {
  if (!text.startsWith('{\n "')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value, null, 1) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

function parsedDocuments(text: string, file: string): readonly YamlDocument[] {
  checkCharacters(text, file);
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, ...reading });
  const documents: readonly Document.Parsed[] = Array.isArray(parsed) ? parsed : [];
  return documents
    .map((document) => located(document, lines, file))
    .filter(({ value }) => value !== null);
}

function located(document: Document, lines: LineCounter, file: string): YamlDocument {
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const problems = [...document.errors, ...document.warnings].map(({ pos, message }) => ({
    offset: pos[0],
    message: worded(message),
  }));
  const wrong = problems.length > 0 ? problems : aliasProblems(document);
  if (wrong.length > 0)
    throw refusedAt(wrong.map(({ offset, message }) => ({ place: at(offset), message })));
  return {
    value: document.toJS({ maxAliasCount: -1 }),
    placeOf: (problem) => at(offsetOf(document, problem)),
  };
}

/** What the library says of itself, in words about the text. */
function worded(message: string): string {
  if (message.startsWith('Maximum call stack'))
    return 'nested too deeply: some hundred levels can be read';
  return message.startsWith('Source contains multiple documents')
    ? 'a second document begins here, and one is expected'
    : message;
}

/** No YAML has them (YAML 1.2.2, 5.1). @throws InputError at the first. */
function checkCharacters(text: string, file: string): void {
  const index = text.search(notInYaml);
  if (index === -1) return;
  const before = text.slice(0, index).split('\n');
  const code = text.charCodeAt(index).toString(16).toUpperCase().padStart(4, '0');
  const what = code === 'FFFD' ? 'a byte that is not UTF-8' : `the control character U+${code}`;
  throw new InputError(`${what}, which no YAML has: expected text in UTF-8`, {
    file,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
  });
}

const notInYaml = /[\x00-\x08\x0b\x0c\x0e-\x1f\uFFFD]/;

/**
 * What `schema` makes of the document. @throws InputError naming everything that is wrong, keys
 * that nobody knows first: they explain why others are missing.
 */
export function readAs<Schema extends z.ZodType>(
  document: YamlDocument,
  schema: Schema,
  word: (problem: YamlProblem) => string = ({ message }) => message,
): z.output<Schema> {
  const read = schema.safeParse(document.value, { reportInput: true });
  if (read.success) return read.data;
  const problems = read.error.issues
    .flatMap((issue) => explain(issue, schema))
    .map((problem) => ({ ...problem, message: word(problem) }));
  throw refused(document, [
    ...problems.filter(({ of }) => of === 'key'),
    ...problems.filter(({ of }) => of !== 'key'),
  ]);
}

/** A value within a document, as a document of its own: its places are the whole one's. */
export function within(document: YamlDocument, path: Path, value: unknown): YamlDocument {
  return {
    value,
    placeOf: (problem) => document.placeOf({ ...problem, path: [...path, ...problem.path] }),
  };
}

/** All of the problems as one error at the place of the first; the others follow, a line each. */
export function refused(document: YamlDocument, problems: readonly YamlProblem[]): InputError {
  return refusedAt(
    problems.map((problem) => ({ place: document.placeOf(problem), message: problem.message })),
  );
}

/** As `refused`, of places that may be in several files. */
export function refusedAt(
  problems: readonly { readonly place: Place; readonly message: string }[],
): InputError {
  const [first, ...others] = problems
    .slice(0, problemsListed)
    .map(({ place, message }) => ({ place, message: shortened(message) }));
  assert(first !== undefined, 'a refusal without a problem');
  const more =
    problems.length > problemsListed ? [`and ${problems.length - problemsListed} more`] : [];
  return new InputError(
    [
      first.message,
      ...others.map(({ place, message }) => `${formatPlace(place)}: ${message}`),
      ...more,
    ],
    first.place,
  );
}

/** More would bury the first. */
const problemsListed = 20;

/** A value of any length stands in the middle of what is said about it. */
function shortened(message: string): string {
  return message.length <= 1000 ? message : `${message.slice(0, 500)}…${message.slice(-400)}`;
}

function offsetOf(
  document: Document,
  { path, of = 'value' }: Pick<YamlProblem, 'path' | 'of'>,
): number {
  const [parent, node] = [nodeAt(document, path.slice(0, -1)), nodeAt(document, path)];
  const key = isMap(parent)
    ? parent.items
        .map((pair) => pair.key)
        .find((candidate) => isScalar(candidate) && candidate.value === path.at(-1))
    : undefined;
  const found = of === 'key' && isNode(key) ? key : node;
  if (isNode(found) && found.range) return found.range[0];
  if (path.length === 0) return document.contents?.range?.[0] ?? document.range?.[0] ?? 0;
  return offsetOf(document, { path: path.slice(0, -1) });
}

function nodeAt(document: Document, path: Path): unknown {
  return path.length === 0 ? document.contents : document.getIn(path, true);
}
