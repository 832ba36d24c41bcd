/**
 * Module hooks (node:module, register) for scenarios from outside the project: `flowbed` and
 * `flowbed/…` mean this project, and .ts files are stripped of their types when they are loaded.
 */
import { readFile } from 'node:fs/promises';
import type { InitializeHook, LoadHook, ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';

let project = '';

export const initialize: InitializeHook<{ readonly root: string }> = ({ root }) => {
  project = root;
};

export const resolve: ResolveHook = (specifier, context, next) =>
  /^flowbed(\/|$)/.test(specifier)
    ? next(specifier, { ...context, parentURL: project })
    : next(specifier, context);

export const load: LoadHook = async (url, context, next) => {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
  const { default: typescript } = await import('typescript');
  const file = fileURLToPath(url);
  const { outputText } = typescript.transpileModule(await readFile(file, 'utf8'), {
    fileName: file,
    compilerOptions: {
      module: typescript.ModuleKind.ESNext,
      target: typescript.ScriptTarget.ES2022,
      inlineSourceMap: true,
    },
  });
  return { format: 'module', source: outputText, shortCircuit: true };
};
