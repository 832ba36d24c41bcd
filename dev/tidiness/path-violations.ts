/**
 * Names that come from outside become parts of paths by `pathPart` alone
 * (harness/base/files/path-part.ts).
 */
import ts from 'typescript';
import { descendants, placeOf } from './sources.js';

/**
 * Files that put paths together of other than fixed words, and why no name from outside is among
 * these.
 */
export const allowedPaths: Readonly<Record<string, string>> = {
  'bench/nightly/ovs-commits.ts': "files of Debian's package, and names of the bench's own",
  'bench/packet-rates.ts': "names of the bench's own nodes",
  'harness/base/files/path-part.ts': 'is how they become parts',
  'harness/ovs/workspace/unfinished.ts': 'names that the system has listed',
  'harness/cli/fuzz/freeze-cases.ts': 'numbers of seed and case, in a folder that was asked for',
  'harness/cli/fuzz/frozen-cases.ts':
    'names that the system has listed in a folder that was asked for',
  'harness/cli/fuzz/freeze-dumps.ts': 'names of the fuzzer, in a folder that was asked for',
  'harness/cli/runs/merge.ts': 'runs that were asked for, and names that the system has listed',
  'harness/cli/nights/program-digest.ts': "names of the project's own files",
  'harness/cli/packets/read-switch.ts':
    'names that the system has listed in a folder that was asked for',
  'harness/cli/runs/store-run.ts': 'names of the formats of reports',
  'harness/cli/shrink/write-shrunk.ts': 'fixed names in a folder that was asked for',
  'harness/cli/test.ts': "names of the project's own files",
  'harness/cli/runs/command-in-guest.ts': 'a name of a file of its own',
  'harness/cli/runs/run-in-world.ts': "numbers of runs, and files that a run's manifest names",
  'harness/cli/scenarios/scenario-files.ts': 'files that the system has listed',
  'harness/cli/bundle/write-bundle.ts': "names of the project's own files",
  'harness/cli/bundle/write-programs.ts': "names of the project's own files",
  'harness/history/open-night.ts': 'names that the system has listed',
  'harness/history/night-files.ts': 'names that the system has listed',
  'harness/history/unfinished-folder.ts': 'a name that it makes',
  'harness/docker-engine/start-engine.ts': 'fixed names in a folder that was asked for',
  'harness/ovs/process/daemon.ts': 'names of programs',
  'harness/ovs/workspace/socket-path.ts':
    'escapes names, or refuses them where Open vSwitch makes the path',
  'harness/ovs/workspace/workspace.ts': 'names that it makes, and that the system has listed',
  'harness/programs/contrail-cnm/agent/held-ports.ts':
    'a file that was asked for, and one beside it',
  'harness/programs/contrail-cnm/plugin/journal.ts': 'a file that was asked for, and one beside it',
  'harness/programs/contrail-cnm/testkit/busybox-image.ts': 'folders and applets of busybox',
  'harness/programs/contrail-cnm/testkit/deployment.ts': "names of the tests' own hypervisors",
  'harness/programs/contrail-cnm/testkit/real-hypervisor.ts': "names of the tests' own hypervisors",
  'harness/programs/contrail-cnm/testkit/real-switch.ts': 'names that the system has listed',
  'harness/run/records/read-run-folder.ts': 'a run that was asked for, and names of its own files',
  'harness/run/records/run-folder.ts':
    "numbers of runs, names of its own files, and of logs in the sim's folder, where they are " +
    'escaped',
  'harness/testbeds/sim/sim.ts': 'names that the system has listed',
  'harness/testbeds/sim/configure/folders.ts': 'a number behind a path',
  'dev/tidiness/imports.ts': "names of the project's own files",
  'dev/tidiness/sources.ts': "names of the project's own files",
  'images/cache.ts': 'names of suites with a digest, and those that the system has listed',
  'images/contents.ts': 'names that the system has listed, as the manifest of the image keeps them',
  'images/other-writers.ts': "names of the image's own files",
  'images/engines.ts': 'names of suites with a digest, folders and programs of Debian',
  'images/images.ts': 'names of suites with a digest',
  'harness/base/files/on-path.ts': 'programs of the machine',
  'images/programs.ts': 'folders and programs of Debian',
  'images/apt.ts': 'archives that apt has fetched',
  'images/guest/guest-image.ts': 'packages that apt has named, and names of its own files',
  'images/uml/kernel.ts': 'its own name with a digest, and names of its own files',
  'images/uml/compile-kernel.ts': 'a package that apt has named',
  'images/rootfs.ts': 'folders and archives of Debian',
  'images/system-image.ts': 'folders of PATH, and programs',
  'topologies/manifest-folder.ts':
    'names that the system has listed in a folder that was asked for',
};

/**
 * Where a path is put together of a word that may come from outside, one line each; none for tests
 * and `allowedPaths`.
 */
export function pathViolations(file: ts.SourceFile): readonly string[] {
  return file.fileName in allowedPaths || file.fileName.endsWith('.test.ts')
    ? []
    : unsafeJoins(file);
}

/** The same, whatever the file is called. */
export function unsafeJoins(file: ts.SourceFile): readonly string[] {
  const [paths, files] = [
    namesFrom(file, /^(node:)?path$/),
    namesFrom(file, /^(node:)?(fs|fs\/promises|net)$/),
  ];
  return descendants(file)
    .filter(ts.isCallExpression)
    .flatMap((call) => {
      const [called = '', method] = call.expression.getText().split('.');
      const isJoin =
        paths.has(called) && ['join', 'resolve'].includes(method ?? paths.get(called) ?? '');
      const free = isJoin
        ? call.arguments.slice(1).find((part) => !isFixed(part))
        : files.has(called)
          ? call.arguments
              .slice(0, takesTwo.test(method ?? files.get(called) ?? '') ? 2 : 1)
              .find(isComposed)
          : undefined;
      return free === undefined
        ? []
        : [
            `${placeOf(file, free)}: ${free.getText()} becomes a path; take within() of ` +
              'harness/base/files/path-part.ts, or give a reason in ' +
              'dev/tidiness/path-violations.ts',
          ];
    });
}

/** What the file calls what it imports from such modules, and what it is called there. */
function namesFrom(file: ts.SourceFile, module: RegExp): ReadonlyMap<string, string> {
  return new Map(
    file.statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier, importClause }) => {
      if (!ts.isStringLiteral(moduleSpecifier) || !module.test(moduleSpecifier.text)) return [];
      const { name, namedBindings } = importClause ?? {};
      const whole = [
        name,
        namedBindings !== undefined && ts.isNamespaceImport(namedBindings)
          ? namedBindings.name
          : undefined,
      ].flatMap((one) => (one === undefined ? [] : [[one.text, ''] as const]));
      const single =
        namedBindings !== undefined && ts.isNamedImports(namedBindings)
          ? namedBindings.elements.map(
              (one) => [one.name.text, (one.propertyName ?? one.name).text] as const,
            )
          : [];
      return [...whole, ...single];
    }),
  );
}

function isFixed(part: ts.Expression): boolean {
  return (
    ts.isStringLiteralLike(part) ||
    (ts.isCallExpression(part) && part.expression.getText() === 'pathPart')
  );
}

/** Of node:fs, what takes two paths. */
const takesTwo = /^(rename|copyFile|cp|link|symlink)(Sync)?$/;

/**
 * A path that is put together where it is used; the kernel's files about processes (proc(5)) have
 * numbers for names.
 */
function isComposed(path: ts.Expression): boolean {
  return (
    (ts.isTemplateExpression(path) && !path.head.text.startsWith('/proc/')) ||
    (ts.isBinaryExpression(path) && path.operatorToken.kind === ts.SyntaxKind.PlusToken)
  );
}
