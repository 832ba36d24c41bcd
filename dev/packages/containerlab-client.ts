/** The client of containerlab as a package: `harness/containerlab` and what it imports. */
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';

/** Those of the project that the client imports, at the project's versions. */
const dependencies = ['execa', 'yaml', 'zod'] as const;

/**
 * Compiles it into `folder`, which is made again.
 * @param root of the project.
 * @throws Error with the complaints of the compiler.
 */
export async function writeContainerlabClient(root: string, folder: string): Promise<void> {
  const source = join(root, 'harness/containerlab');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (file) =>
    ts.sys.readFile(file),
  ) as { config: { compilerOptions: object } };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram([join(source, 'index.ts')], {
    ...options,
    rootDir: join(root, 'harness'),
    outDir: folder,
    sourceMap: false,
    noCheck: true, // as all of the project is checked
  });
  const complaints = program.emit().diagnostics;
  if (complaints.length > 0)
    throw new Error(
      ts.formatDiagnostics(complaints, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => root,
        getNewLine: () => '\n',
      }),
    );
  await writeFile(
    join(folder, 'package.json'),
    `${JSON.stringify(await manifest(root), undefined, 2)}\n`,
  );
  await copyFile(join(source, 'PACKAGE.md'), join(folder, 'README.md'));
}

async function manifest(root: string): Promise<object> {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly engines: object;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return {
    name: 'containerlab-client',
    version: own.version,
    description: "A typed client of containerlab's command line, and of its topology files",
    type: 'module',
    engines: own.engines,
    exports: {
      '.': { types: './containerlab/index.d.ts', default: './containerlab/index.js' },
    },
    files: ['base', 'containerlab'],
    dependencies: Object.fromEntries(
      dependencies.map((name) => [name, own.dependencies[name]] as const),
    ),
  };
}
