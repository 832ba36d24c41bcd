/**
 * The shapes of what comes from outside, a scenario's code or a record: of all that is read of it
 * without asking, the type. What else a plan or a topology says is left as it is; whether addresses
 * and flows are such is told where they are read.
 */
import { z } from 'zod';

/** Keys that are not named here are left as they are. */
export const looseShape = <Shape extends z.ZodRawShape>(shape: Shape) => z.looseObject(shape);

const texts = z.array(z.string());

const host = looseShape({
  name: z.string(),
  kind: z.enum(['pod', 'linux-node', 'windows-node', 'external']),
  interfaces: z.array(
    looseShape({
      name: z.string(),
      port: z.string().optional(),
      mac: z.string(),
      ip: z.string(),
      prefixLength: z.int(),
    }),
  ),
  routes: z.array(
    looseShape({
      destination: z.string(),
      via: z.string(),
      interface: z.string(),
      onlink: z.boolean(),
    }),
  ),
});

const bridge = looseShape({
  name: z.string(),
  mac: z.string(),
  ports: z.array(
    looseShape({
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
export const plan = looseShape({
  nodes: z.array(looseShape({ node: z.string(), bridges: z.array(bridge), hosts: z.array(host) })),
  externalHosts: z.array(host).optional(),
});

const addressed = { ip: z.string(), mac: z.string() };

/** A `Topology`. */
export const topology = looseShape({
  name: z.string(),
  mode: z.string(),
  tunnel: z.string(),
  serviceCidr: z.string(),
  nodes: z.array(
    looseShape({
      name: z.string(),
      underlay: looseShape({ ...addressed, prefixLength: z.int() }),
      podCidr: z.string(),
      gateway: looseShape(addressed),
      pods: z.array(looseShape({ name: z.string(), ...addressed })),
    }),
  ),
  externalHosts: z.array(looseShape({ name: z.string(), ...addressed })).optional(),
});

const number = z.int().min(0);
const times = z.int().min(1).optional();
const addressedStimulus = {
  from: z.string(),
  to: z.string(),
  ttl: z.int().min(0).max(255).optional(),
};
const portStimulus = { ...addressedStimulus, port: z.int().min(0).max(65535) };
const ip = { src: z.string(), dst: z.string(), ttl: number };

const payload = z.discriminatedUnion('kind', [
  looseShape({ kind: z.literal('udp'), ...ip, srcPort: number, dstPort: number }),
  looseShape({
    kind: z.literal('tcp'),
    ...ip,
    srcPort: number,
    dstPort: number,
    flags: texts,
    checksum: z.enum(['right', 'wrong']),
  }),
  looseShape({ kind: z.literal('echo-request'), ...ip }),
  looseShape({
    kind: z.literal('arp'),
    op: z.enum(['request', 'reply']),
    sha: z.string(),
    spa: z.string(),
    tha: z.string(),
    tpa: z.string(),
  }),
  looseShape({ kind: z.literal('other'), etherType: number, hex: z.string() }),
]);

/** A `Stimulus`. */
export const stimulus = z.discriminatedUnion('kind', [
  looseShape({ kind: z.literal('ping'), ...addressedStimulus }),
  looseShape({ kind: z.literal('udp'), ...portStimulus }),
  looseShape({
    kind: z.literal('tcp'),
    ...portStimulus,
    transmissions: times,
    interjection: looseShape({
      by: z.enum(['opener', 'answerer']),
      segment: z.enum(['out-of-window', 'syn-fin', 'bad-checksum']),
    }).optional(),
  }),
  looseShape({ kind: z.literal('probe'), ...portStimulus, transmissions: times }),
  looseShape({
    kind: z.literal('calls'),
    ...portStimulus,
    protocol: z.enum(['TCP', 'UDP']),
    count: number,
    everyMs: number,
  }),
  looseShape({ kind: z.literal('sctp'), ...portStimulus, transmissions: times }),
  looseShape({ kind: z.literal('open'), ...portStimulus, connection: z.string() }),
  looseShape({ kind: z.literal('talk'), ...portStimulus, connection: z.string() }),
  looseShape({ kind: z.literal('arp'), from: z.string(), target: z.string() }),
  looseShape({
    kind: z.literal('frame'),
    from: z.string(),
    interface: z.string().optional(),
    what: z.string(),
    frame: looseShape({ src: z.string(), dst: z.string(), payload }),
  }),
]);

/** A `TestVector`. */
export const vector = looseShape({
  id: z.string().min(1),
  stimulus,
  together: z.string().optional(),
  depth: z.literal('cold').optional(),
});
