import type { z } from 'zod';
import { readAs, readYaml, refused } from '../harness/base/text/yaml.js';
import { topologyProblems } from '../harness/domain/topology-check.js';
import type { Topology } from '../harness/domain/topology.js';
import { externalHostWithDefaults, nodeWithDefaults } from './defaults.js';
import { topologySchema } from './schema.js';

/**
 * Reads a topology; topologies/two-nodes.yaml shows every key. The i-th node's underlay address,
 * pod subnet and gateway, and the i-th external host's address, default to what `antreaCluster`
 * gives them, a pod's address to the lowest free one, MACs to `macOf`.
 * @throws InputError naming file, line and column of everything that is wrong, the value, and what
 *   would be right.
 */
export function readTopology(text: string, file: string): Topology {
  const document = readYaml(text, file);
  const topology = withDefaults(readAs(document, topologySchema));
  const problems = topologyProblems(topology);
  if (problems.length > 0) throw refused(document, problems);
  return topology;
}

function withDefaults({
  nodes,
  externalHosts,
  routers,
  ...cluster
}: z.output<typeof topologySchema>): Topology {
  return {
    ...cluster,
    nodes: nodes.map((node, index) => nodeWithDefaults(node, index + 1)),
    ...(routers === undefined ? {} : { routers }),
    ...(externalHosts === undefined
      ? {}
      : {
          externalHosts: externalHosts.map((host, index) =>
            externalHostWithDefaults(host, index + 1),
          ),
        }),
  };
}
