/** The shape of a port of a `ClusterPlan`, its VLANs and tunnel. */
import { z } from 'zod';
import type { PortPlan, TunnelOptions, VlanPlan } from '../../domain/plan/port-plan.js';
import { looseShape, mac, within, type ShapeOf } from './shape-values.js';

export const vlan = within(0, 4095);
export const vlanPlan = looseShape({
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
  speaks: z.array(z.enum(['bfd', 'cfm', 'lacp', 'lldp'])).optional(),
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

const tunnelType = z.enum(['geneve', 'vxlan', 'gre', 'stt', 'bareudp']);

export const port = z.discriminatedUnion('kind', [
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
