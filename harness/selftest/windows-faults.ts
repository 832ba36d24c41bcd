import type { HostPlan } from '../nouns/plan.js';
import type { Flow } from '../openflow/flow.js';
import type { Fault } from './faults.js';

/** Faults for antrea/windows-service-traffic, in what the agent makes of the host of the first node, which runs Windows. */
export const windowsHostFaults: readonly Fault[] = [
  {
    kind: 'host', name: 'a wrong virtual MAC: the host sends to another neighbour than the one that stands for Services', aspect: 'intent',
    host: (host) => ({ ...host, neighbours: (host.neighbours ?? []).map((neighbour) => ({ ...neighbour, mac: neighbour.mac.replace(/..$/, '00') })) }),
  },
  {
    kind: 'host', name: 'IP forwarding is not enabled on antrea-gw0', aspect: 'intent',
    host: (host) => ({ ...host, forwardsFrom: [] }),
  },
  {
    kind: 'host', name: 'NetNat leaves the virtual address as it is', aspect: 'intent',
    host: (host) => withSources(host, (from) => from.filter((block) => !block.endsWith('/32'))),
  },
];

/** Faults for antrea/windows-pod-to-pod in noEncap mode, in the flows of the first node, which runs Windows. */
export const windowsFlowFaults: readonly Fault[] = [
  {
    kind: 'compiler', name: 'macRewriteMark is missing: what comes from the uplink keeps the node\'s MAC address', aspect: 'intent',
    flow: (flow) => flow.table === 0 && flow.priority === 210,
    change: (flow) => ({ ...flow, actions: flow.actions.filter((action) => !(action.kind === 'set' && action.field.name === 'reg0' && action.value === 0x80000n)) }),
  },
  {
    kind: 'compiler', name: 'a reply that enters the switch twice: by the host instead of to the uplink', aspect: 'intent',
    flow: isReplyToNode,
    change: (flow) => ({ ...flow, match: flow.match.map((part) => (part.field.matchName === 'nw_dst' ? { ...part, value: part.value ^ 0x4000n } : part)) }),
  },
];

function isReplyToNode(flow: Flow): boolean {
  return flow.table === 70 && flow.match.some(({ field }) => field.matchName === 'ct_state') && flow.match.some(({ field }) => field.matchName === 'nw_dst');
}

function withSources(host: HostPlan, change: (from: readonly string[]) => readonly string[]): HostPlan {
  if (host.forwarding === undefined) return host;
  return { ...host, forwarding: { ...host.forwarding, sources: host.forwarding.sources.map((rule) => ({ ...rule, from: change(rule.from) })) } };
}
