/**
 * The corpus's expressions: constructors with named arguments, bytes, texts, lists and whole-number
 * arithmetic, as Python writes them.
 */
import { InputError } from '../base/errors/errors.js';

/**
 * `tcp(src_port=1)`: a name and its arguments, by name; those without one stand under their place,
 * from 0.
 */
export interface Call {
  readonly kind: 'call';
  readonly name: string;
  readonly arguments: ReadonlyMap<string, Value>;
}

export type Value = bigint | string | Uint8Array | Call | readonly Value[];

/** @throws InputError naming the expression and the place where it is none. */
export function parseExpression(text: string): Value {
  const reader: Reader = { text, at: 0 };
  const value = readOperation(reader, 0);
  skipSpace(reader);
  if (reader.at < text.length) throw syntaxError(reader, 'the end');
  return value;
}

/** What a call of that name is worth as a value of its own; undefined leaves the call as it is. */
export type Evaluate = (name: string, values: readonly Value[]) => Value | undefined;

/**
 * Works out all arithmetic and those calls that `call` knows. @throws InputError for arithmetic
 * with what is no number.
 */
export function evaluate(value: Value, call: Evaluate): Value {
  if (isList(value)) return value.map((item) => evaluate(item, call));
  if (!isCall(value)) return value;
  const evaluated = new Map(
    [...value.arguments].map(([name, item]) => [name, evaluate(item, call)] as const),
  );
  const operator = operators.flat().find(({ symbol }) => symbol === value.name);
  return (
    operator?.apply(evaluated.get('0') ?? 0n, evaluated.get('1') ?? 0n) ??
    call(value.name, [...evaluated.values()]) ?? { ...value, arguments: evaluated }
  );
}

export function isCall(value: Value): value is Call {
  return typeof value === 'object' && 'kind' in value;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

interface Reader {
  readonly text: string;
  at: number;
}

interface Operator {
  readonly symbol: string;
  readonly apply: (a: Value, b: Value) => Value;
}

const onNumbers = (apply: (a: bigint, b: bigint) => bigint) => (a: Value, b: Value) => {
  if (typeof a !== 'bigint' || typeof b !== 'bigint')
    throw new InputError('the corpus calculates with what is no number');
  return apply(a, b);
};

/** Those that bind weakest come first. */
const operators: readonly (readonly Operator[])[] = [
  [{ symbol: '&', apply: onNumbers((a, b) => a & b) }],
  [{ symbol: '-', apply: onNumbers((a, b) => a - b) }],
  [
    {
      symbol: '*',
      apply: (a, b) =>
        a instanceof Uint8Array ? repeat(a, Number(b)) : onNumbers((x, y) => x * y)(a, b),
    },
  ],
  [{ symbol: '**', apply: onNumbers((a, b) => a ** b) }],
];

function repeat(bytes: Uint8Array, times: number): Uint8Array {
  return Uint8Array.from(
    { length: bytes.length * times },
    (_, index) => bytes[index % bytes.length] ?? 0,
  );
}

function readOperation(reader: Reader, level: number): Value {
  const here = operators[level];
  if (here === undefined) return readValue(reader);
  let left = readOperation(reader, level + 1);
  for (
    let found = takeOperator(reader, here);
    found !== undefined;
    found = takeOperator(reader, here)
  ) {
    left = {
      kind: 'call',
      name: found.symbol,
      arguments: new Map([
        ['0', left],
        ['1', readOperation(reader, level + 1)],
      ]),
    };
  }
  return left;
}

function takeOperator(reader: Reader, here: readonly Operator[]): Operator | undefined {
  const [symbol = ''] = /^\s*(\*\*|[&*-])/.exec(reader.text.slice(reader.at)) ?? [];
  const found = here.find((operator) => operator.symbol === symbol.trim());
  if (found !== undefined) reader.at += symbol.length;
  return found;
}

function readValue(reader: Reader): Value {
  skipSpace(reader);
  const bytes = take(reader, /^b'((?:[^'\\]|\\.)*)'|^b"((?:[^"\\]|\\.)*)"/s);
  if (bytes !== undefined) return unescape(bytes[1] ?? bytes[2] ?? '');
  const text = take(reader, /^'([^'\\]*)'/);
  if (text !== undefined) return text[1] ?? '';
  const number = take(reader, /^0x[0-9a-f]+|^\d+/);
  if (number !== undefined) return BigInt(number[0]);
  if (take(reader, /^\[/) !== undefined) return [...readArguments(reader, ']').values()];
  if (take(reader, /^\(/) !== undefined) return [...readArguments(reader, ')').values()][0] ?? 0n;
  const name = take(reader, /^([\w.]+)\(/);
  if (name === undefined) throw syntaxError(reader, 'a value');
  return { kind: 'call', name: name[1] ?? '', arguments: readArguments(reader, ')') };
}

/** Arguments, or items of a list, up to the bracket that closes them. */
function readArguments(reader: Reader, end: string): ReadonlyMap<string, Value> {
  const found = new Map<string, Value>();
  for (;;) {
    skipSpace(reader);
    if (reader.text.startsWith(end, reader.at)) break;
    const [, name = String(found.size)] = take(reader, /^(\w+)\s*=\s*/) ?? [];
    found.set(name, readOperation(reader, 0));
    skipSpace(reader);
    if (take(reader, /^,/) === undefined && !reader.text.startsWith(end, reader.at))
      throw syntaxError(reader, `"," or "${end}"`);
  }
  reader.at += end.length;
  return found;
}

const escapes: Readonly<Record<string, number>> = {
  n: 10,
  r: 13,
  t: 9,
  '\\': 92,
  "'": 39,
  '"': 34,
};

/** The bytes between the quotes of `b'…'`. */
function unescape(text: string): Uint8Array {
  const bytes = [...text.matchAll(/\\x([0-9a-f]{2})|\\(.)|([^\\])/gis)].map(
    ([, hex, escaped, plain]) =>
      hex !== undefined
        ? parseInt(hex, 16)
        : escaped !== undefined
          ? escapes[escaped]
          : plain?.charCodeAt(0),
  );
  return Uint8Array.from(
    bytes.map((byte) => {
      if (byte === undefined || byte > 0xff)
        throw new InputError(`the corpus escapes a byte in a way that is not known: ${text}`);
      return byte;
    }),
  );
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  const found = pattern.exec(reader.text.slice(reader.at));
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found;
}

function skipSpace(reader: Reader): void {
  take(reader, /^\s+/);
}

function syntaxError({ text, at }: Reader, wanted: string): InputError {
  return new InputError(`expected ${wanted} at character ${at + 1} of "${text}"`);
}
