/** A shrunk case as files: a scenario of a few lines that runs by itself, and its network. */
import { writeFile } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import { makeFolder } from '../base/files/make-folder.js';
import type { HistoryRow } from '../history/history-row.js';
import type { KubeObject, KubeObjects } from '../kube/objects.js';
import type { ShrunkCase } from './shrunk-case.js';

/** @returns the path of the scenario. */
export async function writeShrunk(
  { out, scenario }: { readonly out: string; readonly scenario: string },
  found: ShrunkCase,
  failure: HistoryRow,
): Promise<string> {
  await makeFolder(out);
  const { objects, ...network } = found.network;
  const files: Readonly<Record<string, unknown>> = {
    'network.json': network,
    ...(found.steps === undefined ? {} : { 'steps.json': found.steps }),
  };
  for (const name of ['network.json', 'steps.json'])
    if (files[name] !== undefined)
      await writeFile(join(out, name), `${JSON.stringify(files[name], null, 1)}\n`);
  if (objects !== undefined) await writeFile(join(out, 'manifests.yaml'), manifestsOf(objects));
  const written = join(out, 'scenario.ts');
  await writeFile(written, textOf(out, scenario, found, failure));
  return written;
}

/** Of each object what was written and what defaults are: it reads back as the same. */
function manifestsOf(objects: KubeObjects): string {
  const all: readonly KubeObject[] = Object.values(objects).flat();
  return all.map((object) => stringify(object)).join('---\n');
}

function textOf(
  out: string,
  scenario: string,
  { network, vector, steps }: ShrunkCase,
  { aspect, place, summary }: HistoryRow,
): string {
  const isFile = /\.(ts|js|mjs)$/.test(scenario);
  const from = isFile
    ? importPath(relative(resolve(out), resolve(scenario)))
    : `flowbed/scenarios/${scenario}`;
  const hasObjects = network.objects !== undefined;
  return `// ${vector.id}: ${aspect}${place && `, ${place}`}
// ${summary}
import { readFileSync } from 'node:fs';
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
  topology: () => network,
  vectors: () => [${JSON.stringify(vector)}],${
    steps === undefined
      ? ''
      : "\n  timeline: () => ({ cluster: network, steps: JSON.parse(read('steps.json')) }),"
  }
};
`;
}

function importPath(path: string): string {
  return path.startsWith('.') ? path : `./${path}`;
}
