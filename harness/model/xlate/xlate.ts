/**
 * One translation: the flows that a packet takes, what they do one by one, and what the datapath
 * then does with it.
 */
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { copyKey, word } from '../../packet/flow-key/flow-key.js';
import { findMegaflow, installMegaflow, type MegaflowTable } from '../megaflow/megaflow.js';
import { draftMegaflow, type MegaflowDraft } from '../megaflow/unwildcard.js';
import { unshareKey } from '../packet/packet.js';
import { xlateActionSet } from './action-set.js';
import { processIngress } from './process-ingress.js';
import { refuseUncopied } from './actions/mirror-packet.js';
import { finishFreezing } from './freeze.js';
import { doXlateActions } from './do-xlate-actions.js';
import { executeMegaflow } from './datapath/execute-megaflow.js';
import { isDroppedForCongestion, xlateTable } from './xlate-table.js';
import { newXlateContext, type XlateContext } from './xlate-context.js';
import { executeActions, type DatapathExecution } from './datapath/datapath-execution.js';
import { refusalOf } from './datapath/kernel-actions.js';
import type { FrameRun } from './frame-run.js';
import type { Frozen } from './frozen.js';

/** What a packet is translated with: who it belongs to, and who thaws it. */
export type XlateIn = Omit<DatapathExecution, 'packetState'>;

/** From where `frozen` says; what was kept of a packet that goes the same way is done again. */
export function xlate(xin: XlateIn, frozen: Frozen): void {
  const { node, steps } = xin.frameRun;
  node.work.lookups++;
  const { megaflows, generations } = node;
  const start = megaflowTableOf(xin.frameRun, frozen);
  if (megaflows === undefined || start === undefined)
    return executeOdpActions(runXlate(xin, frozen));
  const known = findMegaflow(megaflows, node, start, frozen.packet.key);
  if (known !== undefined) {
    megaflows.stats.hit++;
    return executeMegaflow(xin, known, frozen.packet);
  }
  megaflows.stats.missed++;
  const from = steps.length;
  const ctx = runXlate(xin, frozen, draftMegaflow(frozen.packet.key, generations.learned));
  const { megaflow } = ctx;
  // What was learned meanwhile may have come after what it went by.
  const holds =
    megaflow?.dependsOn === 'on flows' || megaflow?.learnedGeneration === generations.learned;
  if (megaflow !== undefined && holds && ctx.error === undefined)
    installMegaflow(megaflows, node, start, megaflow, steps.slice(from));
  executeOdpActions(ctx);
}

/** The translation, to its end; what is left to the datapath is not yet done. */
function runXlate(xin: XlateIn, frozen: Frozen, megaflow?: MegaflowDraft): XlateContext {
  const ctx = thaw(xin, frozen);
  ctx.megaflow = megaflow;
  xlateFrozen(ctx, frozen);
  finishXlate(ctx);
  return ctx;
}

function executeOdpActions(ctx: XlateContext): void {
  if (ctx.error !== undefined) return;
  const refusal = refusalOf(ctx.kernelActions);
  if (refusal === undefined) executeActions(ctx.odpActions);
  else ctx.frameRun.steps.push({ kind: 'drop', why: refusal });
}

/**
 * Undefined where nothing is kept: where details are asked for, flows have changed under way, or a
 * packet is no whole one that comes to a table.
 */
function megaflowTableOf(
  { details, edits }: FrameRun,
  { bridge, table, packet, actions, stack, mirrored }: Frozen,
): MegaflowTable | undefined {
  if (
    details !== undefined ||
    edits.length > 0 ||
    bridge.mirrors.length > 0 ||
    actions.length > 0 ||
    stack.length > 0 ||
    mirrored !== 0
  )
    return undefined;
  if (packet.key[word.nwFrag] !== 0 || packet.needsReparse || packet.isEncapsulated)
    return undefined;
  return { bridge, table: packet.tunnelDst === undefined ? table : `${table} ${packet.tunnelDst}` };
}

function thaw(
  { frameRun, recirculate, reassemblyKey }: XlateIn,
  { bridge, packet, stack, mirrored }: Frozen,
): XlateContext {
  unshareKey(packet);
  const ctx = newXlateContext(
    {
      frameRun,
      doXlateActions,
      recirculate,
      ...(reassemblyKey === undefined ? {} : { reassemblyKey }),
    },
    bridge,
    packet,
  );
  ctx.stack = [...stack];
  ctx.mirrored = mirrored;
  ctx.isIngress = true;
  packet.key[word.actsetOutput] = reservedPorts.UNSET;
  frameRun.details?.push({
    kind: 'begin',
    after: frameRun.steps.length,
    bridge: bridge.plan.name,
    key: copyKey(packet.key),
  });
  return ctx;
}

/** Where no flow is known (ofproto-dpif-xlate.c, xlate_actions). */
const unknownCookie = 0xffffffffffffffffn;

function xlateFrozen(ctx: XlateContext, { table, actions, cookie = unknownCookie }: Frozen): void {
  if (actions.length === 0) return xlateTable(ctx, table, ctx.packet.key[word.inPort] ?? 0);
  if (isDroppedForCongestion(ctx)) return;
  ctx.origin = { table: 0, cookie, flow: actions[0]?.origin.flow, meters: 'looked up' };
  doXlateActions(
    ctx,
    actions.map(({ action }) => action),
    { kind: 'frozen', origins: actions.map(({ origin }) => origin) },
  );
}

/**
 * As in Open vSwitch, addresses are learned while tables are looked up; a packet that continues
 * from the tracker finds them all.
 */
function finishXlate(ctx: XlateContext): void {
  processIngress(ctx);
  if (ctx.error === undefined && ctx.freezing === undefined) xlateActionSet(ctx);
  refuseUncopied(ctx);
  ctx.frameRun.details?.push({
    kind: 'finish',
    after: ctx.frameRun.steps.length,
    key: copyKey(ctx.packet.key),
  });
  if (ctx.error === undefined && ctx.freezing !== undefined) finishFreezing(ctx);
}
