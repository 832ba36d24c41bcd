/** `flowbed selftest --mutants`: would the project's own tests notice a fault in code that two levels share? */
import { join } from 'node:path';
import { colors } from '../base/colors.js';
import { InputError } from '../base/errors.js';
import { judgeSurvivors, type Judgement } from '../mutation/justification.js';
import { justifications } from '../mutation/justifications.js';
import { openMemory } from '../mutation/memory.js';
import { createSandbox } from '../mutation/sandbox.js';
import { digestsOfTests, sharedModules, testsReaching } from '../mutation/shared.js';
import { readSurroundings } from '../mutation/surroundings.js';
import { survey } from '../mutation/survey.js';
import { tryModule, type Tried } from '../mutation/trial.js';
import { createWorkspace } from '../ovs/workspace.js';
import { importsOf } from '../tidiness/imports.js';
import { parse, readSources } from '../tidiness/sources.js';
import { exitCodes, type Context } from './context.js';

const { bold, dim, green, red } = colors;

/**
 * Needs the development dependencies. What tests say is kept in `.flowbed/mutants`, so that a run that was cut off goes on where it was.
 * @param patterns parts of paths: a module is mutated when its path holds one of them. None: all shared modules are.
 * @returns 0 when every survivor is justified and every justification needed, else 1.
 * @throws InputError when no shared module has such a path.
 */
export async function mutants(context: Context, patterns: readonly string[]): Promise<number> {
  const sources = await readSources();
  const imports = sources.map(parse).flatMap(importsOf);
  const shared = sharedModules(imports);
  const selected = sources.filter(({ path }) => shared.includes(path) && (patterns.length === 0 || patterns.some((pattern) => path.includes(pattern))));
  if (selected.length === 0) throw new InputError(`no shared module has ${patterns.map((pattern) => `"${pattern}"`).join(' or ')} in its path. Known: ${shared.join(', ')}.`);
  const memory = openMemory(join(context.root, '.flowbed/mutants'), digestsOfTests(sources, imports, await readSurroundings(context.root)));
  const workspace = await createWorkspace();
  context.teardown.add(workspace.remove);
  const sandbox = await createSandbox(context.root, workspace.dir);
  const surveyed = await survey(sandbox, selected, (module) => testsReaching(module, imports), context.say);
  const total = surveyed.flatMap(({ names }) => names).length;
  const tried: Tried[] = [];
  const judgements: Judgement<Tried>[] = [];
  for (const module of surveyed) {
    let done = tried.length;
    const results = await tryModule(sandbox, module, memory, () => { if (++done % 10 === 0) context.say(`${done} of ${total} mutants: ${module.path}`); });
    const judgement = judgeSurvivors(results.filter(survives), justifications.filter(({ file }) => file === module.path));
    if (results.length > 0 || judgement.stale.length > 0) for (const line of renderModule(module.path, results, judgement)) context.print(line);
    tried.push(...results);
    judgements.push(judgement);
  }
  const unverified = judgements.flatMap((judgement) => judgement.unverified).length;
  const elsewhere = patterns.length > 0 ? [] : [...new Set(justifications.map(({ file }) => file))].filter((file) => !shared.includes(file));
  for (const file of elsewhere) context.print(`${red('✖')} ${bold(file)}  ${red('stale justifications:')} no two levels share it`);
  const stale = judgements.flatMap((judgement) => judgement.stale).length + elsewhere.length;
  context.print(`\n${tried.length} mutants in ${new Set(tried.map(({ file }) => file)).size} modules: ${counted(tried, judgements.flatMap(({ justified }) => justified).length, unverified)}${stale === 0 ? '' : `; ${stale} stale justifications`}`);
  return unverified + stale === 0 ? exitCodes.conforms : exitCodes.diverges;
}

function survives({ fate }: Tried): boolean {
  return fate === 'survived' || fate === 'unreached';
}

function counted(tried: readonly Tried[], justified: number, unverified: number): string {
  const stopped = tried.filter(({ fate }) => fate === 'stopped').length;
  const killed = tried.filter((mutant) => !survives(mutant)).length;
  return [`${killed} killed${stopped === 0 ? '' : ` (${stopped} never ended)`}`, `${justified} justified`, `${unverified} unverified`].join(', ');
}

/** The module's line, and below it what survived: the unverified ones first. */
function renderModule(path: string, tried: readonly Tried[], { justified, unverified, stale }: Judgement<Tried>): readonly string[] {
  return [
    `${unverified.length + stale.length === 0 ? green('✔') : red('✖')} ${bold(path)}  ${tried.length} mutants: ${counted(tried, justified.length, unverified.length)}`,
    ...unverified.flatMap((mutant) => [`    ${red('unverified:')} ${told(mutant)}`, `        ${dim(mutant.line)}`, `        ${mutant.fate === 'unreached' ? 'no fast test reaches it' : 'no fast test fails'}`]),
    ...stale.flatMap(({ line, mutations }) => mutations.map((mutation) => `    ${red('stale justification:')} no survivor is called ${mutation} in: ${line}`)),
    ...justified.flatMap(({ survivor, justification: { why, check } }) => [`    ${dim(`justified: ${told(survivor)}`)}`, `        ${dim(`${why}${check === undefined ? '' : `; caught by ${check}`}`)}`]),
  ];
}

function told({ file, lineNumber, mutation }: Tried): string {
  return `${file}:${lineNumber}  ${mutation}`;
}
