/**
 * The shapes of inputs from outside, a scenario's code or a record: type and range of all that is
 * read of it without asking. Keys that are not named are left as they are; whether flows are such
 * is reported where they are parsed.
 */
import { link } from './link-shape.js';
import { z } from 'zod';
import type { Adapter, ExternalHost, Node, Pod, Router, Topology } from '../../domain/topology.js';
import { listener } from './host-shape.js';
import {
  address,
  looseShape,
  ipv4,
  ipv4Block,
  mac,
  portNumber,
  prefixLength,
  within,
  type ShapeOf,
} from './shape-values.js';

const addressed = { ip: ipv4, mac };
const listens = z.array(listener).optional();

/** A `Topology`. */
export const topology = looseShape({
  name: z.string(),
  serviceCidr: ipv4Block,
  nodes: z.array(
    looseShape({
      name: z.string(),
      os: z.enum(['linux', 'windows']).optional(),
      underlay: looseShape({ ...addressed, prefixLength }),
      adapters: z
        .array(
          looseShape({ name: z.string(), ...addressed, prefixLength } satisfies ShapeOf<Adapter>),
        )
        .optional(),
      podCidr: ipv4Block,
      gateway: looseShape(addressed),
      pods: z.array(
        looseShape({
          name: z.string(),
          ...addressed,
          listens,
          migratable: z.literal(true).optional(),
        } satisfies ShapeOf<Pod>),
      ),
      listens,
      link: link.optional(),
    } satisfies ShapeOf<Node>),
  ),
  externalHosts: z
    .array(
      looseShape({
        name: z.string(),
        ...addressed,
        balancedTo: z.string().optional(),
        listens,
      } satisfies ShapeOf<ExternalHost>),
    )
    .optional(),
  routers: z
    .array(
      looseShape({
        name: z.string(),
        interfaces: z.array(looseShape({ ...addressed, prefixLength })),
      } satisfies ShapeOf<Router>),
    )
    .optional(),
  ipv6: z.record(z.string(), z.string()).optional(),
} satisfies ShapeOf<Topology>);

/** Each waits twice as long as the one before. */
const times = within(1, 30).optional();
const asked = { from: z.string(), to: address, ttl: within(0, 255).optional() };
const called = { ...asked, port: portNumber };
const ip = { src: ipv4, dst: ipv4, ttl: within(0, 255) };
const between = { srcPort: portNumber, dstPort: portNumber };

/** What is behind an Ethernet header, in frames whose length is a number of 16 bits. */
const hex = z
  .string()
  .regex(/^([0-9a-f]{2})*$/i, 'expected bytes in hexadecimal')
  .max(2 * (0xffff - 14));

const payload = z.discriminatedUnion('kind', [
  looseShape({ kind: z.literal('udp'), ...ip, ...between }),
  looseShape({
    kind: z.literal('tcp'),
    ...ip,
    ...between,
    flags: z.array(z.enum(['SYN', 'ACK', 'FIN', 'RST'])),
    checksum: z.enum(['right', 'wrong']),
  }),
  looseShape({ kind: z.literal('echo-request'), ...ip }),
  looseShape({
    kind: z.literal('arp'),
    op: z.enum(['request', 'reply']),
    sha: mac,
    spa: ipv4,
    tha: mac,
    tpa: ipv4,
  }),
  looseShape({
    kind: z.literal('neighbour-advertisement'),
    target: address,
    mac,
    dst: address,
  }),
  looseShape({ kind: z.literal('other'), etherType: portNumber, hex }),
]);

/** A `Stimulus`. */
export const stimulus = z.discriminatedUnion('kind', [
  looseShape({ kind: z.literal('ping'), ...asked }),
  looseShape({
    kind: z.literal('udp'),
    ...called,
    afterMs: within(0, 86_400_000).optional(),
  }),
  looseShape({
    kind: z.literal('tcp'),
    ...called,
    transmissions: times,
    interjection: looseShape({
      by: z.enum(['opener', 'answerer']),
      segment: z.enum(['out-of-window', 'syn-fin', 'bad-checksum']),
    }).optional(),
  }),
  looseShape({ kind: z.literal('probe'), ...called, transmissions: times }),
  looseShape({
    kind: z.literal('calls'),
    ...called,
    protocol: z.enum(['TCP', 'UDP']),
    count: within(0, 1_000_000),
    everyMs: within(0, 86_400_000),
  }),
  looseShape({ kind: z.literal('sctp'), ...called, transmissions: times }),
  looseShape({ kind: z.literal('open'), ...called, connection: z.string() }),
  looseShape({ kind: z.literal('talk'), ...called, connection: z.string() }),
  looseShape({ kind: z.literal('arp'), from: z.string(), target: address }),
  looseShape({
    kind: z.literal('announcement'),
    from: z.string(),
    copy: within(1, 1000),
    address: address.optional(),
  }),
  looseShape({ kind: z.literal('dhcp'), from: z.string(), version: z.literal(6).optional() }),
  looseShape({
    kind: z.literal('frame'),
    from: z.string(),
    interface: z.string().optional(),
    what: z.string(),
    frame: looseShape({ src: mac, dst: mac, payload }),
  }),
]);

/** A `TestVector`. */
export const vector = looseShape({
  id: z.string().min(1),
  stimulus,
  together: z.string().optional(),
  depth: z.literal('cold').optional(),
});
