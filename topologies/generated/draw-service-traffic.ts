/** Random traffic to Services. */
import type { Random } from '../../harness/base/random.js';
import type { Manifest } from '../changing-cluster.js';
import type { TrafficEvent } from '../cluster-event.js';
import type { PodSpec } from './generated-services.js';
import {
  pick,
  somePort,
  serviceName,
  portsOf,
  numberIn,
  nodePortOf,
  hostsOutside,
  allowsLongConnections,
} from './generated-services.js';

export interface Clients {
  /** Hosts there are or were, and Services. */
  readonly names: readonly string[];
  readonly asked: readonly string[];
  /** What there is by now. */
  readonly live: readonly Manifest[];
}

/** Mostly a port of a Service that there is. */
export function target(
  random: Random,
  asked: readonly string[],
  live: readonly Manifest[],
): { readonly to: string; readonly protocol: 'TCP' | 'UDP'; readonly port: number } {
  const services = live.filter(({ kind }) => kind === 'Service');
  if (services.length === 0 || random.integer(1, 4) === 1)
    return {
      to: pick(random, asked),
      protocol: pick(random, ['TCP', 'UDP']),
      port: somePort(random),
    };
  const one = pick(random, services);
  return { to: serviceName(one), ...pick(random, portsOf(one)) };
}

/**
 * A new connection, or a datagram, to a Service there is or was: by its address, or by a port of a
 * node. `id` makes one of what it is called.
 */
export function drawTraffic(
  random: Random,
  { names, asked, live }: Clients,
  id: (what: string) => string,
): TrafficEvent {
  const { to, protocol, port } = target(random, asked, live);
  const nodes = live.filter(({ kind }) => kind === 'Node').map(({ metadata: { name } }) => name);
  const isNode = (name: string) => /^n\d+$/.test(name);
  if (random.integer(1, 3) > 1) {
    // What a node sends to itself never leaves it.
    const from = pick(
      random,
      allowsLongConnections(to) ? names : names.filter((name) => !isNode(name)),
    );
    return {
      kind: 'send',
      id: id(`ask-${protocol.toLowerCase()}-${port}/${from}/${to}`),
      from,
      to,
      service: { protocol, port },
    };
  }
  const nodePort = nodePortOf(numberIn(to));
  const { from, node } = pick(random, [
    ...hostsOutside.map(({ name }) => ({ from: name, node: pick(random, nodes) })),
    // Of another node's port nothing is promised to pods when nobody is ready.
    ...live
      .filter(({ kind, spec }) => kind === 'Pod' && !(spec as PodSpec).hostNetwork)
      .map(({ metadata: { name, namespace = 'default' }, spec }) => ({
        from: namespace === 'default' ? name : `${name}.${namespace}`,
        node: (spec as PodSpec).nodeName,
      })),
    ...(allowsLongConnections(to)
      ? nodes.flatMap((name) =>
          nodes.filter((other) => other !== name).map((other) => ({ from: name, node: other })),
        )
      : []),
  ]);
  return {
    kind: 'send',
    id: id(`ask-${protocol.toLowerCase()}-${nodePort}/${from}/${node}`),
    from,
    to: `Node ${node}`,
    service: { protocol, port: nodePort },
  };
}
