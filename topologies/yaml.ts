import type { z } from 'zod';
import { readAs, readYaml, refused } from '../harness/base/text/yaml.js';
import { topologyProblems } from '../harness/domain/topology-check.js';
import { type TopologyProblem } from '../harness/domain/topology-problem.js';
import type { Topology } from '../harness/domain/topology.js';
import { externalHostWithDefaults, nodeWithDefaults } from './defaults.js';
import { topologySchema } from './schema.js';

type Written = z.output<typeof topologySchema>;

/** What a system writes beside what any network has, and what it has to say against a network. */
export interface TopologyExtension<More extends object> {
  readonly schema: z.ZodType<Written & More>;
  readonly problems: (topology: Topology & More) => readonly TopologyProblem[];
}

/**
 * Reads a topology. The i-th node's underlay address, pod subnet and gateway, and the i-th external
 * host's address, default to what `equalNodes` gives them, a pod's address to the lowest free one,
 * MACs to `macOf`.
 * @throws InputError naming file, line and column of everything that is wrong, the value, and what
 *   would be right.
 */
export function readTopology(text: string, file: string): Topology {
  return readTopologyOf({ schema: topologySchema, problems: () => [] }, text, file);
}

/** The same with what one system has beside it. @throws as `readTopology`. */
export function readTopologyOf<More extends object>(
  { schema, problems: more }: TopologyExtension<More>,
  text: string,
  file: string,
): Topology & More {
  const document = readYaml(text, file);
  const written = readAs(document, schema);
  const topology = { ...written, ...withDefaults(written) };
  const general = topologyProblems(topology);
  const problems = general.length > 0 ? general : more(topology);
  if (problems.length > 0) throw refused(document, problems);
  return topology;
}

function withDefaults({
  nodes,
  externalHosts,
  routers,
}: Written): Pick<Topology, 'nodes' | 'externalHosts' | 'routers'> {
  return {
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
