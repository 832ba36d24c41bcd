/** Which way frames go between hosts and switches: the wires at ports, and the network between nodes. */
import { formatMac } from '../base/address.js';
import { assert } from '../base/errors.js';
import type { ClusterPlan, InterfacePlan } from '../nouns/plan.js';
import type { Stimulus } from '../nouns/vector.js';
import { createHost, type Clock, type Draws, type Host } from './host.js';

/** How long a frame takes from a host to its switch port and back, and across the network between nodes. */
export const latencyUs = { port: 10, underlay: 100 } as const;

/** A frame at the end of its way. */
export type Arrival =
  | { readonly kind: 'to-switch'; readonly node: string; readonly port: string; readonly frame: Uint8Array }
  | { readonly kind: 'to-host'; readonly host: Host; readonly via: InterfacePlan; readonly frame: Uint8Array };

export interface Delivery {
  readonly delayUs: number;
  readonly arrival: Arrival;
}

export interface Wiring {
  host(name: string): Host;
  /** Where a frame goes that a host sends: to its switch port, or across the network between nodes. */
  fromHost(host: Host, via: InterfacePlan, frame: Uint8Array): readonly Delivery[];
  /** Where a frame goes that left a switch port: to a host, across the network between nodes, or nowhere. */
  fromSwitch(node: string, port: string, frame: Uint8Array): readonly Delivery[];
}

/** What hangs on the network between nodes: a node's uplink, or an external host. */
interface Station {
  readonly mac: string;
  readonly deliver: (frame: Uint8Array) => Arrival;
}

/** Fresh hosts for all of the plan, and the wires between them and its switches. */
export function wire(plan: ClusterPlan, stimulus: Stimulus, random: Draws, clock: Clock): Wiring {
  const interjection = stimulus.kind === 'tcp' ? stimulus.interjection : undefined;
  const hosts = new Map<string, { readonly host: Host; readonly node?: string }>();
  /** What stands at the other end of a switch port, and of an external host's interface. */
  const atPort = new Map<string, { readonly host: Host; readonly via: InterfacePlan } | Station>();
  const outside = new Map<InterfacePlan, Station>();
  for (const { node, hosts: hostPlans, bridges } of plan.nodes) {
    const answeredFor = new Set(bridges.flatMap(({ underlay }) => (underlay === undefined ? [] : [underlay.ip])));
    for (const hostPlan of hostPlans) {
      const host = createHost(hostPlan, random, { interjection, answeredFor, clock });
      hosts.set(hostPlan.name, { host, node });
      for (const via of hostPlan.interfaces) if (via.port !== undefined) atPort.set(`${node} ${via.port}`, { host, via });
    }
    for (const port of bridges.flatMap(({ ports }) => ports)) {
      if (port.kind === 'uplink') atPort.set(`${node} ${port.name}`, { mac: port.mac, deliver: (frame) => ({ kind: 'to-switch', node, port: port.name, frame }) });
    }
  }
  for (const hostPlan of plan.externalHosts ?? []) {
    const host = createHost(hostPlan, random, { interjection, clock });
    hosts.set(hostPlan.name, { host });
    for (const via of hostPlan.interfaces) outside.set(via, { mac: via.mac, deliver: (frame) => ({ kind: 'to-host', host, via, frame }) });
  }
  const stations = [...[...atPort.values()].filter((end) => 'deliver' in end), ...outside.values()];
  /** The network between nodes is one switch that knows every address there. */
  const across = (sender: Station, frame: Uint8Array): readonly Delivery[] => {
    const destination = formatMac(frame);
    const toAll = ((frame[0] ?? 0) & 1) === 1;
    return stations.filter((station) => station !== sender && (toAll || station.mac === destination)).map(({ deliver }) => ({ delayUs: latencyUs.underlay, arrival: deliver(frame) }));
  };
  const find = (name: string) => {
    const found = hosts.get(name);
    assert(found !== undefined, `no host ${name} in the plan`);
    return found;
  };
  return {
    host: (name) => find(name).host,
    fromHost(host, via, frame) {
      const station = outside.get(via);
      if (station !== undefined) return across(station, frame);
      const { node } = find(host.plan.name);
      assert(node !== undefined && via.port !== undefined, `nothing is at the other end of ${via.name} of ${host.plan.name}`);
      return [{ delayUs: latencyUs.port, arrival: { kind: 'to-switch', node, port: via.port, frame } }];
    },
    fromSwitch(node, port, frame) {
      const end = atPort.get(`${node} ${port}`);
      if (end === undefined) return [];
      return 'deliver' in end ? across(end, frame) : [{ delayUs: latencyUs.port, arrival: { kind: 'to-host', ...end, frame } }];
    },
  };
}
