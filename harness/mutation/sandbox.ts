/** A second copy of the compiled project, in which modules are instrumented. */
import { cp, mkdir, readdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';
import { Unavailable } from '../base/errors.js';
import type { Source } from '../tidiness/sources.js';
import { startProgram, type Program } from './program.js';
import { nobody, type Answer } from './question.js';

export interface Sandbox {
  /** Puts these texts, in TypeScript, in the places of their modules; all others are as they were. Programs that run meanwhile have loaded what was there before. */
  readonly instrument: (modules: readonly Source[]) => Promise<void>;
  /** Plays a test file twice without any mutant. @throws Unavailable when it does not pass. */
  readonly record: (test: string) => Promise<Extract<Answer, { kind: 'asked' }>>;
  /** A program in which `mutant` lives from the start. */
  readonly open: (mutant: number) => Stage;
}

/** A program that plays test files. */
export interface Stage {
  readonly play: (test: string, mutant: number, questionsMax: number) => Promise<'passed' | 'failed' | 'spoilt' | 'endless' | 'ended'>;
  readonly close: () => Promise<void>;
}

const compilerOptions: ts.CompilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, verbatimModuleSyntax: true };

/** Makes a sandbox of the project at `root` in `dir`, which is empty and belongs to the caller; a build of the project meanwhile does not matter. */
export async function createSandbox(root: string, dir: string): Promise<Sandbox> {
  const at = (name: string) => join(dir, name);
  for (const copy of ['dist', 'original']) await cp(join(root, 'dist'), at(copy), { recursive: true });
  await cp(fileURLToPath(new URL('.', import.meta.url)), at('programs'), { recursive: true });
  for (const name of await readdir(root)) if (name !== 'dist' && name !== 'node_modules') await symlink(join(root, name), at(name));
  await mkdir(at('temporary'));
  await linkPackages(join(root, 'node_modules'), at('node_modules'), at('programs/collected.js'));
  const start = (mutant: number): Program => startProgram(at('programs/play.js'), { dir, preload: at('programs/switch.js'), temporary: at('temporary'), mutant });
  const compiled = (test: string): string => at(`dist/${inJavaScript(test)}`);
  let instrumented: readonly Source[] = [];

  return {
    async instrument(modules) {
      for (const { path } of instrumented) await cp(at(`original/${inJavaScript(path)}`), compiled(path));
      for (const { path, text } of modules) await writeFile(compiled(path), ts.transpileModule(text, { compilerOptions }).outputText);
      instrumented = modules;
    },
    async record(test) {
      const program = start(nobody);
      const answer = await program.ask({ kind: 'record', file: compiled(test) });
      await program.close();
      const what = answer.kind === 'endless' ? 'takes too long' : 'fails';
      if (answer.kind !== 'asked') throw new Unavailable(`${test} ${what} without any mutant`, [`run it alone: flowbed test ${test}`]);
      return answer;
    },
    open(mutant) {
      const program = start(mutant);
      return {
        play: async (test, playing, questionsMax) => {
          const { kind } = await program.ask({ kind: 'play', file: compiled(test), mutant: playing, questionsMax });
          return kind === 'asked' ? 'failed' : kind;
        },
        close: program.close,
      };
    },
  };
}

/** All packages of `from`, but in the place of tap what keeps tests. */
async function linkPackages(from: string, to: string, collected: string): Promise<void> {
  await mkdir(join(to, 'tap'), { recursive: true });
  for (const name of await readdir(from)) if (name !== 'tap') await symlink(join(await realpath(from), name), join(to, name));
  await writeFile(join(to, 'tap/package.json'), JSON.stringify({ name: 'tap', type: 'module', exports: './index.js' }));
  await writeFile(join(to, 'tap/index.js'), `export { default } from ${JSON.stringify(pathToFileURL(collected).href)};\n`);
}

function inJavaScript(source: string): string {
  return source.replace(/\.ts$/, '.js');
}
