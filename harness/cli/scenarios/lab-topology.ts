/** Labs of containerlab as topologies, and topologies as labs. */
import { stringify } from 'yaml';
import { InputError } from '../../base/errors/errors.js';
import { clusterOfLab, labOfCluster, printClabernetes } from '../../containerlab/cluster-lab.js';
import { printLabFile, readLabFile } from '../../containerlab/lab-file.js';
import { referenceOf } from '../../docker/node-image.js';
import { waiting } from '../../testbeds/containerlab/lab-of-plan.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Image } from '../../ovs/process/image.js';
import { matrix } from './scenarios.js';

/** A file of containerlab's (`*.clab.yml`) as a topology in YAML; another is one already. */
export function topologyText(text: string, file: string): string {
  if (!/\.clab\.ya?ml$/.test(file)) return text;
  const { name, nodes } = clusterOfLab(readLabFile(text, file), file);
  return stringify({ name, nodes });
}

/**
 * The network of a scenario's first point as a lab.
 * @param form `containerlab`: its topology file; `clabernetes`: the object for several machines.
 * @throws InputError for another form.
 */
export function renderLab(scenario: Scenario, image: Image, form: string): string {
  if (form !== 'containerlab' && form !== 'clabernetes')
    throw new InputError(`--lab: expected containerlab or clabernetes, got "${form}"`);
  const [axes = {}] = matrix(scenario, new Map());
  const { nodes } = scenario.topology(axes);
  const lab = labOfCluster(
    {
      name: scenario.name.replaceAll(/[^\w-]/g, '-'),
      nodes: nodes.map((node) => ({ name: node.name, pods: node.pods.map((pod) => pod.name) })),
    },
    { image: referenceOf(image).reference, cmd: waiting },
  );
  return (form === 'containerlab' ? printLabFile(lab) : printClabernetes(lab, 'default')).trimEnd();
}
