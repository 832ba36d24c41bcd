/** Ways out of a bridge (ovs-actions(7), "Output Actions"). */
import { Unpredictable } from '../../base/errors/errors.js';
import type { Subfield } from '../../openflow/actions/actions.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { countTags, word } from '../../packet/flow-key/flow-key.js';
import { readSubfield } from '../fields/field-values.js';
import { checkRead } from '../fields/supported-fields.js';
import { unwildcardInPort, unwildcardWords, excludeInPort } from '../megaflow/unwildcard.js';
import { portName } from '../model-bridge.js';
import { isFlooded, xlateNormal, portsOf } from '../l2/xlate-normal.js';
import { tagsOf, type TaggedOutput } from '../l2/vlans.js';
import { refuseUnorderedCopies } from './actions/mirror-packet.js';
import { xlateController } from './xlate-controller.js';
import { resubmit } from './xlate-table.js';
import type { ActionList, XlateContext } from './xlate-context.js';
import { avoidCaching } from './odp-actions.js';
import { remark, traceDrop } from './trace-steps.js';
import { noOrder, sendInAnyOrder } from './send-in-any-order.js';
import { sendTagged, send } from './send.js';

/** A number that no port can have sends nothing. */
export function outputByField(ctx: XlateContext, source: Subfield, list: ActionList): void {
  checkRead(source.field);
  const port = readSubfield(ctx.packet.key, source);
  if (port <= 0xffffn && Number(port) !== reservedPorts.ANY)
    return output(ctx, Number(port), list, source.field.name);
  traceDrop(ctx, `${source.field.name} holds ${port}, which is no port`);
}

/** @param by the field that the number came from, if any. */
export function output(ctx: XlateContext, port: number, list: ActionList, by?: string): void {
  const inPort = ctx.packet.key[word.inPort] ?? 0;
  switch (port) {
    case reservedPorts.NORMAL:
      return xlateNormalOutput(ctx);
    case reservedPorts.FLOOD:
    case reservedPorts.ALL:
      return flood(ctx, port === reservedPorts.FLOOD ? 'FLOOD' : 'ALL');
    case reservedPorts.IN_PORT:
      unwildcardInPort(ctx.megaflow);
      return send(ctx, inPort, by);
    case reservedPorts.TABLE:
      return resubmit(ctx, 0, inPort);
    case reservedPorts.CONTROLLER:
      return xlateController(
        ctx,
        {
          kind: 'controller',
          id: 0,
          maxLength: 0xffff,
          reason: 'action',
          userdata: [],
          pause: false,
        },
        list,
      );
    case reservedPorts.ANY:
      return traceDrop(ctx, 'output to no port');
    default:
      excludeInPort(ctx.megaflow, port, inPort);
      if (port === inPort)
        return traceDrop(ctx, `output to the port it came from, ${portName(ctx.bridge, port)}`);
      return send(ctx, port, by);
  }
}

function xlateNormalOutput(ctx: XlateContext): void {
  ctx.readsDestination = true;
  const explain = (why: string) => {
    remark(ctx.frameRun, `NORMAL: ${why}`);
  };
  const exits = xlateNormal(
    ctx.frameRun.node,
    ctx.bridge,
    ctx.packet.key,
    ctx.ingressPacket,
    explain,
  );
  unwildcardNormal(ctx, exits);
  if (exits.length === 0) traceDrop(ctx, 'NORMAL keeps it');
  sendTagged(ctx, exits, 'NORMAL');
}

/** What NORMAL decides by, where it does no more than look a MAC up. */
function unwildcardNormal(ctx: XlateContext, exits: readonly TaggedOutput[]): void {
  const {
    megaflow,
    bridge,
    packet: { key },
  } = ctx;
  if (megaflow === undefined) return;
  if (bridge.snooping !== undefined) return avoidCaching(ctx, 'NORMAL that snoops');
  if (countTags(key) > 0 || exits.some(({ tags }) => tags.length > 0))
    return avoidCaching(ctx, 'NORMAL with tags');
  if (key[word.ethType] === etherTypes.arp) return avoidCaching(ctx, 'NORMAL of ARP');
  megaflow.dependsOn = 'on what was learned';
  unwildcardInPort(megaflow);
  unwildcardWords(megaflow, word.ethSrc, 4);
}

/**
 * To all ports but the one it came from, and those that FLOOD is kept from. In which order is the
 * switch's own business: each gets one copy.
 */
function flood(ctx: XlateContext, by: 'FLOOD' | 'ALL'): void {
  const inPort = ctx.packet.key[word.inPort] ?? 0;
  unwildcardInPort(ctx.megaflow);
  const ports = portsOf(ctx.bridge).filter(
    (port) => port !== inPort && (by === 'ALL' || isFlooded(ctx.bridge, port)),
  );
  if (ctx.bridge.mirrors.length > 0)
    refuseUnorderedCopies(
      ctx,
      ports.map((port) => ({ port, tags: tagsOf(ctx.packet.key) })),
    );
  sendInAnyOrder(
    ctx,
    ports.map((port) => ({ port })),
    ({ port }) => {
      send(ctx, port, by);
    },
  );
}

/** A copy of its first bytes: to a port that is there, and no other than a port's own number. */
export function outputTruncated(ctx: XlateContext, port: number, maxLength: number): void {
  const isPort = port === reservedPorts.LOCAL || ctx.bridge.ports.has(port);
  if (!isPort || ctx.bridge.ports.get(port)?.kind === 'patch')
    return traceDrop(ctx, `output(max_len) does not know port ${port}`);
  if (port === ctx.packet.key[word.inPort])
    return traceDrop(ctx, `output to the port it came from, ${portName(ctx.bridge, port)}`);
  if (ctx.isLengthAmbiguous)
    throw new Unpredictable(
      `${noOrder}, and what a bridge behind a patch port leaves in a packet that it had last ` +
        'is cut off with it',
    );
  ctx.isIrreversible = true;
  ctx.isTruncated = true;
  send(ctx, port, undefined, maxLength);
}

/** Into a queue of a port, for this once. */
export function enqueue(ctx: XlateContext, port: number, queue: number): void {
  const { key } = ctx.packet;
  const inPort = key[word.inPort] ?? 0;
  unwildcardInPort(ctx.megaflow);
  if (port === inPort)
    return traceDrop(ctx, `output to the port it came from, ${portName(ctx.bridge, port)}`);
  unwildcardWords(ctx.megaflow, word.skbPriority);
  const before = key[word.skbPriority] ?? 0;
  key[word.skbPriority] = queue;
  send(ctx, port === reservedPorts.IN_PORT ? inPort : port);
  ctx.packet.key[word.skbPriority] = before;
}
