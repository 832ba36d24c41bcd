/** Table lookups of a translation: which flow a packet takes, and on to other tables. */
import type { Action } from '../../openflow/actions/actions.js';
import { printFlow } from '../../openflow/flows/flow.js';
import { clearWords, copyKey, isIp, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { insert, lookup, remove, type LookupResult, type Rule } from '../tables/flow-tables.js';
import { recordOf } from '../tables/flows/flow-record.js';
import { idOf } from '../model-node.js';
import type { Packet } from '../packet/packet.js';
import { unwildcardWords } from '../megaflow/unwildcard.js';
import { decapEcn } from '../tunnels/decap-ecn.js';
import { flowActionList, type XlateContext } from './xlate-context.js';
import { avoidCaching } from './odp-actions.js';
import { nearestFlows } from './nearest-flows.js';
import { remark, traceDrop, originOf } from './trace-steps.js';
import { checkResubmitResources } from './resubmit-resources.js';
import { resolveTie } from './resolve-tie.js';
import type { ModelBridge } from '../model-bridge.js';

/** Which fields a packet is looked up by. */
type LookupKeyKind = 'by its fields' | 'by the first packet';

/**
 * Looks `table` up with `inPort` as the packet's port, and executes the flow that is found: it is
 * the current flow from then on.
 */
export function xlateTable(
  ctx: XlateContext,
  table: number,
  inPort: number,
  lookupBy: LookupKeyKind = 'by its fields',
  execute = xlateFlowActions,
): void {
  const { frameRun, bridge, packet } = ctx;
  const { node, steps } = frameRun;
  const realPort = packet.key[word.inPort] ?? 0;
  packet.key[word.inPort] = inPort;
  if (lookupBy === 'by the first packet') swapCtTuple(packet.key);
  if (bridge.plan.fragments === 'drop' && packet.key[word.nwFrag] !== 0) {
    packet.key[word.inPort] = realPort;
    if (lookupBy === 'by the first packet') swapCtTuple(packet.key);
    steps.push(
      { kind: 'lookup', bridge: bridge.plan.name, table, depth: ctx.depth },
      { kind: 'drop', why: `${bridge.plan.name} drops fragments (frags=drop)` },
    );
    return;
  }
  const key = lookupKey(packet, bridge);
  frameRun.details?.push({ kind: 'look', after: steps.length, key: copyKey(key) });
  const found = lookUp(ctx, table, key);
  if (lookupBy === 'by the first packet') swapCtTuple(packet.key);
  packet.key[word.inPort] = realPort;
  if (found.ties.length > 0) avoidCaching(ctx, 'flows of equal priority');
  const rule = found.ties.length === 0 ? found.rule : resolveTie(node, bridge, found);
  if (rule === undefined) {
    const nearest = nearestFlows(node, bridge, table, key);
    steps.push(
      { kind: 'lookup', bridge: bridge.plan.name, table, depth: ctx.depth, nearest },
      { kind: 'drop', why: `no flow of table ${table} matches` },
    );
    return;
  }
  frameRun.details?.push({ kind: 'found', after: steps.length, actions: rule.flow.actions });
  creditStats(ctx, rule);
  ctx.rule = rule;
  ctx.origin = originOf(ctx, rule);
  steps.push({
    kind: 'lookup',
    bridge: bridge.plan.name,
    table,
    depth: ctx.depth,
    flow: idOf(node, bridge, rule),
  });
  const source = bridge.plan.sources?.[`0x${rule.flow.cookie.toString(16)}`];
  if (source !== undefined) remark(frameRun, `OVN compiled it from: ${source}`);
  if (found.ties.length > 1)
    remark(
      frameRun,
      `flows of equal priority match, and do the same: ${found.ties
        .slice(0, 2)
        .map(({ flow }) => printFlow(flow))
        .join(' and ')}; which of them counts the packet is open`,
    );
  if (!isDroppedForCongestion(ctx)) execute(ctx, rule.actions);
  frameRun.details?.push({ kind: 'leave', after: steps.length });
}

function xlateFlowActions(ctx: XlateContext, actions: readonly Action[]): void {
  ctx.doXlateActions(ctx, actions, flowActionList);
}

/**
 * Whether the translation ends because of the tunnel that the packet came through; its first flow
 * counts all the same, and did not see the congestion bits.
 */
export function isDroppedForCongestion(ctx: XlateContext): boolean {
  if (ctx.congestion === 'reported') return false;
  ctx.congestion = 'reported';
  if (ctx.packet.key[word.tunTos] !== 0) {
    unwildcardWords(ctx.megaflow, word.nwTos);
    unwildcardWords(ctx.megaflow, word.tunSrc, word.tunTos - word.tunSrc);
  }
  if (decapEcn(ctx.packet.key) === 'taken over') return false;
  ctx.isIngress = false;
  ctx.frameRun.steps.push({
    kind: 'drop',
    why: 'congestion was met in the tunnel, and the packet is not ECN capable',
  });
  return true;
}

/**
 * In the table as it was when the translation began: what packets have learned since is put aside
 * meanwhile.
 */
function lookUp(
  { frameRun: { edits }, tablesVersion, bridge, megaflow }: XlateContext,
  table: number,
  key: FlowKey,
): LookupResult {
  if (edits.length === tablesVersion) return lookup(bridge.tables, table, key, megaflow?.wildcards);
  const later = edits
    .slice(tablesVersion)
    .filter(
      (edit) => edit.bridge === bridge && (edit.added ?? edit.removed?.rule)?.flow.table === table,
    );
  for (const { added, removed } of later.toReversed()) {
    if (added !== undefined) remove(bridge.tables, added);
    if (removed !== undefined) insert(bridge.tables, removed.rule);
  }
  try {
    return lookup(bridge.tables, table, key, megaflow?.wildcards);
  } finally {
    for (const { added, removed } of later) {
      if (removed !== undefined) remove(bridge.tables, removed.rule);
      if (added !== undefined) insert(bridge.tables, added);
    }
  }
}

/**
 * A flow that a packet matches counts at once, whatever the packet's outcome; for a flow that was
 * replaced meanwhile, the one in its place.
 */
function creditStats(
  { bridge, bytes, outerBytes, ingressPacket, frameRun: { node, edits }, megaflow }: XlateContext,
  rule: Rule,
): void {
  const record = recordOf(
    bridge,
    edits.length === 0
      ? rule
      : (edits.find(({ removed }) => removed?.rule === rule)?.added ?? rule),
  );
  record.packets++;
  record.bytes += bytes;
  record.outerBytes += outerBytes;
  record.usedMs = node.nowMs;
  megaflow?.credited.push({ record, extraBytes: bytes - ingressPacket.frame.length, outerBytes });
}

/** Fragments have no ports to match, not even the first (ovs-ofctl(8), "set-frags": `normal`). */
function lookupKey({ key }: Packet, { plan }: ModelBridge): FlowKey {
  if (key[word.nwFrag] === 0 || plan.fragments === 'nx-match') return key;
  const seen = copyKey(key);
  clearWords(seen, word.tpSrc, word.tpDst + 1);
  return seen;
}

/**
 * On to another table. Only going back, or staying, makes it deeper; every lookup counts, also one
 * that finds nothing.
 */
export function resubmit(
  ctx: XlateContext,
  table: number,
  inPort: number,
  lookupBy: LookupKeyKind = 'by its fields',
  execute = xlateFlowActions,
): void {
  const { packet, origin, rule } = ctx;
  if (packet.needsReparse) {
    ctx.exits = true;
    ctx.freezing = { kind: 'reread' };
    return;
  }
  if (!checkResubmitResources(ctx)) return;
  const deepens = table <= origin.table ? 1 : 0;
  ctx.lookups++;
  ctx.depth += deepens;
  xlateTable(ctx, table, inPort, lookupBy, execute);
  ctx.depth -= deepens;
  ctx.origin = origin;
  ctx.rule = rule;
}

/**
 * The same, but looked up by what the connection's first packet had for addresses, protocol and
 * ports (ovs-actions(7), "resubmit").
 */
export function resubmitCt(ctx: XlateContext, table: number, inPort: number): void {
  const { key, needsReparse } = ctx.packet;
  if (needsReparse) return resubmit(ctx, table, inPort);
  if (!isIp(key[word.ethType] ?? 0) || key[word.ctNwProto] === 0)
    return void (
      checkResubmitResources(ctx) && traceDrop(ctx, 'resubmit(ct) of a packet that was not tracked')
    );
  resubmit(ctx, table, inPort, 'by the first packet');
}

const ctTupleWords: readonly (readonly [own: number, first: number])[] = [
  [word.nwSrc, word.ctNwSrc],
  [word.nwDst, word.ctNwDst],
  [word.nwProto, word.ctNwProto],
  [word.tpSrc, word.ctTpSrc],
  [word.tpDst, word.ctTpDst],
  ...[0, 1, 2, 3].flatMap(
    (index) =>
      [
        [word.ipv6Src + index, word.ctIpv6Src + index],
        [word.ipv6Dst + index, word.ctIpv6Dst + index],
      ] as const,
  ),
];

function swapCtTuple(key: FlowKey): void {
  for (const [own, first] of ctTupleWords)
    [key[own], key[first]] = [key[first] ?? 0, key[own] ?? 0];
}
