/** Faults that a run must catch: in the flows of a running switch, on its wire, and in the compiler of flows. */
import { assert } from '../base/errors.js';
import type { Action } from '../openflow/actions.js';
import type { Flow } from '../openflow/flow.js';
import type { SwitchStep } from '../nouns/switching.js';

export type Fault = {
  readonly name: string;
  /** The table at which a run must say that things part, of br-int unless told. */
  readonly table: number;
  readonly bridge?: string;
  /** The field that it must name, where one comes out wrong. */
  readonly field?: string;
} & (
  /** One flow of a running switch is otherwise than the program says; deleted where `change` gives nothing back. */
  | { readonly kind: 'switch'; readonly flow: (flow: Flow) => boolean; readonly change: (flow: Flow) => Flow | undefined }
  /** What comes out of a switch is changed before it gets anywhere. */
  | { readonly kind: 'wire'; readonly wire: (step: SwitchStep) => SwitchStep }
  /** The control plane wants one flow otherwise than it should: model and switch agree, and only intent knows better. */
  | { readonly kind: 'compiler'; readonly flow: (flow: Flow) => boolean; readonly change: (flow: Flow) => Flow }
);

/** Faults for antrea/encap, planted into br-int of the first node. */
export const antreaFaults: readonly Fault[] = [
  {
    kind: 'switch', name: 'a flow dropped: the route to the peer node', table: 70,
    flow: (flow) => flow.table === 70 && sets(flow, 'tun_dst'),
    change: () => undefined,
  },
  {
    kind: 'switch', name: 'an output changed: everything goes to the gateway', table: 110,
    flow: (flow) => flow.actions.some(({ kind }) => kind === 'output-field'),
    change: (flow) => ({ ...flow, actions: [{ kind: 'output', port: 2 }] }),
  },
  {
    kind: 'switch', name: 'a MAC rewrite wrong: the last byte of a pod\'s address', table: 70, field: 'eth_dst',
    flow: (flow) => flow.table === 70 && sets(flow, 'eth_src') && sets(flow, 'eth_dst') && !sets(flow, 'tun_dst'),
    change: (flow) => withValue(flow, 'eth_dst', (mac) => mac ^ 0xffn),
  },
  {
    kind: 'switch', name: 'the tunnel destination changed', table: 70, field: 'tun_dst',
    flow: (flow) => flow.table === 70 && sets(flow, 'tun_dst'),
    change: (flow) => withValue(flow, 'tun_dst', (address) => address ^ 0x80n),
  },
  {
    kind: 'switch', name: 'the ARP responder answers with another MAC', table: 20, field: 'arp_sha',
    flow: (flow) => flow.table === 20 && sets(flow, 'arp_sha'),
    change: (flow) => withValue(flow, 'arp_sha', (mac) => mac ^ 1n),
  },
  {
    kind: 'switch', name: 'a spoof check removed: a pod may send any IP packet', table: 10,
    flow: (flow) => flow.table === 10 && matches(flow, 'nw_src'),
    change: (flow) => ({ ...flow, priority: flow.priority + 1, match: flow.match.filter(({ field }) => !/^(dl|nw)_src$/.test(field.matchName)) }),
  },
  {
    kind: 'wire', name: 'a frame duplicated on the wire between nodes, past the last flow', bridge: 'br-phys', table: 0,
    wire: (step) => ({ outputs: step.outputs.flatMap((output) => (output.port === 'uplink' ? [output, output] : [output])) }),
  },
  {
    kind: 'compiler', name: 'the compiler checks a pod against another address', table: 10,
    flow: (flow) => flow.table === 10 && matches(flow, 'nw_src'),
    change: (flow) => ({ ...flow, match: flow.match.map((part) => (part.field.matchName === 'nw_src' ? { ...part, value: part.value ^ 0x40n } : part)) }),
  },
];

function sets(flow: Flow, field: string): boolean {
  return flow.actions.some((action) => action.kind === 'set' && action.field.name === field);
}

function matches(flow: Flow, field: string): boolean {
  return flow.match.some((part) => part.field.matchName === field);
}

function withValue(flow: Flow, field: string, change: (value: bigint) => bigint): Flow {
  assert(sets(flow, field), `the flow does not set ${field}`);
  return { ...flow, actions: flow.actions.map((action): Action => (action.kind === 'set' && action.field.name === field ? { ...action, value: change(action.value) } : action)) };
}
