/** Hosts of a plan whose place guests take. */
import { assert } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { HostPlan } from '../domain/plan/host-plan.js';

/** @throws BugInFlowbed where there is none. */
export function hostOf({ nodes }: ClusterPlan, name: string): HostPlan {
  const host = nodes.flatMap(({ hosts }) => hosts).find((one) => one.name === name);
  assert(host !== undefined, `there is a host ${name}`);
  return host;
}

export function firstInterface({ interfaces: [first] }: HostPlan) {
  assert(first !== undefined, 'a host has an interface');
  return first;
}

export const ipOf = (host: HostPlan) => firstInterface(host).ip;

/** The port of a pod. */
export function portOf(host: HostPlan): string {
  const { port } = firstInterface(host);
  assert(port !== undefined, 'a pod is at a port');
  return port;
}

/** What a guest gets that has the host's address without asking for it, and talks to `peer`. */
export function staticOf(host: HostPlan, peer: string): Readonly<Record<string, string>> {
  const { ip, prefixLength } = firstInterface(host);
  const gateway = host.routes.find(({ destination }) => destination === '0.0.0.0/0')?.via;
  assert(gateway !== undefined, 'a pod has a default route');
  return { ADDRESS: `${ip}/${prefixLength}`, GATEWAY: gateway, PEER: peer };
}
