/**
 * Faults in the source of a program: one of its modules is loaded differently from what was
 * written.
 * Node loads this file itself, as a customisation of how it loads modules.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** One place of a module, as it is compiled, and what is there in its stead. */
export interface Mutation {
  /** How the module's URL ends. */
  readonly module: string;
  /** A regular expression, and what takes its place, as `String.replace` reads it. */
  readonly from: string;
  readonly to: string;
}

/** Options of node for the program. */
export function mutatingOptions(mutation: Mutation): readonly string[] {
  const registering =
    `import { register } from 'node:module';` +
    `register(${JSON.stringify(import.meta.url)}, { data: ${JSON.stringify(mutation)} });`;
  return ['--import', `data:text/javascript,${encodeURIComponent(registering)}`];
}

let planted: Mutation | undefined;

/** Called by node with what was registered. */
export function initialize(mutation: Mutation): void {
  planted = mutation;
}

interface Loaded {
  readonly format: string;
  readonly source: string;
  readonly shortCircuit: true;
}

/** Called by node for each module. @throws where the module has no such place. */
export async function load(
  url: string,
  context: object,
  next: (url: string, context: object) => Promise<unknown>,
): Promise<unknown> {
  if (planted === undefined || !url.endsWith(planted.module)) return await next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  const mutated = source.replace(new RegExp(planted.from), planted.to);
  if (mutated === source) throw new Error(`${planted.module} has no ${planted.from} to change`);
  return { format: 'module', source: mutated, shortCircuit: true } satisfies Loaded;
}
