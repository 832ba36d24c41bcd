/** The shape of a `HostPlan`, with all that it can say. */
import { z } from 'zod';
import type { HostPlan, InterfacePlan, RoutePlan } from '../../domain/plan/host-plan.js';
import type { ProxyPlan } from '../../domain/plan/proxy-plan.js';
import type { Listener } from '../../domain/topology.js';
import type {
  AddressAndPort,
  DnatRule,
  NatTimeouts,
  SnatRule,
  NatPlan,
} from '../../domain/plan/nat-plan.js';
import {
  address,
  block,
  count,
  looseShape,
  ipv4,
  ipv4Block,
  mac,
  portNumber,
  prefixLength,
  texts,
  within,
  type ShapeOf,
} from './shape-values.js';

const transport = z.enum(['TCP', 'UDP', 'SCTP']);
const ports = looseShape({ first: portNumber, last: portNumber });
const addressAndPort = looseShape({ ip: ipv4, port: portNumber } satisfies ShapeOf<AddressAndPort>);

export const listener = looseShape({
  protocol: transport,
  port: portNumber,
} satisfies ShapeOf<Listener>);

const translation = looseShape({
  destinations: z.array(
    looseShape({
      match: looseShape({
        ip: ipv4,
        protocol: transport,
        port: portNumber,
        from: z.array(ipv4Block).optional(),
      } satisfies ShapeOf<DnatRule['match']>),
      to: z.array(addressAndPort),
      nobody: z.enum(['reported', 'lost']).optional(),
      affinity: looseShape({ name: z.string(), seconds: count }).optional(),
      keepsSenders: z.array(ipv4Block),
    } satisfies ShapeOf<DnatRule>),
  ),
  sources: z.array(
    looseShape({
      from: z.array(ipv4Block),
      except: z.array(ipv4Block),
      ports: ports.optional(),
    } satisfies ShapeOf<SnatRule>),
  ),
  lifetimes: looseShape({
    icmpS: count,
    udpS: count,
    tcpTransientS: count,
    tcpEstablishedS: count,
  } satisfies ShapeOf<NatTimeouts>).optional(),
} satisfies ShapeOf<NatPlan>);

const proxy = looseShape({
  at: looseShape({
    ip: ipv4.optional(),
    protocol: z.enum(['TCP', 'UDP']),
    port: portNumber,
  } satisfies ShapeOf<ProxyPlan['at']>),
  to: z.array(addressAndPort),
  affinityS: count.optional(),
  dialMs: z.array(count),
  udpIdleMs: count,
} satisfies ShapeOf<ProxyPlan>);

export const neighbours = z.array(looseShape({ ip: address, mac }));

/** A `HostPlan`. */
export const host = looseShape({
  name: z.string(),
  kind: z.enum(['pod', 'linux-node', 'windows-node', 'external']),
  interfaces: z.array(
    looseShape({
      name: z.string(),
      port: z.string().optional(),
      mac,
      ip: ipv4,
      prefixLength,
      ipv6: looseShape({ ip: address, prefixLength: within(0, 128) }).optional(),
    } satisfies ShapeOf<InterfacePlan>),
  ),
  routes: z.array(
    looseShape({
      destination: block,
      via: address,
      interface: z.string(),
      onlink: z.boolean(),
    } satisfies ShapeOf<RoutePlan>),
  ),
  listens: z.array(listener).optional(),
  forwarding: translation.optional(),
  forwardsFrom: texts.optional(),
  neighbours: neighbours.optional(),
  proxies: z.array(proxy).optional(),
} satisfies ShapeOf<HostPlan>);
