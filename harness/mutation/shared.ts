/** Which modules two levels share, and which tests reach a module: both from the imports. */
import { sha256 } from '../base/digest.js';
import type { Import } from '../tidiness/imports.js';
import type { Source } from '../tidiness/sources.js';

/** The levels that judge each other, by the folders of their own. */
const levels: Readonly<Record<string, readonly string[]>> = {
  intent: ['harness/intent/'],
  model: ['harness/model/', 'harness/testbeds/model/'],
  switch: ['harness/ovs/', 'harness/testbeds/sim/'],
};

/** What every observation goes through, whichever level it is of: hosts and wires, playing and comparing. */
const common: readonly string[] = ['harness/fabric/', 'harness/compare/', 'harness/run/vector-run.ts'];

/** What vectors ask for is played as it is and judged by intent as it is: a vector of another kind is no wrong verdict. */
const asked: readonly string[] = ['harness/vectors/'];

/**
 * The modules in which a fault is the same on both sides of a comparison, so that no comparison sees it: those that two levels at
 * least import, directly or not, and those that the common ones are or import; without what is a level's own, and without vectors. Imports of types alone do not
 * count: types do nothing.
 */
export function sharedModules(imports: readonly Import[]): readonly string[] {
  const graph = graphOf(imports.filter(({ from }) => !isTest(from)));
  const users = Object.values(levels).map((folders) => reachedFrom(graph, within(graph, folders)));
  const commonlyUsed = reachedFrom(graph, within(graph, common));
  const own = within(graph, [...Object.values(levels).flat(), ...asked]);
  return [...graph.keys()].filter((module) => !own.includes(module) && (commonlyUsed.has(module) || users.filter((used) => used.has(module)).length > 1)).sort();
}

/** Rooms whose tests hold code to what is known from elsewhere. Those of others play model against model, or look at what came of it. */
const holding: readonly string[] = ['base', 'nouns', 'packet', 'openflow', 'model', 'fabric', 'intent', 'compare', 'ovs', 'testbeds'].map((room) => `harness/${room}/`);

/** The fast test files that load `module` and hold it to something, those of its own folder first. */
export function testsReaching(module: string, imports: readonly Import[]): readonly string[] {
  const graph = graphOf(imports);
  const folder = module.slice(0, module.lastIndexOf('/') + 1);
  return within(graph, [folder, ...holding])
    .filter((file) => isTest(file) && !file.endsWith('.live.test.ts') && reachedFrom(graph, [file]).has(module))
    .sort((a, b) => Number(b.startsWith(folder)) - Number(a.startsWith(folder)) || (a < b ? -1 : 1));
}

/**
 * A digest of each test file with all that it loads: while it stays, the test says the same.
 * @param surroundings what may change what any test says.
 */
export function digestsOfTests(sources: readonly Source[], imports: readonly Import[], surroundings: readonly Source[]): ReadonlyMap<string, string> {
  const graph = graphOf(imports);
  return new Map(sources.filter(({ path }) => isTest(path)).map(({ path: test }) => {
    const loaded = reachedFrom(graph, [test]);
    return [test, sha256(JSON.stringify([test, sources.filter(({ path }) => loaded.has(path)), surroundings]))];
  }));
}

function isTest(file: string): boolean {
  return file.endsWith('.test.ts');
}

/** Every file that imports or is imported, with the files that it loads. */
function graphOf(imports: readonly Import[]): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  const edgesOf = (file: string): Set<string> => graph.get(file) ?? graph.set(file, new Set()).get(file)!;
  for (const { from, to, kind } of imports) {
    const edges = edgesOf(from);
    edgesOf(to);
    if (kind === 'value') edges.add(to);
  }
  return graph;
}

function within(graph: ReadonlyMap<string, unknown>, places: readonly string[]): readonly string[] {
  return [...graph.keys()].filter((file) => places.some((place) => file.startsWith(place)));
}

/** `roots` and what they load, directly or not. */
function reachedFrom(graph: ReadonlyMap<string, ReadonlySet<string>>, roots: readonly string[]): ReadonlySet<string> {
  const reached = new Set(roots);
  for (const file of reached) for (const next of graph.get(file) ?? []) reached.add(next);
  return reached;
}
