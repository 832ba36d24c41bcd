/**
 * What flows count, from `bridge/dump-flows` (ovs-vswitchd(8)): every flow of a bridge in one
 * answer.
 */
import type { FlowCount, FlowId } from '../../../domain/switching.js';
import { flowId, parseDumpedFlow, type Flow } from '../../../openflow/flows/flow.js';
import { noNames, type Names } from '../../../openflow/syntax/form.js';
import { printTlvMap } from '../../../openflow/syntax/tlv-map.js';

/** OVS keeps flows of its own in this table; no controller sees or makes them. */
const internalTable = /^table_id=254,/;

/**
 * A reader of the dumps of one bridge; it reads the text of a flow once and its counter each time.
 */
export function flowCounter(
  node: string,
  bridge: string,
  names: Names = noNames,
): (dump: string) => readonly FlowCount[] {
  const known = identitiesOf(node, bridge, names);
  const identify = (text: string) => {
    const flow = known.get(text) ?? flowId(node, bridge, readKey(text, names));
    known.set(text, flow);
    return flow;
  };
  return (dump) =>
    dump
      .split('\n')
      .filter((line) => line.trim() !== '' && !internalTable.test(line))
      .map((line) => {
        const [counters = '', packets, bytes] =
          /duration=\S+ n_packets=(\d+), n_bytes=(\d+), /.exec(line) ?? [];
        return {
          flow: identify(line.replace(counters, '')),
          packets: Number(packets),
          bytes: Number(bytes),
        };
      });
}

/** More would cost more memory than they save time. */
const mostIdentities = 100_000;

/** By bridge, and by text: a bridge that is programmed again has most flows that it had. */
const identities = new Map<string, Map<string, FlowId>>();

function identitiesOf(node: string, bridge: string, { tunnelOptions }: Names): Map<string, FlowId> {
  const held = [...identities.values()].reduce((sum, { size }) => sum + size, 0);
  if (held > mostIdentities) identities.clear();
  const key = `${node} ${bridge} ${printTlvMap(tunnelOptions)}`;
  const known = identities.get(key) ?? new Map<string, FlowId>();
  identities.set(key, known);
  return known;
}

/** A flow without its actions, which do not say which one it is. */
function readKey(text: string, names: Names): Flow {
  return parseDumpedFlow(text, names, undefined, () => []).flow;
}

/** What one node counted since `baseline`; a flow that was replaced meanwhile may count less. */
export function countsSince(
  baseline: readonly FlowCount[],
  counts: readonly FlowCount[],
): readonly FlowCount[] {
  // A reader returns the same object for the same flow.
  const before = new Map(baseline.map((count) => [count.flow, count]));
  return counts.map(({ flow, packets, bytes }) => {
    const since = before.get(flow);
    return { flow, packets: packets - (since?.packets ?? 0), bytes: bytes - (since?.bytes ?? 0) };
  });
}

/**
 * The baseline once flows have changed: those that restarted count from zero. Flows that stayed
 * count more than before.
 */
export function rebased(
  baseline: readonly FlowCount[],
  counts: readonly FlowCount[],
): readonly FlowCount[] {
  const before = new Map(baseline.map((count) => [count.flow, count]));
  return counts.map(({ flow, packets, bytes }) => {
    const known = before.get(flow);
    return {
      flow,
      packets: Math.min(packets, known?.packets ?? 0),
      bytes: Math.min(bytes, known?.bytes ?? 0),
    };
  });
}
