import { z } from 'zod';
import { topologyJsonSchema, topologySchemaWith } from '../schema.js';
import { readTopologyOf } from '../yaml.js';
import {
  antreaProblems,
  trafficModes,
  tunnelTypes,
  type AntreaTopology,
} from './antrea-topology.js';

const schema = topologySchemaWith({
  mode: z
    .enum(trafficModes)
    .default('encap')
    .describe(
      'How pod traffic crosses nodes: in tunnels, by the network between nodes, or in tunnels ' +
        'only where nodes are no neighbours',
    ),
  tunnel: z
    .enum(tunnelTypes)
    .default('geneve')
    .describe('The userspace datapath has no stt: a run says so and is inconclusive'),
});

/**
 * A topology for Antrea; topologies/antrea/two-nodes.yaml shows every key. @throws as
 * `readTopology`.
 */
export function readAntreaTopology(text: string, file: string): AntreaTopology {
  return readTopologyOf({ schema, problems: antreaProblems }, text, file);
}

/** As topologies/antrea/topology.schema.json holds it. */
export function antreaJsonSchema(): string {
  return topologyJsonSchema(schema);
}
