/**
 * The shape of a `ClusterPlan`, with all that it can say. What a name stands for is looked up in
 * `planProblems`, and what flows and groups say is reported where they are read.
 */
import { link } from './link-shape.js';
import { z } from 'zod';
import type {
  ClusterPlan,
  ConntrackPlan,
  NamedPipe,
  NodePlan,
} from '../../domain/plan/cluster-plan.js';
import type {
  BridgePlan,
  ControllerPlan,
  Announcement,
  DnsRecords,
  MirrorPlan,
  SnoopingPlan,
  StaticMac,
  UnderlayPlan,
  UnderlayRoute,
} from '../../domain/plan/bridge-plan.js';
import { host, neighbours } from './host-shape.js';
import { northboundPlan } from './northbound-shape.js';
import { port, vlan, vlanPlan } from './port-shape.js';
import {
  address,
  block,
  count,
  looseShape,
  ipv4,
  mac,
  prefixLength,
  texts,
  within,
  type ShapeOf,
} from './shape-values.js';

const underlay = looseShape({
  ip: ipv4,
  prefixLength,
  ipv6: looseShape({ ip: address, prefixLength: within(0, 128) }).optional(),
  neighbours,
  routes: z
    .array(
      looseShape({
        destination: block,
        gateway: address.optional(),
        mark: within(0, 0xffffffff).optional(),
      } satisfies ShapeOf<UnderlayRoute>),
    )
    .optional(),
} satisfies ShapeOf<UnderlayPlan>);

const mirror = looseShape({
  name: z.string(),
  select: z.union([z.literal('all'), looseShape({ sources: texts, destinations: texts })]),
  vlans: z.array(vlan),
  output: z.discriminatedUnion('kind', [
    looseShape({ kind: z.literal('port'), port: z.string() }),
    looseShape({ kind: z.literal('vlan'), vlan }),
  ]),
  snapLength: count.optional(),
} satisfies ShapeOf<MirrorPlan>);

const snooping = looseShape({
  ageingS: count.optional(),
  size: count.optional(),
  unregistered: z.enum(['flooded', 'to routers']).optional(),
  flood: texts.optional(),
  floodReports: texts.optional(),
} satisfies ShapeOf<SnoopingPlan>);

const bridge = looseShape({
  name: z.string(),
  origin: z.enum(['desired', 'dumped']).optional(),
  sources: z.record(z.string(), z.string()).optional(),
  mac,
  underlay: underlay.optional(),
  ports: z.array(port),
  flows: texts,
  openflow10Flows: texts.optional(),
  flowsFile: z.string().optional(),
  groups: texts.optional(),
  meters: texts.optional(),
  tunnelOptions: texts.optional(),
  failMode: z.enum(['secure', 'standalone']).optional(),
  macTable: looseShape({ ageingS: count.optional(), size: count.optional() }).optional(),
  staticMacs: z
    .array(
      looseShape({
        port: z.string(),
        vlan: within(0, 4095),
        mac: z.string(),
      } satisfies ShapeOf<StaticMac>),
    )
    .optional(),
  // Only dumps have them.
  bonds: z.never().optional(),
  mirrors: z.array(mirror).optional(),
  multicastSnooping: snooping.optional(),
  localVlan: vlanPlan.optional(),
  localMtu: z.number().optional(),
  localLink: z.literal('down').optional(),
  dns: z
    .array(
      looseShape({
        datapaths: z.array(count),
        records: z.record(z.string(), z.string()),
        isOwned: z.literal(true).optional(),
      } satisfies ShapeOf<DnsRecords>),
    )
    .optional(),
  announcements: z
    .array(
      looseShape({
        datapath: count,
        port: count,
        mac: z.string(),
        ip: z.string().optional(),
      } satisfies ShapeOf<Announcement>),
    )
    .optional(),
  forwardBpdu: z.literal(true).optional(),
  fragments: z.enum(['drop', 'nx-match']).optional(),
  unknownOfNormal: z.array(z.string()).optional(),
  controllers: z
    .array(
      looseShape({
        id: within(0, 0xffff),
        paused: z.enum(['resumed', 'kept']),
      } satisfies ShapeOf<ControllerPlan>),
    )
    .optional(),
} satisfies ShapeOf<BridgePlan>);

const zone = within(0, 0xffff);
const conntrack = looseShape({
  limits: z
    .array(looseShape({ zone: z.union([zone, z.literal('default')]), connections: count }))
    .optional(),
  mostConnections: count.optional(),
  tcpSequences: z.enum(['checked', 'not checked']).optional(),
  timeouts: z.array(looseShape({ zone, seconds: z.record(z.string(), count) })).optional(),
} satisfies ShapeOf<ConntrackPlan>);

const ids = z.record(z.string(), within(0, 0xffffffff));

/** A `NodePlan`. */
export const nodePlan = looseShape({
  node: z.string(),
  bridges: z.array(bridge),
  hosts: z.array(host),
  conntrack: conntrack.optional(),
  pipes: z
    .array(
      looseShape({
        use: z.enum(['OVSDB', 'OpenFlow', 'CNI']),
        name: z.string(),
      } satisfies ShapeOf<NamedPipe>),
    )
    .optional(),
  allocation: looseShape({
    round: count,
    ids,
    firstId: within(0, 0xffffffff),
    groups: ids.optional(),
    firstGroup: within(0, 0xffffffff).optional(),
  } satisfies ShapeOf<NonNullable<NodePlan['allocation']>>).optional(),
  link: link.optional(),
  // Only dumps, and cases of a fuzzer, have these.
  tagsMax: z.never().optional(),
  uncached: z.never().optional(),
  asDumped: z.never().optional(),
} satisfies ShapeOf<NodePlan>);

/** A `ClusterPlan`, as far as its fields go. */
export const clusterPlan = looseShape({
  nodes: z.array(nodePlan),
  externalHosts: z.array(host).optional(),
  leftWrong: z.array(z.string()).optional(),
  northbound: northboundPlan.optional(),
} satisfies ShapeOf<ClusterPlan>);

export const steps = z.array(
  z.discriminatedUnion('kind', [
    looseShape({ kind: z.literal('attach'), node: z.string(), bridge: z.string(), port }),
    looseShape({
      kind: z.literal('detach'),
      node: z.string(),
      bridge: z.string(),
      port: z.string(),
    }),
    looseShape({
      kind: z.literal('neighbours'),
      node: z.string(),
      bridge: z.string(),
      neighbours,
    }),
    looseShape({ kind: z.literal('restart'), node: z.string() }),
    looseShape({ kind: z.literal('programmed'), node: z.string(), plan: nodePlan }),
    looseShape({ kind: z.literal('join'), node: z.string(), plan: nodePlan }),
    looseShape({ kind: z.literal('leave'), node: z.string() }),
    looseShape({ kind: z.literal('change'), node: z.string(), bridge: z.string(), lines: texts }),
  ]),
);
