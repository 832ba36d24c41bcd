import type { HostPlan } from '../domain/plan/host-plan.js';
import type { SnatRule } from '../domain/plan/nat-plan.js';
import type { Flow } from '../openflow/flows/flow.js';
import type { Fault } from './fault.js';

/**
 * Faults for antrea/windows-service-traffic, in what the agent makes of the host of the first node,
 * which runs Windows.
 */
export const windowsHostFaults: readonly Fault[] = [
  {
    kind: 'host',
    name:
      'a wrong virtual MAC: the host sends to another neighbour than the one that stands for ' +
      'Services',
    aspect: 'intent',
    host: (host) => ({
      ...host,
      neighbours: (host.neighbours ?? []).map((neighbour) => ({
        ...neighbour,
        mac: neighbour.mac.replace(/..$/, '00'),
      })),
    }),
  },
  {
    kind: 'host',
    name: 'IP forwarding is not enabled on antrea-gw0',
    aspect: 'intent',
    host: (host) => ({ ...host, forwardsFrom: [] }),
  },
  {
    kind: 'host',
    name: 'NetNat leaves the virtual address as it is',
    aspect: 'intent',
    host: (host) => withSources(host, (from) => from.filter((block) => !block.endsWith('/32'))),
  },
];

/**
 * Faults for antrea/windows-pod-to-pod in noEncap mode, in the flows of the first node, which runs
 * Windows.
 */
export const windowsFlowFaults: readonly Fault[] = [
  {
    kind: 'compiler',
    name: "macRewriteMark is missing: what comes from the uplink keeps the node's MAC address",
    aspect: 'intent',
    flow: (flow) => flow.table === 0 && flow.priority === 210,
    change: (flow) => ({
      ...flow,
      actions: flow.actions.filter(
        (action) =>
          !(action.kind === 'set' && action.field.name === 'reg0' && action.value === 0x80000n),
      ),
    }),
  },
  {
    kind: 'compiler',
    name: 'a reply that enters the switch twice: by the host instead of to the uplink',
    aspect: 'intent',
    flow: isReplyToNode,
    change: (flow) => ({
      ...flow,
      match: flow.match.map((part) =>
        part.field.matchName === 'nw_dst' ? { ...part, value: part.value ^ 0x4000n } : part,
      ),
    }),
  },
];

/** Faults for antrea/windows-external-traffic, in NetNat of the first node, which runs Windows. */
export const netNatFaults: readonly Fault[] = [
  {
    kind: 'host',
    name: 'a NetNat range off by one: its first port is the last that is not its own',
    aspect: 'intent',
    host: (host) =>
      withRules(host, (rule) =>
        rule.ports === undefined
          ? rule
          : { ...rule, ports: { ...rule.ports, first: rule.ports.first - 1 } },
      ),
  },
  {
    kind: 'host',
    name:
      'NetNat never forgets: of the one port that it has here a connection that is over keeps ' +
      'it',
    aspect: 'intent',
    host: (host) => withLifetimes(withOnePort(host), 1e9),
  },
];

/** What `netNatFaults` plants the second of them into; by itself it is no fault. */
export function withOnePort(host: HostPlan): HostPlan {
  return withRules(host, (rule) =>
    rule.ports === undefined
      ? rule
      : { ...rule, ports: { first: rule.ports.first, last: rule.ports.first } },
  );
}

/** Faults for antrea/windows-node-ports, in the stack of the first node, which runs Windows. */
export const nodePortFaults: readonly Fault[] = [
  {
    kind: 'host',
    name:
      "a proxy that leaks the client's address: it passes packets on with another " +
      'destination, and opens no connection',
    aspect: 'intent',
    host: withoutProxies,
  },
];

/** Faults for antrea/windows-hybrid, in the stack of the first node, which runs Windows. */
export const leftoverRouteFaults: readonly Fault[] = [
  {
    kind: 'host',
    name: 'a route left after a node is gone',
    aspect: 'intent',
    host: (host) => ({
      ...host,
      routes: [
        ...host.routes,
        { destination: '10.10.3.0/24', via: '10.10.3.1', interface: 'antrea-gw0', onlink: true },
      ],
    }),
  },
];

/** Faults for antrea/windows-pod-to-pod, on the first node. */
export const endpointFaults: readonly Fault[] = [
  {
    kind: 'wire',
    name: 'an endpoint attached twice: its pod gets every packet twice',
    aspect: 'frames',
    wire: (step) => ({
      ...step,
      outputs: step.outputs.flatMap((output) =>
        output.port.startsWith('p1-') ? [output, output] : [output],
      ),
    }),
  },
];

function withoutProxies({ proxies = [], ...host }: HostPlan): HostPlan {
  const destinations = host.interfaces.flatMap(({ ip }) =>
    proxies.map(({ at, to }) => ({
      match: { ip, protocol: at.protocol, port: at.port },
      to,
      keepsSenders: ['0.0.0.0/0'],
    })),
  );
  return {
    ...host,
    forwarding: { sources: [], ...host.forwarding, destinations },
    forwardsFrom: host.interfaces.map(({ name }) => name),
  };
}

function withLifetimes(host: HostPlan, seconds: number): HostPlan {
  if (host.forwarding === undefined) return host;
  return {
    ...host,
    forwarding: {
      ...host.forwarding,
      lifetimes: {
        icmpS: seconds,
        udpS: seconds,
        tcpTransientS: seconds,
        tcpEstablishedS: seconds,
      },
    },
  };
}

function isReplyToNode(flow: Flow): boolean {
  return (
    flow.table === 70 &&
    flow.match.some(({ field }) => field.matchName === 'ct_state') &&
    flow.match.some(({ field }) => field.matchName === 'nw_dst')
  );
}

function withSources(
  host: HostPlan,
  change: (from: readonly string[]) => readonly string[],
): HostPlan {
  return withRules(host, (rule) => ({ ...rule, from: change(rule.from) }));
}

function withRules(host: HostPlan, change: (rule: SnatRule) => SnatRule): HostPlan {
  if (host.forwarding === undefined) return host;
  return {
    ...host,
    forwarding: { ...host.forwarding, sources: host.forwarding.sources.map(change) },
  };
}
