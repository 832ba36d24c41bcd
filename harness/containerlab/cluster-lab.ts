/**
 * Clusters as labs, and labs as clusters: a node with pods is a Linux container with a label that
 * names them, and every two nodes are linked.
 */
import { stringify } from 'yaml';
import { InputError } from '../base/errors/errors.js';
import { linksOf, nodeOf, printLabFile, type LabFile } from './lab-file.js';

/** Names of a node's pods, with blanks between. */
export const podsLabel = 'flowbed.pods';

export interface LabCluster {
  readonly name: string;
  readonly nodes: readonly { readonly name: string; readonly pods: readonly string[] }[];
}

/** What nodes have that run Open vSwitch without privilege. */
export const unprivilegedNode = {
  kind: 'linux',
  privileged: false,
  'cap-add': ['NET_ADMIN', 'NET_RAW'],
  devices: ['/dev/net/tun'],
} as const;

/** Ethernet's, and room for the headers of tunnels. */
const underlayMtu = 1600;

/** @param image as the engine has it. @param cmd what each node runs. */
export function labOfCluster(
  { name, nodes }: LabCluster,
  { image, cmd }: { readonly image: string; readonly cmd: string },
): LabFile {
  const used = new Map<string, number>();
  const nextInterface = (node: string): string => {
    const count = (used.get(node) ?? 0) + 1;
    used.set(node, count);
    return `${node}:eth${count}`;
  };
  const links = nodes.flatMap((one, index) =>
    nodes.slice(index + 1).map((other) => ({
      endpoints: [nextInterface(one.name), nextInterface(other.name)],
      mtu: underlayMtu,
    })),
  );
  const { 'cap-add': capabilities, devices, ...fields } = unprivilegedNode;
  return {
    name,
    topology: {
      defaults: { ...fields, 'cap-add': [...capabilities], devices: [...devices], image, cmd },
      nodes: Object.fromEntries(
        nodes.map((node) => [node.name, { labels: { [podsLabel]: node.pods.join(' ') } }]),
      ),
      ...(links.length === 0 ? {} : { links }),
    },
  };
}

/**
 * The Linux nodes of a lab; one without the label has a pod of its own name. Links between two of
 * them are theirs; what else there is, bridges of the host say, is the underlay.
 * @throws InputError for a lab of other systems.
 */
export function clusterOfLab(lab: LabFile, file: string): LabCluster {
  const names = Object.keys(lab.topology.nodes);
  const other = names.find((name) => !isLinux(lab, name) && nodeOf(lab, name)?.kind !== 'bridge');
  if (other !== undefined)
    throw new InputError(
      `${file}: node ${other} is of kind ${nodeOf(lab, other)?.kind ?? 'none'}: expected linux, ` +
        'for Open vSwitch runs in it, or bridge',
    );
  const loose = linksOf(lab)
    .veths.flatMap(({ ends }) => ends)
    .find(({ node }) => !names.includes(node));
  if (loose !== undefined)
    throw new InputError(
      `${file}: a link ends at ${loose.node}:${loose.interface}: expected one of its nodes, ` +
        names.join(', '),
    );
  return {
    name: lab.name,
    nodes: names
      .filter((name) => isLinux(lab, name))
      .map((name) => ({
        name,
        pods: (nodeOf(lab, name)?.labels?.[podsLabel] ?? `${name}-pod`)
          .split(' ')
          .filter((pod) => pod !== ''),
      })),
  };
}

function isLinux(lab: LabFile, name: string): boolean {
  return nodeOf(lab, name)?.kind === 'linux';
}

/** What clabernetes takes (https://containerlab.dev/manual/clabernetes/), for several machines. */
export function printClabernetes(lab: LabFile, namespace: string): string {
  return stringify(
    {
      apiVersion: 'clabernetes.containerlab.dev/v1alpha1',
      kind: 'Topology',
      metadata: { name: lab.name, namespace },
      spec: { definition: { containerlab: printLabFile(lab) } },
    },
    { lineWidth: 100 },
  );
}
