/** A shrunk case as files: a scenario of a few lines that runs by itself, its network and flows. */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { makeFolder } from '../../base/files/make-folder.js';
import type { KubeObject, KubeObjects } from '../../kube/objects.js';
import { filesOf } from '../../run/records/run-folder.js';
import type { RunRecord } from '../../run/records/run-record.js';
import { filesOf as filesOfScenario } from '../scenarios/files-of-scenario.js';
import { flowTexts, withVector, type End, type ShrunkCase } from './shrunk-case.js';

export interface ShrunkPlace {
  /** Where the project lies. */
  readonly root: string;
  /** The folder that it is written to. */
  readonly out: string;
  /** The scenario that it comes from: its name, or its file. */
  readonly scenario: string;
}

export interface CaseNotes {
  readonly end: End;
  /** What fails, for whoever reads it. */
  readonly words?: readonly string[];
}

/** @returns the path of the scenario. */
export async function writeCase(
  { root, out, scenario }: ShrunkPlace,
  found: ShrunkCase,
  { end, words = [] }: CaseNotes,
): Promise<string> {
  await makeFolder(out);
  const { objects, ...network } = found.network;
  const files: Readonly<Record<string, unknown>> = {
    'network.json': network,
    ...(found.steps === undefined ? {} : { 'steps.json': withVector(found.steps, found.vector) }),
    ...(found.flows === undefined ? {} : { 'flows.json': flowTexts(found, end) }),
  };
  for (const name of ['network.json', 'steps.json', 'flows.json'])
    if (files[name] !== undefined)
      await writeFile(join(out, name), `${JSON.stringify(files[name], null, 1)}\n`);
  if (objects !== undefined) await writeFile(join(out, 'manifests.yaml'), manifestsOf(objects));
  const written = join(out, 'scenario.ts');
  const original = await originalIn(root, out, scenario);
  await writeFile(written, textOf(out, original, found, words));
  return written;
}

/** Of each object what was written and what defaults are: it reads back as the same. */
function manifestsOf(objects: KubeObjects): string {
  const all: readonly KubeObject[] = Object.values(objects).flat();
  return all.map((object) => stringify(object)).join('---\n');
}

/**
 * What the case imports: a scenario of the project by its name, or a copy of a file beside the
 * case, with all that it is made of, so that the case stays the same when the file changes.
 */
async function originalIn(root: string, out: string, scenario: string): Promise<string> {
  if (!/\.(ts|js|mjs)$/.test(scenario)) return `flowbed/scenarios/${scenario}`;
  const all = await filesOfScenario(root, scenario);
  const files = all.filter((file) => !ownRooms.some((room) => file.startsWith(`${root}/${room}/`)));
  const first = resolve(scenario);
  const base = commonFolder([first, ...files]);
  for (const file of new Set([first, ...files])) {
    const copy = [out, 'original', relative(base, file)].join('/');
    await makeFolder(dirname(copy));
    await copyFile(file, copy);
  }
  return `./original/${relative(base, first)}`;
}

const ownRooms = ['harness', 'topologies', 'scenarios', 'dist', 'node_modules'];

/** The deepest folder that all of them lie in. */
function commonFolder([first = '', ...others]: readonly string[]): string {
  let folder = dirname(first);
  while (others.some((file) => !file.startsWith(folder === '/' ? '/' : `${folder}/`)))
    folder = dirname(folder);
  return folder;
}

function textOf(
  out: string,
  from: string,
  { network, vector, steps, flows }: ShrunkCase,
  words: readonly string[],
): string {
  const hasObjects = network.objects !== undefined;
  const hasFlows = flows !== undefined;
  return `${[`${vector.id}`, ...words].map((line) => `// ${line}\n`).join('')}\
import { readFileSync } from 'node:fs';
${hasFlows ? "import { staticFlows } from 'flowbed';\n" : ''}\
import original from '${from}';
${hasObjects ? "import { objectsOf } from 'flowbed/topologies/manifest-objects';\n" : ''}
const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');
const network = {
  ...JSON.parse(read('network.json')),${
    hasObjects ? "\n  objects: objectsOf(read('manifests.yaml'), 'manifests.yaml')," : ''
  }
};
const { after, timeline, ...scenario } = original;

export default {
  ...scenario,
  name: 'shrunk/${basename(resolve(out))}',
  axes: {},
  topology: () => network,${
    hasFlows
      ? "\n  controlPlane: staticFlows(scenario.controlPlane, JSON.parse(read('flows.json'))),"
      : ''
  }
  vectors: () => [${JSON.stringify(vector)}],${
    steps === undefined
      ? ''
      : "\n  timeline: () => ({ cluster: network, steps: JSON.parse(read('steps.json')) }),"
  }
};
`;
}

/** The vector as a run folder: it is played again without its scenario. */
export async function writeFrozen(folder: string, record: RunRecord): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [name, text] of filesOf(record, [])) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
