/** Packets a flow, from `bridge/dump-flows` (ovs-vswitchd(8)): every flow of a bridge in one answer. */
import { formatFlowId, type FlowCount, type FlowId } from '../../nouns/switching.js';
import { Unavailable } from '../../base/errors.js';
import { flowId, parseFlow } from '../../openflow/flow.js';
import { noNames, type Names } from '../../openflow/form.js';

/** OVS keeps flows of its own in this table; no controller sees or makes them. */
const internalTable = /^table_id=254,/;

/** A reader of the dumps of one bridge; it reads the text of a flow once and its counter each time. */
export function flowCounter(node: string, bridge: string, names: Names = noNames): (dump: string) => readonly FlowCount[] {
  const known = new Map<string, FlowId>();
  const identify = (text: string) => {
    const flow = known.get(text) ?? flowId(node, bridge, parseFlow(text, names));
    known.set(text, flow);
    return flow;
  };
  return (dump) => dump.split('\n').filter((line) => line.trim() !== '' && !internalTable.test(line)).map((line) => {
    const [, packets] = /n_packets=(\d+)/.exec(line) ?? [];
    return { flow: identify(line.replace(/duration=\S+ n_packets=\d+, n_bytes=\d+, /, '')), packets: Number(packets) };
  });
}

/** What one node counted since `baseline`. @throws Unavailable naming a flow that counts less: it was replaced meanwhile. */
export function countsSince(baseline: readonly FlowCount[], counts: readonly FlowCount[]): readonly FlowCount[] {
  // A reader tells the same flow by the same object.
  const before = new Map(baseline.map(({ flow, packets }) => [flow, packets]));
  return counts.map(({ flow, packets }) => {
    const since = packets - (before.get(flow) ?? 0);
    if (since < 0) throw new Unavailable(`the flow "${formatFlowId(flow)}" of ${flow.bridge} on node ${flow.node} was replaced after the last reset: its count is lost`);
    return { flow, packets: since };
  });
}

/** The baseline once flows have changed: those that began anew count from zero. Flows that went on count more than before. */
export function rebased(baseline: readonly FlowCount[], counts: readonly FlowCount[]): readonly FlowCount[] {
  const before = new Map(baseline.map(({ flow, packets }) => [flow, packets]));
  return counts.map(({ flow, packets }) => ({ flow, packets: Math.min(packets, before.get(flow) ?? 0) }));
}
