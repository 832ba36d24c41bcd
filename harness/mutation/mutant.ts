/** One small fault that somebody might have written: a span of a module's text, and what stands there instead. */
export interface Mutant {
  /** First character of the span, and the one behind its last, counted from 0 in the module's text. */
  readonly start: number;
  readonly end: number;
  /** Left out means that the statement in the span is removed; else the span is an expression and so is this. */
  readonly replacement?: string;
}

/** How people, and the file of justifications, call a mutant of a module. */
export interface MutantName {
  readonly file: string;
  /** The line that it begins on, from 1: for people alone, since it moves. */
  readonly lineNumber: number;
  /** The text of that line, without the white space around it. */
  readonly line: string;
  /** `a < b → a <= b`, or `push(a) removed`. */
  readonly mutation: string;
}

/** The names of a module's mutants, in their order. What comes twice in a line is numbered: `0 → 1`, `0 → 1 (2)`. */
export function nameMutants(file: string, text: string, mutants: readonly Mutant[]): readonly MutantName[] {
  const times = new Map<string, number>();
  return mutants.map((mutant) => {
    const name = nameMutant(file, text, mutant);
    const key = `${name.lineNumber} ${name.mutation}`;
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return time === 1 ? name : { ...name, mutation: `${name.mutation} (${time})` };
  });
}

function nameMutant(file: string, text: string, { start, end, replacement }: Mutant): MutantName {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = text.indexOf('\n', start);
  const original = inOneLine(text.slice(start, end));
  return {
    file,
    lineNumber: text.slice(0, start).split('\n').length,
    line: text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).trim(),
    mutation: replacement === undefined ? `${original} removed` : `${original} → ${inOneLine(replacement)}`,
  };
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
