/** What tests said about mutants, kept in a file: it holds as long as nothing changes that the test loads. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** `endless`: the test never came to an end. */
export type Outcome = 'passed' | 'failed' | 'endless';

export interface Memory {
  readonly recall: (test: string, module: string, mutant: number) => Outcome | undefined;
  readonly keep: (test: string, module: string, mutant: number, outcome: Outcome) => void;
}

/** A line of the file: the digest stands for the test and all that it loads. */
type Entry = readonly [digest: string, module: string, mutant: number, outcome: Outcome];

/**
 * What was kept of tests that have changed is forgotten.
 * @param file made where there is none.
 * @param digests of what each test file loads.
 */
export function openMemory(file: string, digests: ReadonlyMap<string, string>): Memory {
  const current = new Set(digests.values());
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter((line) => line.endsWith(']') && current.has((JSON.parse(line) as Entry)[0])) : [];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const known = new Map(lines.map((line) => {
    const [digest, module, mutant, outcome] = JSON.parse(line) as Entry;
    return [`${digest} ${module} ${mutant}`, outcome];
  }));
  return {
    recall: (test, module, mutant) => known.get(`${digests.get(test)} ${module} ${mutant}`),
    keep: (test, module, mutant, outcome) => {
      const entry: Entry = [digests.get(test) ?? '', module, mutant, outcome];
      appendFileSync(file, `${JSON.stringify(entry)}\n`);
    },
  };
}
