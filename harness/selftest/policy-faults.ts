import type { Action } from '../openflow/actions/actions.js';
import { parseFlow, type Flow } from '../openflow/flows/flow.js';
import type { Fault } from './fault.js';

/**
 * Faults for antrea/network-policy, planted into br-int of the first node, where nginx1, server,
 * notclient, front and batch live.
 */
export const policyFaults: readonly Fault[] = [
  {
    kind: 'switch',
    name: 'a conjunction with the wrong id: what it allows is not allowed',
    aspect: 'frames',
    table: 50,
    flow: (flow) => flow.table === 50 && has(flow, 'tp_dst', 'tcp_dst'),
    change: (flow) => ({
      ...flow,
      actions: flow.actions.map(
        (action): Action =>
          action.kind === 'conjunction' ? { ...action, id: action.id + 1000 } : action,
      ),
    }),
  },
  {
    kind: 'switch',
    name: 'a part of a conjunction is missing: a port is not allowed',
    aspect: 'frames',
    table: 50,
    flow: (flow) => flow.table === 50 && has(flow, 'tp_dst', 'tcp_dst'),
    change: () => undefined,
  },
  {
    kind: 'compiler',
    name: 'the compiler forgets an exception: the block begins one bit earlier',
    aspect: 'intent',
    flow: (flow) =>
      flow.table === 90 &&
      flow.match.some(
        ({ field, value }) => field.matchName === 'nw_src' && value === exceptionsNeighbour,
      ),
    change: (flow) => ({
      ...flow,
      match: flow.match.map((part) =>
        part.field.matchName === 'nw_src' ? { ...part, mask: 0xfffffe00n } : part,
      ),
    }),
  },
  {
    kind: 'compiler',
    name: 'the compiler swaps priorities: a part of a Drop comes after an Allow',
    aspect: 'intent',
    flow: (flow) => flow.table === 85 && flow.priority === 11800 && has(flow, 'tp_dst', 'tcp_dst'),
    change: (flow) => ({ ...flow, priority: 10000 }),
  },
  {
    kind: 'compiler',
    name: "the compiler isolates another pod's port",
    aspect: 'intent',
    flow: (flow) => flow.table === 100 && has(flow, 'reg1'),
    change: (flow) => withMatch(flow, 'reg1', (port) => port + 1n),
  },
  {
    kind: 'compiler',
    name:
      "the compiler isolates a pod's address in place of its port: who lies about whom a " +
      'packet is for gets in',
    aspect: 'intent',
    flow: (flow) => flow.table === 100 && has(flow, 'reg1'),
    change: () => parseFlow('table=100,priority=200,ip,nw_dst=10.10.1.2 actions=drop'),
  },
  {
    kind: 'compiler',
    name: 'the compiler puts a policy on the wrong port: 81 in place of 80',
    aspect: 'intent',
    flow: (flow) => flow.table === 50 && has(flow, 'tp_dst', 'tcp_dst'),
    change: (flow) => ({
      ...flow,
      match: flow.match.map((part) =>
        part.field.matchName === 'tp_dst' || part.field.name === 'tcp_dst'
          ? { ...part, value: part.value + 1n }
          : part,
      ),
    }),
  },
  {
    kind: 'compiler',
    name:
      "the compiler lets another address past policies in place of the gateway's: they stop " +
      'probes',
    aspect: 'intent',
    flow: (flow) => flow.table === 90 && flow.priority === 210 && has(flow, 'nw_src'),
    change: (flow) => withMatch(flow, 'nw_src', (address) => address + 253n),
  },
  ...(['kube', 'intent'] as const).map(
    (readBy): Fault => ({
      kind: 'selector',
      readBy,
      name: `${readBy}/ reads selectors without their expressions`,
      aspect: 'intent',
      read: ({ matchExpressions: _, ...selector }) => selector,
    }),
  ),
];

/** 10.10.0.0/24, what is left of the block beside the exception 10.10.1.0/24. */
const exceptionsNeighbour = 0x0a0a0000n;

function has(flow: Flow, ...names: readonly string[]): boolean {
  return flow.match.some(
    ({ field }) => names.includes(field.matchName) || names.includes(field.name),
  );
}

function withMatch(flow: Flow, name: string, change: (value: bigint) => bigint): Flow {
  return {
    ...flow,
    match: flow.match.map((part) =>
      part.field.matchName === name || part.field.name === name
        ? { ...part, value: change(part.value) }
        : part,
    ),
  };
}
