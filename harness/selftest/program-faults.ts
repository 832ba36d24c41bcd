/**
 * Faults in what a running switch holds and counts, for antrea/encap and for the groups of
 * antrea/services-antrea-proxy: no packet has to meet what differs for a run to see it.
 */
import { assert } from '../base/errors/errors.js';
import { printFlow, printFlowKey, type Flow } from '../openflow/flows/flow.js';
import type { Fault } from './fault.js';

/** Packets that the connection tracker calls invalid are dropped there: no vector has any. */
const isNeverMatched = ({ table, actions }: Flow): boolean => table === 31 && actions.length === 0;
const neverMatchedText = 'table=31, priority=200,ct_state=\\+inv\\+trk,ip';

/** The flow comes once more, in the place of itself, and otherwise. */
function changedFlowFault(name: string, part: string, change: (flow: Flow) => Flow): Fault {
  return {
    kind: 'held',
    name,
    aspect: 'program',
    when: 'programmed',
    summary: new RegExp(`^at the end: br-int on n1: ${neverMatchedText}, in its ${part}$`),
    commands: ({ flows }) => [['add-flow', printFlow(change(pick(flows, isNeverMatched)))]],
  };
}

/** The vector at which it shows reports it, and the whole program at the end. */
const extraFlowSummary =
  /^(at the end: br-int on n1|br-int on n1 holds a flow that it should not): table=99, priority=7,ip$/;
const missingFlowSummary = new RegExp(
  '^(at the end: br-int on n1|br-int on n1 does not hold a flow that it should): ' +
    `${neverMatchedText}$`,
);

const extra = 'table=99,priority=7,ip actions=drop';

export const programFaults: readonly Fault[] = [
  {
    kind: 'held',
    name: 'a flow too many, which no packet meets',
    aspect: 'program',
    when: 'programmed',
    summary: extraFlowSummary,
    commands: () => [['add-flow', extra]],
  },
  {
    kind: 'held',
    name: 'a flow too many that comes under way',
    aspect: 'program',
    when: 'under way',
    summary: extraFlowSummary,
    commands: () => [['add-flow', extra]],
  },
  {
    kind: 'held',
    name: 'a flow too few, which no packet would meet',
    aspect: 'program',
    when: 'programmed',
    summary: missingFlowSummary,
    commands: ({ flows }) => [['del-flows', '--strict', printFlowKey(pick(flows, isNeverMatched))]],
  },
  {
    kind: 'held',
    name: 'a flow too few that goes under way',
    aspect: 'program',
    when: 'under way',
    summary: missingFlowSummary,
    commands: ({ flows }) => [['del-flows', '--strict', printFlowKey(pick(flows, isNeverMatched))]],
  },
  changedFlowFault('another cookie', 'cookie', (flow) => ({ ...flow, cookie: 0x77n })),
  changedFlowFault('an idle timeout', 'idle_timeout', (flow) => ({ ...flow, idleTimeout: 3600 })),
  changedFlowFault('a hard timeout', 'hard_timeout', (flow) => ({ ...flow, hardTimeout: 3600 })),
  changedFlowFault('another importance', 'importance', (flow) => ({ ...flow, importance: 9 })),
  ...(['send_flow_rem', 'reset_counts', 'no_packet_counts', 'no_byte_counts'] as const).map(
    (flag) => changedFlowFault(`the flag ${flag}`, 'flags', (flow) => ({ ...flow, flags: [flag] })),
  ),
  changedFlowFault('other actions of a flow that no packet meets', 'actions', (flow) => ({
    ...flow,
    actions: [{ kind: 'output', port: 3 }],
  })),
  {
    kind: 'held',
    name: 'a group too many',
    aspect: 'program',
    when: 'programmed',
    summary: /^at the end: br-int on n1: group_id=77$/,
    commands: () => [['add-group', 'group_id=77,type=all,bucket=actions=drop']],
  },
  {
    kind: 'held',
    name: 'a meter too many',
    aspect: 'program',
    when: 'programmed',
    summary: /^at the end: br-int on n1: meter=7$/,
    commands: () => [['add-meter', 'meter=7,kbps,bands=type=drop,rate=1000']],
  },
  {
    kind: 'held',
    name: 'a flow that goes and comes back: its counters restart',
    aspect: 'counters',
    when: 'under way',
    summary:
      /^n_packets differs on n1 br-int, table=0, priority=190,in_port=3: expected \d+, got -?\d+$/,
    commands: ({ flows }) => {
      const flow = pick(flows, (one) => printFlowKey(one) === 'table=0, priority=190,in_port=3');
      // One bundle: between two commands a revalidator may find the flow gone, and drop frames.
      return [
        ['bundle', `flow delete_strict ${printFlowKey(flow)}`, `flow add ${printFlow(flow)}`],
      ];
    },
  },
  {
    kind: 'wire in',
    name: 'a frame that grows on its way into a switch that drops it',
    aspect: 'counters',
    summary:
      /^n_bytes differs on n1 br-int, table=0, priority=190,in_port=3: expected \d+, got \d+$/,
    wire: (frame) => (isSpoofed(frame) ? Uint8Array.of(...frame, 0, 0, 0, 0) : frame),
  },
];

/** For antrea/services-antrea-proxy, where no vector asks for the group's Service. */
export const groupFaults: readonly Fault[] = [
  {
    kind: 'held',
    name: 'another weight of a bucket',
    aspect: 'program',
    when: 'programmed',
    summary: /^at the end: br-int on n1: group_id=1$/,
    commands: ({ groups: [group = ''] }) => {
      assert(group.includes('weight:'), 'the first group has weights');
      return [['mod-group', group.replace(/weight:\d+/, 'weight:7')]];
    },
  },
  {
    kind: 'held',
    name: 'a group too few, and with it the flows that lead to it',
    aspect: 'program',
    when: 'programmed',
    summary:
      /^at the end: br-int on n1: (group_id=1|table=\d+, .*)$|^br-int on n1 does not hold a flow/,
    commands: () => [['del-groups', 'group_id=1']],
  },
];

/** IPv4 from 10.10.1.254, which is nobody's. */
function isSpoofed(frame: Uint8Array): boolean {
  return Buffer.from(frame.subarray(26, 30)).toString('hex') === '0a0a01fe';
}

function pick(flows: readonly Flow[], wanted: (flow: Flow) => boolean): Flow {
  const flow = flows.find(wanted);
  assert(flow !== undefined, 'there is a flow to plant the fault in');
  return flow;
}
