/** A second copy of the compiled project, in which one module at a time is instrumented. */
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { Unavailable } from '../base/errors.js';
import { supervise, type Ending } from '../testing/supervise.js';
import { endlessExitCode, variables, type Asked } from './question.js';

export interface Sandbox {
  /** Puts `text`, in TypeScript, in the place of a module until the next is put there. */
  readonly instrument: (module: string, text: string) => Promise<void>;
  /** Runs a test file without any mutant. @throws Unavailable when it does not pass. */
  readonly record: (test: string) => Promise<Asked>;
  /** Runs a test file with one mutant alive, to its first failure. */
  readonly attempt: (test: string, mutant: number, questionsMax: number) => Promise<Attempt>;
}

/** `endless`: it was stopped, because it asked too often or took too long. */
export type Attempt = 'passed' | 'failed' | 'endless';

const limitMs = 120_000;
const compilerOptions: ts.CompilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, verbatimModuleSyntax: true };

/** Makes a sandbox of the project at `root` in `dir`, which is empty and belongs to the caller. */
export async function createSandbox(root: string, dir: string): Promise<Sandbox> {
  await cp(join(root, 'dist'), join(dir, 'dist'), { recursive: true });
  for (const name of await readdir(root)) if (name !== 'dist') await symlink(join(root, name), join(dir, name));
  const asked = join(dir, 'asked');
  await mkdir(asked);
  let last = '';

  const run = (test: string, environment: Readonly<Record<string, string>>): Promise<Ending> => supervise(process.execPath, [join(dir, 'dist', compiled(test))], {
    cwd: dir,
    env: { ...process.env, NODE_OPTIONS: `--import=${new URL('switch.js', import.meta.url).href}`, TAP_BAIL: '1', TAP_TIMEOUT: String(limitMs / 1000), ...environment },
    limitMs,
  });

  return {
    async instrument(module, text) {
      if (last !== '') await cp(join(root, 'dist', compiled(last)), join(dir, 'dist', compiled(last)));
      last = module;
      await writeFile(join(dir, 'dist', compiled(module)), ts.transpileModule(text, { compilerOptions }).outputText);
    },
    async record(test) {
      const file = join(asked, test.replaceAll('/', '-'));
      const ending = await run(test, { [variables.asked]: file });
      if (!ending.succeeded) throw new Unavailable(`${test} fails without any mutant: it ${ending.summary}`, [`run it alone: flowbed test ${test}`], `${ending.stdout}\n${ending.stderr}`.trim().split('\n').slice(-10));
      const programs = (await readFile(file, 'utf8')).trim().split('\n').map((line) => JSON.parse(line) as Asked);
      await rm(file);
      return { mutants: [...new Set(programs.flatMap(({ mutants }) => mutants))], questions: Math.max(...programs.map(({ questions }) => questions)) };
    },
    async attempt(test, mutant, questionsMax) {
      const ending = await run(test, { [variables.lives]: String(mutant), [variables.questionsMax]: String(questionsMax) });
      if (ending.succeeded) return 'passed';
      return ending.kind === 'gave-up' || ending.summary === `exited with ${endlessExitCode}` ? 'endless' : 'failed';
    },
  };
}

function compiled(source: string): string {
  return source.replace(/\.ts$/, '.js');
}
