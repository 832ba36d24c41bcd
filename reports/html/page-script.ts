/**
 * The page's script in one piece: its modules, which import nothing but each other, as the compiler
 * left them.
 */
import { readFileSync } from 'node:fs';

/** In the order of their imports. */
const modules = [
  'elements',
  'scene',
  'cells',
  'draw-matrix',
  'draw-truth-tables',
  'draw-explorer',
  'draw-vector',
  'main',
];

export function pageScript(): string {
  return modules
    .map((name) => inlined(readFileSync(new URL(`./page/${name}.js`, import.meta.url), 'utf8')))
    .join('\n')
    .replaceAll('</script', '<\\/script');
}

/** One script has one scope: imports and exports say nothing any more. */
function inlined(module: string): string {
  return module
    .replace(/^import [^;]*;\n/gm, '')
    .replace(/^export \{\};\n/gm, '')
    .replace(/^export /gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '')
    .replace(/^\/\/\/ .*\n/gm, '');
}
