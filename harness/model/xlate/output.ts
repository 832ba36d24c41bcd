/** Ways out of a bridge (ovs-actions(7), "Output Actions"). */
import { Unpredictable } from '../../base/errors/errors.js';
import type { Subfield } from '../../openflow/actions/actions.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import { countTags, most, word } from '../../packet/flow-key/flow-key.js';
import { readSubfield } from '../fields/field-values.js';
import { checkRead } from '../fields/supported-fields.js';
import {
  unwildcardInPort,
  unwildcardWords,
  excludeInPort,
  type DatapathEvent,
} from '../megaflow/unwildcard.js';
import { portName } from '../model-bridge.js';
import {
  isFlooded,
  xlateNormal,
  portsOf,
  putTags,
  tagsOf,
  type TaggedOutput,
} from '../l2/xlate-normal.js';
import { committedFrame, type Packet } from '../packet.js';
import { deliver, frameOf, shortestFrame } from './datapath/deliver.js';
import { mirrorPacket, refuseUnorderedCopies } from './actions/mirror-packet.js';
import { patchPortOutput } from './patch-port-output.js';
import { xlateController } from './xlate-controller.js';
import { resubmit } from './xlate-table.js';
import {
  actionBytes,
  stepFlow,
  commitChanges,
  executeActions,
  avoidCaching,
  putOdpAction,
  traceDrop,
  type ActionList,
  type XlateContext,
} from './xlate-context.js';
import { terminateTunnel, nativeTunnelOutput, tunnelPop } from './actions/native-tunnel.js';

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
  const exits = xlateNormal(ctx.frameRun.node, ctx.bridge, ctx.packet.key, ctx.ingressPacket);
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

/** Each with its tags; then the packet is as before. */
function sendTagged(ctx: XlateContext, exits: readonly TaggedOutput[], by: string): void {
  const { packet } = ctx;
  refuseDeiLoss(packet, exits);
  if (ctx.bridge.mirrors.length > 0) refuseUnorderedCopies(ctx, exits);
  const before = packet.key.slice(word.vlanTci, word.vlanTci + 2 * most.tags);
  sendInAnyOrder(ctx, exits, ({ port, tags }) => {
    putTags(packet.key, tags);
    send(ctx, port, by);
    packet.key.set(before, word.vlanTci);
  });
}

const noOrder = 'the model does not know in which order FLOOD, ALL and NORMAL send';

/**
 * @param sendTo sends to one of `exits`, which the switch takes in whatever order.
 * @throws Unpredictable where a bridge behind a patch port leaves the packet's bytes other than
 *   they were, or lets a meter drop it: so it is for ports that come later.
 */
function sendInAnyOrder<T extends { readonly port: number }>(
  ctx: XlateContext,
  exits: readonly T[],
  sendTo: (exit: T) => void,
): void {
  const crossesPatchPort =
    exits.length > 1 && exits.some(({ port }) => ctx.bridge.ports.get(port)?.kind === 'patch');
  const before = crossesPatchPort ? committedFrame(ctx.packet) : undefined;
  if (crossesPatchPort) avoidCaching(ctx, 'several ports, one of which leads on');
  const { isLastAction, isMetered, isTruncated } = ctx;
  const isPending = before !== undefined && before.length !== ctx.packet.frame.length;
  // Behind each others may come, so what a bridge behind a patch port does stays there
  // (ofproto-dpif-xlate.c, flood_packets).
  Object.assign(ctx, {
    isLastAction: isLastAction && exits.length < 2,
    isMetered: false,
    isTruncated: false,
  });
  let isOpen = false;
  const starts = exits.map((exit) => {
    const start = ctx.odpActions.length;
    sendTo(exit);
    isOpen ||=
      crossesPatchPort &&
      ctx.error === undefined &&
      ctx.packet.frame.length !== committedFrame(ctx.packet).length;
    return start;
  });
  ctx.isLengthAmbiguous ||= isOpen;
  if (crossesPatchPort) executeInAnyOrder(ctx, starts);
  if (crossesPatchPort && ctx.isMetered)
    throw new Unpredictable(
      `${noOrder}, and a meter behind a patch port may drop what comes later`,
    );
  if (isPending && ctx.isTruncated)
    throw new Unpredictable(
      `${noOrder}, and a bridge behind a patch port cuts off what is not yet as long as it will be`,
    );
  Object.assign(ctx, { isLastAction, isMetered, isTruncated: isTruncated || ctx.isTruncated });
  if (
    before !== undefined &&
    ctx.error === undefined &&
    Buffer.compare(before, committedFrame(ctx.packet)) !== 0
  )
    throw new Unpredictable(
      `${noOrder}, and the bridge behind a patch port changes what comes later`,
    );
}

/**
 * What is left to do for each exit begins at one of `starts`. @throws Unpredictable, when it is
 * done, where a port gets unlike frames of several exits.
 */
function executeInAnyOrder(ctx: XlateContext, starts: readonly number[]): void {
  const {
    odpActions,
    frameRun: { outputs },
  } = ctx;
  const actionsByOutput = starts.map((start, index) => odpActions.slice(start, starts[index + 1]));
  // Where a label too many has emptied it there is nothing to be kept in parts.
  if (starts.some((start, index) => start > (starts[index + 1] ?? odpActions.length))) return;
  odpActions.splice(starts[0] ?? 0);
  odpActions.push((behind) => {
    const sent = new Map<string, readonly Uint8Array[]>();
    for (const part of actionsByOutput) {
      const from = outputs.length;
      if (executeActions(part, behind + 1) === 'dropped')
        throw new Unpredictable(
          `${noOrder}, and the bridge behind a patch port loses what comes later`,
        );
      const before = new Map(sent);
      for (const { port, frame } of outputs.slice(from)) {
        const frames = [...(sent.get(port) ?? []), frame];
        if (before.has(port) && frames.some((other) => Buffer.compare(other, frame) !== 0))
          throw new Unpredictable(
            `${noOrder}, and the bridge behind a patch port sends to one of the same ports`,
          );
        sent.set(port, frames);
      }
    }
  });
}

/**
 * Where a tag is taken off for one port it is put back for the next, without its DEI (IEEE 802.1Q,
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

/** Into a queue of a port. Queues do not change what comes out. */
export function enqueue(ctx: XlateContext, port: number): void {
  const inPort = ctx.packet.key[word.inPort] ?? 0;
  unwildcardInPort(ctx.megaflow);
  if (port === inPort)
    return traceDrop(ctx, `output to the port it came from, ${portName(ctx.bridge, port)}`);
  send(ctx, port === reservedPorts.IN_PORT ? inPort : port);
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
function send(ctx: XlateContext, port: number, by?: string, maxLength = Infinity): void {
  const { mirrors, ports } = ctx.bridge;
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
  const { bridge, frameRun, packet } = ctx;
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
  // The datapath cuts before it carries out what was pending: what is pushed in front of the packet
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
        : { kind: 'take off', config: tunnelEnd };
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
