/**
 * A packet leaves through one port: to the wire, into a tunnel, up a tunnel's end, or into another
 * bridge.
 */
import { Unpredictable } from '../../base/errors/errors.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { countTags, most, word } from '../../packet/flow-key/flow-key.js';
import { unwildcardWords, type DatapathEvent } from '../megaflow/unwildcard.js';
import { portName } from '../model-bridge.js';
import { putTags, type TaggedOutput } from '../l2/vlans.js';
import type { Packet } from '../packet/packet.js';
import { deliver, frameOf, shortestFrame } from './datapath/deliver.js';
import { mirrorPacket, refuseUnorderedCopies } from './actions/mirror-packet.js';
import { patchPortOutput } from './patch-port-output.js';
import type { XlateContext } from './xlate-context.js';
import { actionBytes, commitChanges, putOdpAction } from './odp-actions.js';
import { stepFlow, traceDrop } from './trace-steps.js';
import { nativeTunnelOutput } from './actions/native-tunnel.js';
import { terminateTunnel, tunnelPop } from './actions/tunnel-pop.js';
import { sendInAnyOrder } from './send-in-any-order.js';

/** Each with its tags; then the packet is as before. */
export function sendTagged(ctx: XlateContext, exits: readonly TaggedOutput[], by: string): void {
  const { packet } = ctx;
  refuseDeiLoss(packet, exits);
  if (ctx.bridge.mirrors.length > 0) refuseUnorderedCopies(ctx, exits);
  const before = packet.key.slice(word.vlanTci, word.vlanTci + 2 * most.tags);
  sendInAnyOrder(ctx, exits, ({ port, tags, keepsEmptyTag }) => {
    putTags(packet.key, tags, keepsEmptyTag);
    send(ctx, port, by);
    packet.key.set(before, word.vlanTci);
  });
}

/**
 * Where a tag is popped for one port it is put back for the next, without its DEI (IEEE 802.1Q,
 * 9.6): in which order, only the switch knows.
 */
function refuseDeiLoss({ frame, baseKey }: Packet, exits: readonly TaggedOutput[]): void {
  const hasDei = countTags(baseKey) > 0 && ((frame[14] ?? 0) & 0x10) !== 0;
  if (hasDei && new Set(exits.map(({ tags }) => JSON.stringify(tags))).size > 1)
    throw new Unpredictable(
      'the model does not know in which order NORMAL sends a tag with DEI to ports with and ' +
        'without it',
    );
}

/** Lengths have 16 bits: that one cuts nothing off. */
const longestFrame = 0xffff;

/** The packet has come in at `inPort`, and mirrors that watch it get copies. */
export function mirrorIngress(ctx: XlateContext, inPort: number): void {
  if (ctx.bridge.mirrors.length > 0) mirrorPacket(ctx, inPort, 'in', sendCopies);
}

function sendCopies(ctx: XlateContext, exits: readonly TaggedOutput[], by: string): void {
  const { isLastAction } = ctx;
  ctx.isLastAction = false;
  sendTagged(ctx, exits, by);
  ctx.isLastAction = isLastAction;
}

/** Out of a port, and then to the mirrors that watch it. */
export function send(ctx: XlateContext, port: number, by?: string, maxLength = Infinity): void {
  const { mirrors, ports } = ctx.bridge;
  const settings = ports.get(port);
  if (settings?.forward === 'never')
    return traceDrop(ctx, `${portName(ctx.bridge, port)} has NO_FWD`);
  composeOutput(ctx, port, by, maxLength);
  const isThere = port === reservedPorts.LOCAL || ports.has(port);
  if (mirrors.length > 0 && isThere && ports.get(port)?.kind !== 'patch' && ctx.error === undefined)
    mirrorPacket(ctx, port, 'out', sendCopies);
}

/** To the wire, into a tunnel, or up a tunnel's end. */
function composeOutput(
  ctx: XlateContext,
  port: number,
  by: string | undefined,
  maxLength: number,
): void {
  const { bridge, frameRun } = ctx;
  const name = portName(bridge, port);
  const plan = bridge.ports.get(port);
  frameRun.steps.push({
    kind: 'output',
    ...stepFlow(ctx),
    port: name,
    ...(by === undefined ? {} : { by }),
  });
  ctx.actionBytes += actionBytes.output;
  if (plan === undefined && port !== reservedPorts.LOCAL)
    return traceDrop(ctx, `there is no port ${port}`);
  if (plan?.kind === 'patch')
    return ctx.snapLength === 0
      ? patchPortOutput(ctx, plan.peer)
      : traceDrop(ctx, 'a mirror that cuts off sends nothing through a patch port');
  const { queueDscp } = plan ?? {};
  if (queueDscp === undefined) return outputPacket(ctx, port, maxLength);
  withQueueDscp(ctx, queueDscp, () => {
    outputPacket(ctx, port, maxLength);
  });
}

/**
 * The packet goes out with the DSCP of its queue, and is as before then (ofproto-dpif-xlate.c,
 * dscp_from_skb_priority).
 */
function withQueueDscp(
  ctx: XlateContext,
  dscpOf: Readonly<Record<string, number>>,
  work: () => void,
): void {
  const { key } = ctx.packet;
  unwildcardWords(ctx.megaflow, word.skbPriority);
  const dscp = dscpOf[String(key[word.skbPriority] ?? 0)];
  if (dscp === undefined) return work();
  unwildcardWords(ctx.megaflow, word.nwTos);
  const before = key[word.nwTos] ?? 0;
  key[word.nwTos] = (before & 3) | (dscp << 2);
  work();
  ctx.packet.key[word.nwTos] = before;
}

function outputPacket(ctx: XlateContext, port: number, maxLength: number): void {
  const { bridge, frameRun, packet } = ctx;
  const name = portName(bridge, port);
  const plan = bridge.ports.get(port);
  // The datapath cuts before it executes what was pending: what is pushed onto the packet
  // then comes on top.
  const cutOff = Math.max(0, packet.frame.length - maxLength);
  const tunnel =
    plan?.kind === 'tunnel'
      ? frameRun.node
          .tunnels()
          .find((candidate) => candidate.bridge === bridge && candidate.ofport === port)
      : undefined;
  if (tunnel !== undefined)
    return nativeTunnelOutput(ctx, tunnel, maxLength === Infinity ? 'whole' : cutOff);
  commitChanges(ctx);
  const copied = ctx.snapLength === 0 ? longestFrame : ctx.snapLength;
  ctx.isIrreversible ||= copied < longestFrame;
  const { frame, layout, baseKey, padding } = packet;
  if (frameRun.node.downPorts.has(name)) traceDrop(ctx, `the link of ${name} is down`);
  const outputKey = frameRun.details === undefined ? undefined : packet.key.slice();
  const tunnelEnd = port === reservedPorts.LOCAL ? terminateTunnel(ctx) : undefined;
  if (tunnelEnd !== undefined && ctx.isLastAction) ctx.isIrreversible = true;
  const event: DatapathEvent | string =
    cutOff > 0 || copied < longestFrame
      ? 'a frame that is cut off'
      : tunnelEnd === undefined
        ? { kind: 'output', port: name }
        : { kind: 'decapsulate', config: tunnelEnd };
  putOdpAction(
    ctx,
    event,
    () => {
      const bytes = frameOf(ctx, { frame, layout, baseKey });
      const sent = bytes.subarray(0, Math.min(bytes.length - cutOff, copied));
      if (tunnelEnd === undefined) deliver(ctx, name, sent, outputKey);
      else if (sent.length >= shortestFrame)
        tunnelPop(ctx, tunnelEnd, { frame: sent, layout, padding });
    },
    tunnelEnd === undefined ? 'output' : 'other',
  );
}
