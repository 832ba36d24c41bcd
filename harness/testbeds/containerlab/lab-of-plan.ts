/** A cluster's plan as a lab of containerlab: a Linux container a node. */
import { unprivilegedNode } from '../../containerlab/cluster-lab.js';
import type { LabFile } from '../../containerlab/lab-file.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';

export interface LabSpec {
  readonly name: string;
  /** As the engine has it: `flowbed:trixie-0123456789ab`. */
  readonly image: string;
  /** A folder of this machine that nodes have at the same place; missing where they need none. */
  readonly folder?: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Waits until it is killed; every image of Open vSwitch has this interpreter. */
export const waiting = "/usr/bin/python3 -I -S -c 'import signal; signal.pause()'";

/**
 * Nodes without privilege, and without a network of containerlab's: links are made from outside, as
 * on network namespaces. What is to be read there too has the names of the plan.
 */
export function labOfPlan({ nodes }: ClusterPlan, spec: LabSpec): LabFile {
  return {
    name: spec.name,
    topology: {
      defaults: {
        ...unprivilegedNode,
        'cap-add': [...unprivilegedNode['cap-add']],
        devices: [...unprivilegedNode.devices],
        image: spec.image,
        cmd: waiting,
        'network-mode': 'none',
        'image-pull-policy': 'Never',
        ...(spec.folder === undefined ? {} : { binds: [`${spec.folder}:${spec.folder}`] }),
        labels: { ...spec.labels },
      },
      nodes: Object.fromEntries(nodes.map(({ node }) => [labNode(node), {}])),
    },
  };
}

/** What containerlab calls a node's container. */
export function containerName(lab: string, node: string): string {
  return `clab-${lab}-${labNode(node)}`;
}

/** A node's name, as containers may be called. */
export function labNode(node: string): string {
  return node.replaceAll(/[^\w.-]/g, '_');
}
