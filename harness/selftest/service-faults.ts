import type { Action } from '../openflow/actions/actions.js';
import { parseFlow, type Flow } from '../openflow/flows/flow.js';
import type { Fault } from './fault.js';

/**
 * Faults for antrea/services-antrea-proxy, planted into what is compiled for br-int of the first
 * node: model and switch carry them out alike, and only who knows Services sees them. A sound run
 * says wrongly once in a million seeds that an endpoint is left out (`serviceCalls`).
 */
export const serviceFaults: readonly Fault[] = [
  {
    kind: 'compiler',
    name: 'affinity that forgets: what a client got is not learned',
    aspect: 'intent',
    flow: (flow) => flow.table === 41 && flow.actions.some(({ kind }) => kind === 'learn'),
    change: (flow) => ({ ...flow, actions: flow.actions.filter(({ kind }) => kind !== 'learn') }),
  },
  {
    kind: 'group compiler',
    name: 'an endpoint that is never chosen: it is in no bucket',
    aspect: 'intent',
    group: (group) => group.startsWith('group_id=1,'),
    change: (group) => group.split(',bucket=bucket_id:1,')[0] ?? '',
  },
  {
    kind: 'compiler',
    name: "a wrong port: connections go to the one above the endpoint's",
    aspect: 'intent',
    flow: (flow) => flow.table === 42 && hasNat(flow),
    change: (flow) => ({ ...flow, actions: flow.actions.map(withNextPort) }),
  },
  {
    kind: 'compiler',
    name: 'a hairpin without translation: a pod sees itself as the sender',
    aspect: 'intent',
    flow: (flow) => flow.table === 106 && flow.match.length > 0,
    change: (flow) => ({
      ...flow,
      actions: flow.actions.filter(
        (action) => !(action.kind === 'set' && action.field.name === 'ip_src'),
      ),
    }),
  },
];

/**
 * The same for antrea/services-kube-proxy: packets for Services meet egress policies once the node
 * has translated them, not before.
 */
export const egressFaults: readonly Fault[] = [
  {
    kind: 'compiler',
    name: "egress policies before the node's translation: they judge the address of a Service",
    aspect: 'intent',
    flow: (flow) =>
      flow.table === 40 && flow.match.some(({ field }) => field.matchName === 'nw_dst'),
    change: () => parseFlow('table=40,priority=200,ip,nw_dst=10.96.0.0/12 actions=goto_table:45'),
  },
];

function hasNat({ actions }: Flow): boolean {
  return actions.some(
    (action) => action.kind === 'ct' && action.exec.some(({ kind }) => kind === 'nat'),
  );
}

function withNextPort(action: Action): Action {
  if (action.kind === 'ct') return { ...action, exec: action.exec.map(withNextPort) };
  if (action.kind !== 'nat' || action.to?.ports === undefined) return action;
  const { first, last } = action.to.ports;
  return { ...action, to: { ...action.to, ports: { first: first + 1, last: last + 1 } } };
}
