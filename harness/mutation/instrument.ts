import type { Mutant } from './mutant.js';
import { question } from './question.js';

/**
 * The text of a module with all its mutants in it, each behind a question: `a < b` becomes `(lives(3) ? (a <= b) : (a < b))`. With none
 * alive it does what it did. One compilation serves all mutants, and what is never asked is never reached.
 *
 * @param mutants as `findMutants` gives them: outer before inner; spans do not overlap in part.
 * @param first the number of the first of them.
 */
export function instrument(text: string, mutants: readonly Mutant[], first: number): string {
  const numbered = mutants.map((mutant, index) => ({ ...mutant, number: first + index }));
  return render(text, { start: 0, end: text.length }, numbered);
}

interface Numbered extends Mutant {
  readonly number: number;
}

/** The text of a span, with the mutants in it. */
function render(text: string, span: { readonly start: number; readonly end: number }, mutants: readonly Numbered[]): string {
  let rendered = '';
  let done = span.start;
  let [first] = mutants;
  let rest = mutants;
  while (first !== undefined) {
    const { start, end } = first;
    const within = rest.filter((mutant) => mutant.end <= end);
    const here = within.filter((mutant) => mutant.start === start && mutant.end === end);
    const inner = render(text, { start, end }, within.slice(here.length));
    rendered += text.slice(done, start) + here.reduce(ask, isStatement(first) ? inner : `(${inner})`);
    done = end;
    rest = rest.slice(within.length);
    [first] = rest;
  }
  return rendered + text.slice(done, span.end);
}

function isStatement({ replacement }: Mutant): boolean {
  return replacement === undefined;
}

function ask(otherwise: string, { number, replacement }: Numbered): string {
  // In braces, so that no `else` behind it changes hands.
  return replacement === undefined ? `{ if (!${question}(${number})) ${otherwise} }` : `(${question}(${number}) ? (${replacement}) : ${otherwise})`;
}
