/**
 * Topology files of containerlab (https://containerlab.dev/manual/topo-def-file/), as far as labs
 * of Linux containers and bridges need them. Fields that this client does not know are kept.
 */
import { z } from 'zod';
import { stringify } from 'yaml';
import { readAs, readYaml } from '../base/text/yaml.js';

const texts = z.array(z.string());

/** What a node, a kind and the defaults have in common. */
const nodeFields = z.looseObject({
  kind: z.string().exactOptional(),
  image: z.string().exactOptional(),
  cmd: z.string().exactOptional(),
  entrypoint: z.string().exactOptional(),
  binds: texts.exactOptional().describe('PATH_ON_HOST:PATH_IN_NODE[:ro]'),
  exec: texts.exactOptional().describe('commands that run in the node once it has started'),
  env: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).exactOptional(),
  sysctls: z.record(z.string(), z.union([z.string(), z.number()])).exactOptional(),
  labels: z.record(z.string(), z.string()).exactOptional(),
  'network-mode': z.string().exactOptional(),
  'mgmt-ipv4': z.string().exactOptional(),
  privileged: z.boolean().exactOptional(),
  'cap-add': texts.exactOptional(),
  devices: texts.exactOptional(),
});

const end = z.looseObject({
  node: z.string().min(1),
  interface: z.string().min(1).max(15, 'expected at most 15 characters, as Linux has it'),
  mac: z.string().exactOptional(),
});

const shortLink = z.looseObject({
  endpoints: z
    .array(z.string().regex(/^[^:]+:[^:]+$/, 'expected NODE:INTERFACE'))
    .length(2, 'expected two endpoints'),
  mtu: z.int().min(68).exactOptional(),
});

const vethLink = z.looseObject({
  type: z.literal('veth'),
  endpoints: z.array(end).length(2, 'expected two endpoints'),
  mtu: z.int().min(68).exactOptional().describe('9500 where it is missing'),
});

/** Links to the host, to VXLANs and others: kept as they are. */
const otherLink = z.looseObject({
  type: z.enum(['host', 'mgmt-net', 'macvlan', 'vxlan', 'vxlan-stitch', 'dummy']),
});

const labFile = z.looseObject({
  name: z.string().regex(/^[a-zA-Z0-9][\w.-]*$/, 'expected a name of letters, digits, . _ and -'),
  prefix: z.string().exactOptional().describe('of containers; clab where it is missing'),
  mgmt: z
    .looseObject({
      network: z.string().exactOptional(),
      'ipv4-subnet': z.string().exactOptional(),
      'ipv6-subnet': z.string().exactOptional(),
    })
    .exactOptional(),
  topology: z.looseObject({
    defaults: nodeFields.exactOptional(),
    kinds: z.record(z.string(), nodeFields.nullable()).exactOptional(),
    nodes: z.record(z.string(), nodeFields.nullable()),
    links: z.array(z.union([vethLink, otherLink, shortLink])).exactOptional(),
  }),
});

export type LabFile = z.infer<typeof labFile>;
export type LabNodeFields = z.infer<typeof nodeFields>;

/** A link between two nodes, whichever form the file has it in. */
export interface VethLink {
  readonly ends: readonly [LinkEnd, LinkEnd];
  /** Bytes; containerlab takes 9500 where it is missing. */
  readonly mtu?: number;
}

export interface LinkEnd {
  readonly node: string;
  readonly interface: string;
  readonly mac?: string;
}

/**
 * @param file its name, for messages.
 * @throws InputError with line and column of what is wrong.
 */
export function readLabFile(text: string, file: string): LabFile {
  return readAs(readYaml(text, file), labFile);
}

/** YAML that `containerlab deploy -t` takes. */
export function printLabFile(lab: LabFile): string {
  return stringify(lab, { lineWidth: 100 });
}

/** What a node has, with what its kind and the defaults give it; its own values come first. */
export function nodeOf(lab: LabFile, name: string): LabNodeFields | undefined {
  const { nodes, kinds = {}, defaults = {} } = lab.topology;
  const own = nodes[name];
  if (own === undefined) return undefined;
  const kind = own?.kind ?? defaults.kind;
  return { ...defaults, ...(kind === undefined ? {} : kinds[kind]), ...own };
}

/** Links between nodes, and the types of those that are none. */
export function linksOf(lab: LabFile): {
  readonly veths: readonly VethLink[];
  readonly others: readonly string[];
} {
  const links = lab.topology.links ?? [];
  return {
    veths: links.flatMap((link) => {
      const ends = endsOf(link);
      if (ends === undefined) return [];
      return [{ ends, ...(typeof link.mtu === 'number' ? { mtu: link.mtu } : {}) }];
    }),
    others: links.flatMap((link) =>
      typeof link.type === 'string' && link.type !== 'veth' ? [link.type] : [],
    ),
  };
}

type Link = NonNullable<LabFile['topology']['links']>[number];

function endsOf(link: Link): VethLink['ends'] | undefined {
  if (!('endpoints' in link) || (link.type ?? 'veth') !== 'veth') return undefined;
  const [one, other] = (link.endpoints as readonly (string | z.infer<typeof end>)[]).map(endOf);
  return one === undefined || other === undefined ? undefined : [one, other];
}

function endOf(endpoint: string | z.infer<typeof end>): LinkEnd {
  if (typeof endpoint === 'string') {
    const [node = '', name = ''] = endpoint.split(':');
    return { node, interface: name };
  }
  const { node, interface: name, mac } = endpoint;
  return { node, interface: name, ...(mac === undefined ? {} : { mac }) };
}
