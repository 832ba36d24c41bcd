/** The flows of a bridge as a dump prints them: with their counters and ages. */
import type { DumpedFlow, Flow } from '../../../openflow/flows/flow.js';
import { rulesOf, type Rule } from '../flow-tables.js';
import type { ModelBridge } from '../../model-bridge.js';
import { newRecord } from './flow-record.js';

/** As the switch has it by now: fin_timeout may have shortened its timeouts. */
export function currentFlow({ records }: ModelBridge, rule: Rule): Flow {
  const { idleTimeout, hardTimeout } = records.get(rule) ?? rule.flow;
  return { ...rule.flow, idleTimeout, hardTimeout };
}

/**
 * All flows, in no particular order. The age of a change is printed where it differs from the
 * flow's own (lib/ofp-flow.c, ofputil_flow_stats_format).
 */
export function dumpFlows(bridge: ModelBridge, nowMs: number): readonly DumpedFlow[] {
  return rulesOf(bridge.tables).map((rule) => {
    const { packets, bytes, createdMs, modifiedMs, usedMs } =
      bridge.records.get(rule) ?? newRecord(rule, bridge.sinceMs);
    const seconds = (sinceMs: number) => Math.floor((nowMs - sinceMs) / 1000);
    const statistics = {
      durationNs: BigInt(nowMs - createdMs) * 1_000_000n,
      packets: BigInt(packets),
      bytes: BigInt(bytes),
      idleAge: seconds(usedMs),
    };
    return {
      flow: currentFlow(bridge, rule),
      statistics:
        seconds(modifiedMs) === seconds(createdMs)
          ? statistics
          : { ...statistics, hardAge: seconds(modifiedMs) },
    };
  });
}
