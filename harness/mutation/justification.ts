/** Survivors against the reasons that are given for them. */
import type { MutantName } from './mutant.js';

/** Why mutants of one line may survive. An entry that no survivor needs is stale, and reported. */
export interface Justification {
  readonly file: string;
  /** The line that they begin on, or as much of it as tells it from others: what changes beside that does not matter. */
  readonly line: string;
  /** As they are listed: `a < b → a <= b`, `0 → 1 (2)`. */
  readonly mutations: readonly string[];
  /** Why no test can tell, or why none needs to. */
  readonly why: string;
  /** The check beside the fast tests that would catch it, where there is one. */
  readonly check?: string;
}

/** Why a question may go that has one answer, and that the type checker wants asked. */
export const forTypes = 'the same: only the type checker asks';

export interface Judgement<Survivor> {
  readonly justified: readonly { readonly survivor: Survivor; readonly justification: Justification }[];
  readonly unverified: readonly Survivor[];
  /** Entries that justify nothing (any more). */
  readonly stale: readonly Justification[];
}

/** @param justifications those about the modules that `survivors` are of. */
export function judgeSurvivors<Survivor extends MutantName>(survivors: readonly Survivor[], justifications: readonly Justification[]): Judgement<Survivor> {
  const found = survivors.map((survivor) => ({ survivor, justification: justifications.find((entry) => entry.file === survivor.file && survivor.line.includes(entry.line) && entry.mutations.includes(survivor.mutation)) }));
  return {
    justified: found.flatMap(({ survivor, justification }) => (justification === undefined ? [] : [{ survivor, justification }])),
    unverified: found.flatMap(({ survivor, justification }) => (justification === undefined ? [survivor] : [])),
    stale: justifications.flatMap((entry) => {
      const mutations = entry.mutations.filter((mutation) => !found.some(({ survivor, justification }) => justification === entry && survivor.mutation === mutation));
      return mutations.length === 0 ? [] : [{ ...entry, mutations }];
    }),
  };
}
