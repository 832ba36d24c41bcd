/**
 * The page's script in one piece: its modules, which import nothing but each other, as the compiler
 * left them.
 */
import { readFileSync } from 'node:fs';

export function pageScript(): string {
  return modulesBefore('main', new Set())
    .map(inlined)
    .join('\n')
    .replaceAll('</script', '<\\/script');
}

/** The text of a module behind the texts of what it imports; each module once. */
function modulesBefore(name: string, seen: Set<string>): string[] {
  if (seen.has(name)) return [];
  seen.add(name);
  const module = readFileSync(new URL(`./page/${name}.js`, import.meta.url), 'utf8');
  const imported = [...module.matchAll(/^import [^;]* from '\.\/([\w-]+)\.js';$/gm)];
  return [...imported.flatMap(([, other]) => modulesBefore(other ?? '', seen)), module];
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
