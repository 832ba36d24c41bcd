/**
 * Faults for antrea/no-encap, in the stack of the first node: model and switch agree on each, and
 * only intent knows better.
 */
import type { Fault } from './fault.js';

export const noEncapFaults: readonly Fault[] = [
  {
    kind: 'host',
    name: 'no masquerade: pods leave the cluster with their own addresses',
    aspect: 'intent',
    host: (host) =>
      host.forwarding === undefined
        ? host
        : { ...host, forwarding: { ...host.forwarding, sources: [] } },
  },
  {
    kind: 'host',
    name: 'a masquerade that spares no pods: those of other nodes see the node',
    aspect: 'intent',
    host: (host) =>
      host.forwarding === undefined
        ? host
        : {
            ...host,
            forwarding: {
              ...host.forwarding,
              sources: host.forwarding.sources.map((rule) => ({ ...rule, except: [] })),
            },
          },
  },
  {
    kind: 'host',
    name: "no route to the neighbour's pods",
    aspect: 'intent',
    host: (host) => ({
      ...host,
      routes: host.routes.filter(({ destination }) => destination !== '10.10.2.0/24'),
    }),
  },
  {
    kind: 'host',
    name: "the neighbour's pods by the gateway, as if there were a tunnel",
    aspect: 'intent',
    host: (host) => ({
      ...host,
      routes: host.routes.map((route) =>
        route.destination === '10.10.2.0/24'
          ? { ...route, via: '10.10.2.1', interface: 'antrea-gw0', onlink: true }
          : route,
      ),
    }),
  },
];
