/**
 * Writes dist/bundle: `main.js` with all that it loads itself, in a few files. To find and link
 * some 300 modules takes longer than what `trace` does with them. `work.js` and `shard-worker.js`
 * are what it starts for a run. Other commands, and what they start, stay where they are.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { bundledScenario, scenariosIn } from '../scenarios/scenario-files.js';
import { bundled } from '../unsupervised.js';
import { writePrograms } from './write-programs.js';

const dist = fileURLToPath(new URL('../../..', import.meta.url));
const bundle = join(dist, 'bundle');
const place = (file: string) => relative(bundle, file);

/** `import.meta.url` is that of the module as it was written, not that of the bundle. */
const originalPlaces: Plugin = {
  name: 'original places',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (path.includes('/node_modules/')) return undefined;
      const url = `new URL(${JSON.stringify(place(path))}, import.meta.url).href`;
      return { contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', url) };
    });
  },
};

/** Commands that are not in the bundle, and modules that are missing, are loaded from dist. */
const commandsApart: Plugin = {
  name: 'commands apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\.?\// }, ({ path, importer, kind, resolveDir }) => {
      const file = join(resolveDir, path);
      const isApart =
        kind === 'dynamic-import' &&
        /\/harness\/cli\/(\w+\/\w+-)?commands\.js$/.test(importer) &&
        !bundled.some((command) => path.endsWith(`/${command}.js`));
      if (importer.includes('/node_modules/') || (existsSync(file) && !isApart)) return undefined;
      return { path: place(file), external: true };
    });
  },
};

/** Packages that are loaded when they are needed stay apart: some hold machine code. */
const packagesApart: Plugin = {
  name: 'packages apart',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) =>
      kind === 'dynamic-import' && !importer.includes('/node_modules/')
        ? { path, external: true }
        : undefined,
    );
  },
};

const scenarios = await scenariosIn(dist).catch(() => []); // a part of the project has none
await build({
  entryPoints: {
    main: join(dist, 'harness/cli/main.js'),
    work: join(dist, 'harness/cli/work.js'),
    'run-scenario-process': join(dist, 'harness/cli/scenario-process/run-scenario-process.js'),
    'shard-worker': join(dist, 'harness/cli/workers/shard-worker.js'),
    ...Object.fromEntries(
      scenarios.map((name) => [bundledScenario(name), join(dist, 'scenarios', `${name}.js`)]),
    ),
  },
  define: { IS_BUNDLE: 'true' },
  outdir: bundle,
  absWorkingDir: dirname(dist),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: true,
  logLevel: 'warning',
  plugins: [originalPlaces, commandsApart, packagesApart],
  // Packages that are no ES modules ask for node's own modules by `require`.
  banner: {
    js:
      "import { createRequire as createRequireOfBundle } from 'node:module';" +
      'const require = createRequireOfBundle(import.meta.url);',
  },
});
await writePrograms(dist);
