/**
 * The shapes of what comes from outside, a scenario's code or a record: of all that is read of it
 * without asking, the type. What else a plan or a topology says is left as it is; whether addresses
 * and flows are such is told where they are read.
 */
import { z } from 'zod';

/** Keys that are not named here are left as they are. */
export const some = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);

const texts = z.array(z.string());

const host = some({
  name: z.string(),
  kind: z.enum(['pod', 'linux-node', 'windows-node', 'external']),
  interfaces: z.array(
    some({
      name: z.string(),
      port: z.string().optional(),
      mac: z.string(),
      ip: z.string(),
      prefixLength: z.int(),
    }),
  ),
  routes: z.array(
    some({ destination: z.string(), via: z.string(), interface: z.string(), onlink: z.boolean() }),
  ),
});

const bridge = some({
  name: z.string(),
  mac: z.string(),
  ports: z.array(
    some({
      kind: z.enum(['endpoint', 'internal', 'tunnel', 'uplink', 'patch']),
      name: z.string(),
      ofport: z.int(),
    }),
  ),
  flows: texts,
  groups: texts.optional(),
  meters: texts.optional(),
  tunnelOptions: texts.optional(),
});

/** A `ClusterPlan`. */
export const plan = some({
  nodes: z.array(some({ node: z.string(), bridges: z.array(bridge), hosts: z.array(host) })),
  externalHosts: z.array(host).optional(),
});

const addressed = { ip: z.string(), mac: z.string() };

/** A `Topology`. */
export const topology = some({
  name: z.string(),
  mode: z.string(),
  tunnel: z.string(),
  serviceCidr: z.string(),
  nodes: z.array(
    some({
      name: z.string(),
      underlay: some({ ...addressed, prefixLength: z.int() }),
      podCidr: z.string(),
      gateway: some(addressed),
      pods: z.array(some({ name: z.string(), ...addressed })),
    }),
  ),
  externalHosts: z.array(some({ name: z.string(), ...addressed })).optional(),
});

const number = z.int().min(0);
const times = z.int().min(1).optional();
const asked = { from: z.string(), to: z.string(), ttl: z.int().min(0).max(255).optional() };
const called = { ...asked, port: z.int().min(0).max(65535) };
const ip = { src: z.string(), dst: z.string(), ttl: number };

const payload = z.discriminatedUnion('kind', [
  some({ kind: z.literal('udp'), ...ip, srcPort: number, dstPort: number }),
  some({
    kind: z.literal('tcp'),
    ...ip,
    srcPort: number,
    dstPort: number,
    flags: texts,
    checksum: z.enum(['right', 'wrong']),
  }),
  some({ kind: z.literal('echo-request'), ...ip }),
  some({
    kind: z.literal('arp'),
    op: z.enum(['request', 'reply']),
    sha: z.string(),
    spa: z.string(),
    tha: z.string(),
    tpa: z.string(),
  }),
  some({ kind: z.literal('other'), etherType: number, hex: z.string() }),
]);

/** A `Stimulus`. */
export const stimulus = z.discriminatedUnion('kind', [
  some({ kind: z.literal('ping'), ...asked }),
  some({ kind: z.literal('udp'), ...called }),
  some({
    kind: z.literal('tcp'),
    ...called,
    transmissions: times,
    interjection: some({
      by: z.enum(['opener', 'answerer']),
      segment: z.enum(['out-of-window', 'syn-fin', 'bad-checksum']),
    }).optional(),
  }),
  some({ kind: z.literal('probe'), ...called, transmissions: times }),
  some({
    kind: z.literal('calls'),
    ...called,
    protocol: z.enum(['TCP', 'UDP']),
    count: number,
    everyMs: number,
  }),
  some({ kind: z.literal('sctp'), ...called, transmissions: times }),
  some({ kind: z.literal('open'), ...called, connection: z.string() }),
  some({ kind: z.literal('talk'), ...called, connection: z.string() }),
  some({ kind: z.literal('arp'), from: z.string(), target: z.string() }),
  some({
    kind: z.literal('frame'),
    from: z.string(),
    interface: z.string().optional(),
    what: z.string(),
    frame: some({ src: z.string(), dst: z.string(), payload }),
  }),
]);

/** A `TestVector`. */
export const vector = some({
  id: z.string().min(1),
  stimulus,
  together: z.string().optional(),
  depth: z.literal('cold').optional(),
});
