/**
 * What a flow has counted, and since when it is there: beside the flow itself, which stays as it
 * was programmed.
 */
import type { Rule } from '../flow-tables.js';
import type { FlowCount, PacketCounts } from '../../../domain/switching.js';

export interface FlowRecord {
  packets: number;
  bytes: number;
  /** As `FlowCount` has them. */
  outerBytes: number;
  /**
   * Virtual times in ms: when it came, when it was last changed or learned again, when a packet
   * last matched it.
   */
  createdMs: number;
  modifiedMs: number;
  usedMs: number;
  /** Seconds, 0 for never, as fin_timeout left them. */
  idleTimeout: number;
  hardTimeout: number;
}

/** Those of one bridge. */
export interface FlowRecords {
  /** Of the flows that counted or changed. */
  readonly records: Map<Rule, FlowRecord>;
  /** The flows that have timeouts. */
  readonly expiring: Set<Rule>;
  /** Virtual time in ms at which the flows of the plan came. */
  sinceMs: number;
}

/** Of a flow that comes now. */
export function newRecord({ flow }: Rule, nowMs: number): FlowRecord {
  return {
    packets: 0,
    bytes: 0,
    outerBytes: 0,
    createdMs: nowMs,
    modifiedMs: nowMs,
    usedMs: nowMs,
    idleTimeout: flow.idleTimeout,
    hardTimeout: flow.hardTimeout,
  };
}

/** As if the flow came now: what counts for it meanwhile is the same object. */
export function renew(record: FlowRecord, { flow }: Rule, nowMs: number): void {
  record.packets = record.bytes = record.outerBytes = 0;
  record.createdMs = record.modifiedMs = record.usedMs = nowMs;
  record.idleTimeout = flow.idleTimeout;
  record.hardTimeout = flow.hardTimeout;
}

/** Flows that have none yet are as they were when the bridge was made, or last reset. */
export function recordOf({ records, sinceMs }: FlowRecords, rule: Rule): FlowRecord {
  const known = records.get(rule);
  if (known !== undefined) return known;
  const record = newRecord(rule, sinceMs);
  records.set(rule, record);
  return record;
}

/** What it counted since the last reset. */
export function countedBy(
  { records }: FlowRecords,
  rule: Rule,
): PacketCounts & Pick<FlowCount, 'outerBytes'> {
  const { packets, bytes, outerBytes } = records.get(rule) ?? nothingCounted;
  return { packets, bytes, ...(outerBytes === 0 ? {} : { outerBytes }) };
}

const nothingCounted = { packets: 0, bytes: 0, outerBytes: 0 };

export function hasTimeout({
  idleTimeout,
  hardTimeout,
}: Pick<FlowRecord, 'idleTimeout' | 'hardTimeout'>): boolean {
  return idleTimeout > 0 || hardTimeout > 0;
}

/**
 * A second counts from the change or the packet, and its last millisecond belongs to the flow
 * (ofproto/ofproto-dpif.c, rule_expire).
 */
export function isExpired(
  { idleTimeout, hardTimeout, modifiedMs, usedMs }: FlowRecord,
  nowMs: number,
): boolean {
  return (
    (hardTimeout > 0 && nowMs > modifiedMs + hardTimeout * 1000) ||
    (idleTimeout > 0 && nowMs > usedMs + idleTimeout * 1000)
  );
}

/**
 * Timeouts that are longer, or none, become these; 0 changes nothing (ofproto/ofproto.c,
 * ofproto_rule_reduce_timeouts).
 */
export function reduceTimeouts(bridge: FlowRecords, rule: Rule, idle: number, hard: number): void {
  if (idle === 0 && hard === 0) return;
  const record = recordOf(bridge, rule);
  record.idleTimeout = reduced(record.idleTimeout, idle);
  record.hardTimeout = reduced(record.hardTimeout, hard);
  bridge.expiring.add(rule);
}

function reduced(timeout: number, most: number): number {
  return most > 0 && (timeout === 0 || timeout > most) ? most : timeout;
}
