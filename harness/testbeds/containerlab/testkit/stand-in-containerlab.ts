/**
 * Stands in for containerlab where that is not installed: `version`, `deploy` and `destroy` of labs
 * whose nodes are Linux containers without links, by a Docker engine. What it prints, and how it
 * calls and labels containers, is as of containerlab 0.79.
 *
 *     node stand-in-containerlab.js --runtime docker deploy --topo FILE --format json
 */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { assert } from '../../../base/errors/errors.js';
import { nodeOf, readLabFile, type LabNodeFields } from '../../../containerlab/lab-file.js';
import { connectEngine, type Engine } from '../../../docker/engine.js';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    runtime: { type: 'string' },
    topo: { type: 'string' },
    format: { type: 'string' },
    short: { type: 'boolean' },
    cleanup: { type: 'boolean' },
  },
});

async function labAt(file = '') {
  return readLabFile(await readFile(file, 'utf8'), file);
}

/** A fault: the node of this name is left out. */
const leftOut = process.env['STAND_IN_LEAVES_OUT'];

async function deploy(file: string): Promise<unknown> {
  const [lab, engine] = [await labAt(file), await connectEngine()];
  assert((lab.topology.links ?? []).length === 0, 'nodes of this stand-in have no links');
  const containers: unknown[] = [];
  for (const node of Object.keys(lab.topology.nodes)) {
    if (node === leftOut) continue;
    const fields = nodeOf(lab, node);
    assert(fields?.kind === 'linux', 'nodes of this stand-in are of kind linux');
    const name = `clab-${lab.name}-${node}`;
    const labels = {
      ...fields.labels,
      containerlab: lab.name,
      'clab-node-name': node,
      'clab-topo-file': resolve(file),
    };
    containers.push({
      lab_name: lab.name,
      labPath: file,
      absLabPath: resolve(file),
      name,
      container_id: (await started(engine, name, fields, labels)).slice(0, 12),
      image: fields.image ?? '',
      kind: fields.kind,
      state: 'running',
      status: 'Up Less than a second',
      ipv4_address: 'N/A',
      ipv6_address: 'N/A',
    });
  }
  return { [lab.name]: containers };
}

async function started(
  { client }: Engine,
  name: string,
  fields: LabNodeFields,
  labels: Record<string, string>,
): Promise<string> {
  const container = await client.createContainer({
    name,
    Image: fields.image ?? '',
    Cmd: wordsOf(fields.cmd ?? ''),
    Labels: labels,
    HostConfig: {
      NetworkMode: fields['network-mode'] ?? 'bridge',
      Privileged: fields.privileged ?? true,
      CapAdd: fields['cap-add'] ?? [],
      Devices: (fields.devices ?? []).map((device) => ({
        PathOnHost: device,
        PathInContainer: device,
        CgroupPermissions: 'rwm',
      })),
      Binds: fields.binds ?? [],
    },
  });
  await container.start();
  return container.id;
}

/** Words of a command line, those with blanks in single quotes. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

async function destroy(file: string): Promise<void> {
  const [lab, { client }] = [await labAt(file), await connectEngine()];
  const filters = JSON.stringify({ label: [`containerlab=${lab.name}`] });
  for (const { Id: id } of await client.listContainers({ all: true, filters }))
    await client.getContainer(id).remove({ force: true });
}

const [command] = positionals;
if (command === 'version') console.log('0.79.0');
else if (command === 'deploy') console.log(JSON.stringify(await deploy(values.topo ?? '')));
else if (command === 'destroy') await destroy(values.topo ?? '');
else throw new Error(`no command of this stand-in: ${command}`);
