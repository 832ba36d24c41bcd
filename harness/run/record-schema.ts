/** The shape of `record.json`: of all that is read of a record, its type and place. What else a plan or a topology says is left as it is. */
import { z } from 'zod';
import { passNames } from '../nouns/vector.js';
import { recordFormat } from './record.js';

const some = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);
const texts = z.array(z.string());

const host = some({
  name: z.string(),
  kind: z.enum(['pod', 'linux-node', 'windows-node', 'external']),
  interfaces: z.array(some({ name: z.string(), port: z.string().exactOptional(), mac: z.string(), ip: z.string(), prefixLength: z.int() })),
  routes: z.array(some({ destination: z.string(), via: z.string(), interface: z.string(), onlink: z.boolean() })),
});

const bridge = some({
  name: z.string(),
  mac: z.string(),
  ports: z.array(some({ kind: z.enum(['endpoint', 'internal', 'tunnel', 'uplink', 'patch']), name: z.string(), ofport: z.int() })),
  flows: texts,
  groups: texts.exactOptional(),
  meters: texts.exactOptional(),
  tunnelOptions: texts.exactOptional(),
});

const node = some({ node: z.string(), bridges: z.array(bridge), hosts: z.array(host) });
const plan = some({ nodes: z.array(node), externalHosts: z.array(host).exactOptional() });

const addressed = { ip: z.string(), mac: z.string() };
const topology = some({
  name: z.string(),
  mode: z.string(),
  tunnel: z.string(),
  serviceCidr: z.string(),
  nodes: z.array(some({
    name: z.string(),
    underlay: some({ ...addressed, prefixLength: z.int() }),
    podCidr: z.string(),
    gateway: some(addressed),
    pods: z.array(some({ name: z.string(), ...addressed })),
  })),
  externalHosts: z.array(some({ name: z.string(), ...addressed })).exactOptional(),
});

const stimulus = some({ kind: z.string(), from: z.string() });
const vector = some({ id: z.string(), stimulus, together: z.string().exactOptional(), depth: z.literal('cold').exactOptional() });

const at = { timeUs: z.int(), node: z.string(), port: z.string() };
const pass = z.object({
  pass: some({ name: z.enum(passNames), stimulus }),
  frames: z.array(some({ ...at, direction: z.enum(['in', 'out']), frame: z.string().regex(/^([0-9a-f]{2})*$/, 'expected bytes in hexadecimal') })),
  notes: z.array(some({ timeUs: z.int(), host: z.string(), kind: z.string() })),
});

const flow = z.object({ node: z.string(), bridge: z.string(), table: z.int(), priority: z.int(), match: z.string() });
const left = {
  counts: z.array(z.object({ flow, packets: z.int(), bytes: z.int() })),
  state: z.object({
    connections: z.array(some({ node: z.string(), zone: z.int(), protocol: z.string(), original: z.string(), reply: z.string(), mark: z.int(), progress: z.string(), timeoutS: z.int() })),
    macs: z.array(some({ node: z.string(), bridge: z.string(), port: z.string(), vlan: z.int(), mac: z.string() })),
    multicast: z.array(some({ node: z.string(), bridge: z.string(), port: z.string(), vlan: z.int(), group: z.string(), ageS: z.int() })).exactOptional(),
  }),
};

const vectorRecord = z.object({
  vector,
  real: z.object({ passes: z.array(pass), ...left }).exactOptional(),
  together: z.object({ observed: z.string(), passes: z.array(pass).exactOptional(), left: z.object(left).exactOptional() }).exactOptional(),
});

const event = z.object({ what: z.string(), after: z.int(), steps: z.array(some({ kind: z.string(), node: z.string() })), topology, plan });

export const recordFile = z.object({
  format: z.literal(recordFormat),
  scenarios: z.array(z.object({ topology, plan, vectors: z.array(vectorRecord), history: z.array(event).exactOptional() })),
});
