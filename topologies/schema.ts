/**
 * A topology as it is written in YAML: the schema is the source, what `readTopology` takes and the
 * JSON Schemas for editors follow from it.
 */
import { z } from 'zod';
import { malformation } from '../harness/domain/topology-values.js';
import { defaultServiceCidr, underlayPrefixLength } from './addresses.js';

/** The shapes of texts, for editors; `malformation` is stricter, and says what would be right. */
const patterns = {
  name: '^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$',
  ip: '^\\d{1,3}(\\.\\d{1,3}){3}$',
  cidr: '^\\d{1,3}(\\.\\d{1,3}){3}/\\d{1,2}$',
  mac: '^[0-9a-f][02468ace](:[0-9a-f]{2}){5}$',
} as const;

/** A text that is well-formed as what it stands for. */
function text(kind: keyof typeof patterns, description: string): z.ZodString {
  return z
    .string()
    .superRefine((value, context) => {
      const message = malformation[kind](value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    })
    .meta({ description, pattern: patterns[kind] });
}

const mac = text(
  'mac',
  'Lower case, individual, unique in the cluster. Default: 0a:00 and the four bytes of the address',
).optional();

const interfaceSchema = z.strictObject({
  ip: text('ip', 'Default: the first address of podCidr').optional(),
  mac,
});

const underlaySchema = z.strictObject({
  ip: text('ip', 'All nodes are on one network. Default: 172.30.0.i for the i-th node').optional(),
  mac,
  prefixLength: z
    .int()
    .optional()
    .meta({
      description: `Bits, from 1 to 30. Default: ${underlayPrefixLength}`,
      minimum: 1,
      maximum: 30,
    }),
});

const podSchema = z.strictObject({
  name: text('name', 'Unique in the cluster, also among nodes'),
  ip: text('ip', 'In podCidr of its node. Default: the lowest that is free there').optional(),
  mac,
});

const externalHostSchema = z.strictObject({
  name: text('name', 'Unique in the cluster, also among nodes and pods'),
  ip: text(
    'ip',
    'On the network between nodes. Default: 172.30.255.i for the i-th external host',
  ).optional(),
  mac,
});

const podOrName = nameAlone(podSchema);
const externalHostOrName = nameAlone(externalHostSchema);

/** What a name is enough for. */
function nameAlone<Schema extends z.ZodObject<{ readonly name: z.ZodString }>>(
  schema: Schema,
): z.ZodPreprocess<Schema> {
  return z.preprocess((value) => (typeof value === 'string' ? { name: value } : value), schema);
}

const linkSchema = z.strictObject({
  delayMs: z.number().optional().describe('One way, of every packet. Default: none'),
  jitterMs: z.number().optional().describe('Added at random, evenly on both sides. Default: none'),
  lossPercent: z.number().optional().describe('Lost by chance. Default: none'),
  reorderPercent: z.number().optional().describe('Overtake others by chance. Default: none'),
  rateMbit: z.number().optional().describe('Megabits a second of frames. Default: no limit'),
  mtu: z.int().optional().describe('Longest packet. Default: no limit'),
  state: z.enum(['up', 'down']).optional().describe('Default: up'),
});

export const nodeSchema = z.strictObject({
  name: text('name', 'Unique in the cluster, also among pods'),
  os: z.enum(['linux', 'windows']).optional().describe('Default: linux'),
  underlay: underlaySchema
    .default({})
    .describe('The node itself on the network between nodes, where tunnels end'),
  adapters: z
    .array(
      z.strictObject({
        name: z.string(),
        ip: text('ip', 'On a network of its own'),
        prefixLength: z.int().min(1).max(30),
        mac: text('mac', 'Lower case, individual, unique in the cluster'),
      }),
    )
    .optional()
    .describe('Network cards beside that one. Default: none'),
  podCidr: text(
    'cidr',
    "The subnet of the node's pods. Default: 10.10.i.0/24 for the i-th node",
  ).optional(),
  gateway: interfaceSchema.default({}).describe("The node's end of its pods' subnet"),
  link: linkSchema
    .optional()
    .describe('How it carries what the node sends to others. Default: perfectly'),
  pods: z
    .array(podOrName)
    .default([])
    .describe('Pods of the node; a name is enough. Default: none'),
});

const routerSchema = z.strictObject({
  name: text('name', 'Unique in the cluster, also among nodes, pods and external hosts'),
  interfaces: z
    .array(
      z.strictObject({
        ip: text('ip', 'On a network of nodes'),
        prefixLength: z.int().min(1).max(30),
        mac: text('mac', 'Lower case, individual, unique in the cluster'),
      }),
    )
    .min(2, 'a router has two networks at least'),
});

/**
 * With keys of one system beside those that any network has: a network of another system has no
 * `tunnel`.
 */
export function topologySchemaWith<const More extends z.ZodRawShape>(more: More) {
  return z.strictObject({ name: text('name', 'Stands in reports'), ...more, ...anyNetwork });
}

const anyNetwork = {
  serviceCidr: text('cidr', 'ClusterIPs of Services').default(defaultServiceCidr),
  nodes: z.array(nodeSchema).min(1, 'a cluster needs at least one node'),
  externalHosts: z
    .array(externalHostOrName)
    .optional()
    .describe(
      'Hosts outside the cluster, on the network between nodes; a name is enough. Default: none',
    ),
  routers: z
    .array(routerSchema)
    .optional()
    .describe('What joins the networks of nodes, where there are several. Default: none'),
};

export const topologySchema = topologySchemaWith({});

/** The JSON Schema (draft 2020-12) by which editors complete and check YAML. */
export function topologyJsonSchema(topologies: z.ZodType): string {
  const schema = z.toJSONSchema(topologies, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const named =
        zodSchema === podOrName
          ? podSchema
          : zodSchema === externalHostOrName
            ? externalHostSchema
            : undefined;
      if (named === undefined) return;
      const spelledOut = { ...jsonSchema };
      for (const key of Object.keys(jsonSchema))
        delete (jsonSchema as Record<string, unknown>)[key];
      jsonSchema.anyOf = [z.toJSONSchema(named.shape.name, { io: 'input' }), spelledOut].map(
        ({ $schema: _, ...rest }: z.core.JSONSchema.JSONSchema) => rest,
      );
    },
  });
  return (
    JSON.stringify({ ...schema, title: 'A topology for flowbed run --topology' }, null, 2) + '\n'
  );
}
