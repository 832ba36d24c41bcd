/**
 * Faults for ovn/first: in the flows that OVN has compiled, on the wire between chassis, and in the
 * northbound rows. Which table a logical flow is in differs between versions of OVN: a finding
 * names the logical flow instead.
 */
import type { NorthboundRow, NorthboundValue } from '../domain/plan/northbound-plan.js';
import type { Flow } from '../openflow/flows/flow.js';
import type { Action } from '../openflow/actions/actions.js';
import type { Fault } from './fault.js';

/** Planted into br-int of the first chassis; p3 is on the other one. */
export const ovnFaults: readonly Fault[] = [
  {
    kind: 'switch',
    name: 'a logical route that the switch does not hold',
    aspect: 'frames',
    flow: (flow) => matches(flow, 'nw_dst', 0x0a0a0200n) && flow.actions.length > 3,
    change: () => undefined,
  },
  {
    kind: 'switch',
    name: "the router writes another MAC than the neighbour's",
    aspect: 'frames',
    field: 'eth_dst',
    flow: (flow) => writes(flow, 'eth_dst', 0x0a000a0a0202n),
    change: (flow) => withValue(flow, 'eth_dst', (mac) => mac ^ 1n),
  },
  {
    kind: 'switch',
    name: 'a packet crosses chassis with the key of another logical port',
    aspect: 'frames',
    flow: (flow) => writes(flow, 'tun_metadata0', 2n),
    change: (flow) => withValue(flow, 'tun_metadata0', () => 3n),
  },
  {
    kind: 'program',
    name: 'a flow of OVN that the switch holds otherwise',
    aspect: 'program',
    flow: (flow) => writes(flow, 'eth_dst', 0x0a000a0a0202n),
    change: (flow) => withValue(flow, 'eth_dst', (mac) => mac ^ 1n),
  },
  {
    kind: 'wire',
    name: 'a Geneve option changed between chassis',
    aspect: 'frames',
    bridge: 'br-phys',
    table: 0,
    wire: (step) => ({
      outputs: step.outputs.map((output) =>
        output.port === 'uplink' && output.frame.length > lastOptionByte
          ? { ...output, frame: output.frame.with(lastOptionByte, 3) }
          : output,
      ),
    }),
  },
  {
    kind: 'northbound',
    name: 'a router port on another network than its switch',
    aspect: 'intent',
    row: ({ id }) => id === 'router port rtos-n2',
    change: (row) => withColumn(row, 'networks', { set: ['10.10.9.1/24'] }),
  },
  {
    kind: 'northbound',
    name: 'a logical port with another MAC than its pod',
    aspect: 'intent',
    row: ({ id }) => id === 'switch port p3',
    change: (row) => withColumn(row, 'addresses', { set: ['0a:00:0a:0a:02:99 10.10.2.2'] }),
  },
  {
    kind: 'bindings',
    name: 'a port claimed by two chassis',
    aspect: 'intent',
    change: (chassis) => ({
      ...chassis,
      bindings: chassis.bindings.map((binding) =>
        binding.logicalPort === 'p3' ? { ...binding, logicalPort: 'p1' } : binding,
      ),
    }),
    cause: /^logical port p1 is claimed by n1 and n2, /,
  },
  {
    kind: 'northbound',
    name: 'port security for another address than the pod has',
    aspect: 'intent',
    row: ({ id }) => id === 'switch port p1',
    change: (row) => withColumn(row, 'port_security', { set: ['0a:00:0a:0a:01:02 10.10.1.77'] }),
  },
];

/**
 * Behind Ethernet, IPv4, UDP and Geneve's header, and the first four bytes of its option: of the
 * logical ports that it has, the one that the packet is for comes last (ovn-architecture(7),
 * "Tunnel Encapsulations").
 */
const lastOptionByte = 14 + 20 + 8 + 8 + 4 + 3;

function withColumn(row: NorthboundRow, column: string, value: NorthboundValue): NorthboundRow {
  return { ...row, columns: { ...row.columns, [column]: value } };
}

function matches(flow: Flow, field: string, value: bigint): boolean {
  return flow.match.some((term) => term.field.matchName === field && term.value === value);
}

function writes(flow: Flow, field: string, value: bigint): boolean {
  return flow.actions.some(
    (action) => action.kind === 'set' && action.field.name === field && action.value === value,
  );
}

function withValue(flow: Flow, field: string, change: (value: bigint) => bigint): Flow {
  return {
    ...flow,
    actions: flow.actions.map(
      (action): Action =>
        action.kind === 'set' && action.field.name === field
          ? { ...action, value: change(action.value) }
          : action,
    ),
  };
}
