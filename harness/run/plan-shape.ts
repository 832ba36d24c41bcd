/**
 * The shape of a `ClusterPlan`, with all that it can say. What a name stands for is looked up in
 * `planProblems`, and what flows and groups say is reported where they are read.
 */
import { z } from 'zod';
import type {
  ClusterPlan,
  ConntrackPlan,
  NamedPipe,
  NodePlan,
} from '../domain/plan/cluster-plan.js';
import type { DnsRecords } from '../domain/plan/bridge-plan.js';
import type { ControllerPlan } from '../domain/plan/bridge-plan.js';
import type { SnoopingPlan } from '../domain/plan/bridge-plan.js';
import type { MirrorPlan } from '../domain/plan/bridge-plan.js';
import type { UnderlayRoute } from '../domain/plan/bridge-plan.js';
import type { UnderlayPlan } from '../domain/plan/bridge-plan.js';
import type { StaticMac } from '../domain/plan/bridge-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import type { VlanPlan } from '../domain/plan/port-plan.js';
import type { TunnelOptions } from '../domain/plan/port-plan.js';
import type { PortPlan } from '../domain/plan/port-plan.js';
import { host, neighbours } from './host-shape.js';
import { northboundPlan } from './northbound-shape.js';
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

const vlan = within(0, 4095);
const vlanPlan = looseShape({
  mode: z.enum(['access', 'native-tagged', 'native-untagged', 'trunk', 'dot1q-tunnel']).optional(),
  tag: vlan.optional(),
  trunks: z.array(vlan),
  priorityTags: z.enum(['if-nonzero', 'always']).optional(),
  customerVlans: z.array(vlan).optional(),
  outerTag: z.literal('802.1q').optional(),
} satisfies ShapeOf<VlanPlan>);
const ofPort = {
  name: z.string(),
  /** Up to what Open vSwitch allocates (ovs-fields(7), "in_port"). */
  ofport: within(1, 0xfeff),
  vlan: vlanPlan.optional(),
  flood: z.literal('never').optional(),
  forward: z.literal('never').optional(),
  receive: z.literal('never').optional(),
  mtu: within(68, 65_535).optional(),
  queueDscp: z.record(z.string(), within(0, 63)).optional(),
  link: z.literal('down').optional(),
  leadsInto: z.literal('a tunnel').optional(),
};
type PortOf<Kind> = ShapeOf<Extract<PortPlan, { readonly kind: Kind }>>;

const option = z.string().optional();
const tunnelOptions = looseShape({
  remote_ip: z.string(),
  local_ip: option,
  key: option,
  in_key: option,
  out_key: option,
  dst_port: option,
  tos: option,
  ttl: option,
  df_default: option,
  csum: option,
  seq: option,
  exts: option,
  egress_pkt_mark: option,
  packet_type: option,
  payload_type: option,
} satisfies ShapeOf<TunnelOptions>);

export const tunnelType = z.enum(['geneve', 'vxlan', 'gre', 'stt', 'bareudp']);

const port = z.discriminatedUnion('kind', [
  looseShape({
    kind: z.literal('endpoint'),
    ...ofPort,
    plugged: z.literal('by a program').optional(),
  } satisfies PortOf<'endpoint'>),
  looseShape({ kind: z.literal('internal'), ...ofPort, mac } satisfies PortOf<'internal'>),
  looseShape({
    kind: z.literal('tunnel'),
    ...ofPort,
    tunnel: tunnelType,
    options: tunnelOptions.optional(),
  } satisfies PortOf<'tunnel'>),
  looseShape({ kind: z.literal('uplink'), ...ofPort, mac } satisfies PortOf<'uplink'>),
  looseShape({
    kind: z.literal('patch'),
    ...ofPort,
    peer: looseShape({ bridge: z.string(), port: z.string() }),
  } satisfies PortOf<'patch'>),
]);

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
  forwardBpdu: z.literal(true).optional(),
  fragments: z.enum(['drop', 'nx-match']).optional(),
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
  // Only dumps have these.
  tagsMax: z.never().optional(),
  asDumped: z.never().optional(),
} satisfies ShapeOf<NodePlan>);

/** A `ClusterPlan`, as far as its fields go. */
export const clusterPlan = looseShape({
  nodes: z.array(nodePlan),
  externalHosts: z.array(host).optional(),
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
