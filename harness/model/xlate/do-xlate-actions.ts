/** What a flow's actions do to a packet, one by one. */
import { Unsupported, assertNever } from '../../base/errors/errors.js';
import { printActions, type Action } from '../../openflow/actions/actions.js';
import { tcpFlagBits } from '../../openflow/match/fields.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { reduceTimeouts } from '../tables/flows/flow-record.js';
import { isBeforePayload } from '../fields/change-headers.js';
import { unwildcardAction } from '../megaflow/unwildcard-action.js';
import { clearActions, writeActions } from './action-set.js';
import { processIngress } from './process-ingress.js';
import { chooseMember, isUp } from './actions/choose-link.js';
import { xlateCtClear, xlateCt } from './actions/xlate-ct.js';
import { decTtl, xlateController } from './xlate-controller.js';
import { xlateHeaderAction, xlateFieldAction, writePart } from './field-actions.js';
import { xlateCheckPktLarger, xlateClone } from './clone.js';
import { needsUnrollXlate, freezeActions } from './freeze.js';
import { runGroup } from './actions/run-group.js';
import { xlateLearn } from './actions/xlate-learn.js';
import { xlateMeter } from './actions/xlate-meter.js';
import { resetMirrorCtx } from './actions/mirror-packet.js';
import { enqueue, output, outputByField, outputTruncated } from './output.js';
import { resubmit, resubmitCt } from './xlate-table.js';
import { flowActionList, type ActionList, type XlateContext } from './xlate-context.js';
import { avoidCaching } from './odp-actions.js';
import { traceDrop, traceWrite } from './trace-steps.js';
import { unwildcardWords } from '../megaflow/unwildcard.js';

/** One by one, until one ends them, breaks the translation off, or fails. */
export function doXlateActions(
  ctx: XlateContext,
  actions: readonly Action[],
  list: ActionList,
): void {
  const refused = processIngress(ctx);
  if (refused === 'reserved')
    return traceDrop(ctx, 'what comes in at the output of a mirror is dropped');
  if (refused === 'NO_RECV') return traceDrop(ctx, 'the port that it came in at has NO_RECV');
  if (actions.length === 0)
    traceDrop(ctx, list.kind === 'bucket' ? 'the bucket says drop' : 'the flow says drop');
  const originsFrom = (index: number) => (list.kind === 'frozen' ? list.origins.slice(index) : []);
  for (let index = 0; index < actions.length; index++) {
    const action = actions[index];
    if (ctx.error !== undefined || action === undefined) return;
    if (list.kind === 'frozen' && !ctx.exits) {
      const place = list.origins[index] ?? ctx.origin;
      ctx.origin = needsUnrollXlate(action)
        ? place
        : { ...ctx.origin, flow: place.flow, meters: place.meters };
    }
    if (!ctx.exits && ctx.packet.needsReparse && !isBeforePayload(action)) {
      ctx.exits = true;
      ctx.freezing = { kind: 'reread' };
    }
    if (ctx.exits) {
      if (ctx.freezing !== undefined) freezeActions(ctx, actions.slice(index), originsFrom(index));
      return;
    }
    ctx.frameRun.details?.push({ kind: 'action', after: ctx.frameRun.steps.length, action });
    const why = ctx.megaflow && unwildcardAction(ctx.megaflow, action);
    if (why !== undefined) avoidCaching(ctx, why);
    resetMirrorCtx(ctx, action);
    const { isLastAction } = ctx;
    ctx.isLastAction = isLastAction && index === actions.length - 1 && ctx.actionSet.length === 0;
    const ends = xlateAction(ctx, action, list, { actions, index }) === 'stop';
    ctx.isLastAction = isLastAction;
    if (ends) return;
    if (action.kind === 'resubmit' || action.kind === 'goto') continue;
    if (stopped(ctx) && ctx.frozenActions.length === 0) {
      const next = ctx.freezing?.kind === 'pause' ? index + 1 : index;
      freezeActions(ctx, actions.slice(next), originsFrom(next));
      return;
    }
  }
}

function stopped({ error, exits }: XlateContext): boolean {
  return error === undefined && exits;
}

/** `stop`: the actions behind are not executed; a flow that resubmitted to this one continues. */
function xlateAction(
  ctx: XlateContext,
  action: Action,
  list: ActionList,
  { actions, index }: { readonly actions: readonly Action[]; readonly index: number },
): 'stop' | undefined | void {
  switch (action.kind) {
    case 'output':
    case 'output-field':
    case 'output-truncated':
    case 'enqueue':
    case 'bundle':
    case 'controller':
    case 'group':
      return xlateOutputAction(ctx, action, list);
    case 'goto':
      return resubmit(ctx, action.table, ctx.packet.key[word.inPort] ?? 0);
    case 'resubmit':
      return (action.original ? resubmitCt : resubmit)(
        ctx,
        action.table ?? ctx.origin.table,
        action.port ?? ctx.packet.key[word.inPort] ?? 0,
      );
    case 'clone':
      return xlateClone(ctx, action.actions);
    case 'check_pkt_larger':
      xlateCheckPktLarger(ctx, action, actions.slice(index + 1), listBehind(list, index));
      return 'stop';
    case 'exit':
      ctx.exits = true;
      return undefined;
    case 'write_actions':
      return writeActions(ctx, action.actions);
    case 'clear_actions':
      return clearActions(ctx);
    case 'ct':
      return xlateCt(ctx, action);
    case 'ct_clear':
      return xlateCtClear(ctx);
    case 'dec_ttl':
      return decTtl(ctx, action.controllers ?? [0]);
    case 'push_vlan':
    case 'pop_vlan':
    case 'push_mpls':
    case 'pop_mpls':
    case 'dec_mpls_ttl':
      return xlateHeaderAction(ctx, action);
    case 'set':
    case 'set_vlan':
    case 'set_port':
    case 'move':
    case 'push':
    case 'pop':
    case 'delete_field':
    case 'write_metadata':
    case 'multipath':
      return xlateFieldAction(ctx, action);
    case 'conjunction':
    case 'note':
    case 'sample': // there is nobody who collects samples
      return undefined;
    case 'set_queue':
      return setQueue(ctx, action.queue);
    case 'pop_queue':
      return setQueue(ctx, ctx.initialQueue);
    case 'fin_timeout':
      return shortenTimeouts(ctx, action.idle, action.hard);
    case 'learn':
      return xlateLearn(ctx, action);
    case 'meter':
      return xlateMeter(ctx, action.meter);
    case 'nat':
      throw unsupportedAction(action);
    default:
      return assertNever(action);
  }
}

/** What the actions behind the one at `index` are. */
function listBehind(list: ActionList, index: number): ActionList {
  return list.kind === 'frozen'
    ? { kind: 'frozen', origins: list.origins.slice(index + 1) }
    : flowActionList;
}

type OutputAction = Extract<
  Action,
  {
    readonly kind:
      | 'output'
      | 'output-field'
      | 'output-truncated'
      | 'enqueue'
      | 'bundle'
      | 'controller'
      | 'group';
  }
>;

/** To a port, to a controller, or to a group's buckets. */
function xlateOutputAction(
  ctx: XlateContext,
  action: OutputAction,
  list: ActionList,
): 'stop' | undefined | void {
  switch (action.kind) {
    case 'output':
      return output(ctx, action.port, list);
    case 'output-field':
      return outputByField(ctx, action.source, list);
    case 'output-truncated':
      return outputTruncated(ctx, action.port, action.maxLength);
    case 'enqueue':
      return enqueue(ctx, action.port, action.queue);
    case 'bundle': {
      const { node } = ctx.frameRun;
      const port = chooseMember(ctx.packet.key, action, (member) => isUp(node, ctx.bridge, member));
      if (action.destination === undefined) return output(ctx, port, list);
      writePart(ctx, action.destination, BigInt(port));
      return traceWrite(ctx, action.destination.field.name);
    }
    case 'controller':
      if (!action.pause) return xlateController(ctx, action, list);
      ctx.exits = true;
      ctx.freezing = { kind: 'pause', action, origin: ctx.origin };
      return undefined;
    case 'group':
      return runGroup(ctx, action.group);
  }
}

/** Of the flow at hand, where the packet ends a connection. */
function shortenTimeouts(ctx: XlateContext, idle: number, hard: number): void {
  const {
    bridge,
    rule,
    packet: { key },
    frameRun,
  } = ctx;
  const ends =
    key[word.nwProto] === ipProtocols.tcp &&
    ((key[word.tcpFlags] ?? 0) & (tcpFlagBits.fin | tcpFlagBits.rst)) !== 0;
  if (rule === undefined || !ends) return;
  avoidCaching(ctx, 'fin_timeout');
  reduceTimeouts(bridge, rule, idle, hard);
  if (!frameRun.shortenedBridges.includes(bridge)) frameRun.shortenedBridges.push(bridge);
}

function unsupportedAction(action: Action): Unsupported {
  return new Unsupported(`the model does not execute ${printActions([action])}`);
}

/** Ports may mark what goes into a queue, and it is kept where the packet is frozen. */
function setQueue({ packet, megaflow }: XlateContext, queue: number): undefined {
  unwildcardWords(megaflow, word.skbPriority);
  packet.key[word.skbPriority] = queue;
  return undefined;
}
