/** Ways out of a bridge (ovs-actions(7), "Output Actions"). */
import { Unpredictable } from '../../base/errors.js';
import type { Subfield } from '../../openflow/actions.js';
import { reservedPorts } from '../../openflow/ports.js';
import { etherTypes } from '../../packet/ethernet.js';
import { countTags, most, word } from '../../packet/flow-key.js';
import { readSubfield } from '../keys.js';
import { checkRead } from '../known.js';
import { lookAtInPort, lookAtWords, lookWhetherFrom, type Event } from '../megaflows/recording.js';
import { portName } from '../node.js';
import { isFlooded, normal, portsOf, putTags, tagsOf, type Exit } from '../normal.js';
import { departing, type Packet } from '../packet.js';
import { deliver, frameOf, shortestFrame } from './delivery.js';
import { mirror, refuseUnorderedCopies } from './mirrors.js';
import { sendThroughPatch } from './patch.js';
import { tellController } from './controller.js';
import { descend } from './tables.js';
import {
  actionBytes,
  blame,
  commitChanges,
  execute,
  keepNothing,
  leaveToDatapath,
  noteDrop,
  type ActionList,
  type Translation,
} from './translation.js';
import { arriveBelow, sendThroughTunnel, takeOff } from './tunnel.js';

/** A number that no port can have sends nothing. */
export function outputByField(at: Translation, source: Subfield, list: ActionList): void {
  checkRead(source.field);
  const port = readSubfield(at.packet.key, source);
  if (port <= 0xffffn && Number(port) !== reservedPorts.ANY)
    return output(at, Number(port), list, source.field.name);
  noteDrop(at, `${source.field.name} holds ${port}, which is no port`);
}

/** @param by the field that the number came from, if any. */
export function output(at: Translation, port: number, list: ActionList, by?: string): void {
  const inPort = at.packet.key[word.inPort] ?? 0;
  switch (port) {
    case reservedPorts.NORMAL:
      return outputNormal(at);
    case reservedPorts.FLOOD:
    case reservedPorts.ALL:
      return flood(at, port === reservedPorts.FLOOD ? 'FLOOD' : 'ALL');
    case reservedPorts.IN_PORT:
      lookAtInPort(at.recording);
      return send(at, inPort, by);
    case reservedPorts.TABLE:
      return descend(at, 0, inPort);
    case reservedPorts.CONTROLLER:
      return tellController(
        at,
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
      return noteDrop(at, 'output to no port');
    default:
      lookWhetherFrom(at.recording, port, inPort);
      if (port === inPort)
        return noteDrop(at, `output to the port it came from, ${portName(at.bridge, port)}`);
      return send(at, port, by);
  }
}

function outputNormal(at: Translation): void {
  const exits = normal(at.passage.node, at.bridge, at.packet.key, at.received);
  lookAsNormal(at, exits);
  if (exits.length === 0) noteDrop(at, 'NORMAL keeps it');
  sendTagged(at, exits, 'NORMAL');
}

/** What NORMAL decides by, where it does no more than look a MAC up. */
function lookAsNormal(at: Translation, exits: readonly Exit[]): void {
  const {
    recording,
    bridge,
    packet: { key },
  } = at;
  if (recording === undefined) return;
  if (bridge.snooping !== undefined) return keepNothing(at, 'NORMAL that snoops');
  if (countTags(key) > 0 || exits.some(({ tags }) => tags.length > 0))
    return keepNothing(at, 'NORMAL with tags');
  if (key[word.ethType] === etherTypes.arp) return keepNothing(at, 'NORMAL of ARP');
  recording.depends = 'on what was learned';
  lookAtInPort(recording);
  lookAtWords(recording, word.ethSrc, 4);
}

/** Each with its tags; then the packet is as before. */
function sendTagged(at: Translation, exits: readonly Exit[], by: string): void {
  const { packet } = at;
  refuseLosing(packet, exits);
  if (at.bridge.mirrors.length > 0) refuseUnorderedCopies(at, exits);
  const before = packet.key.slice(word.vlanTci, word.vlanTci + 2 * most.tags);
  inAnyOrder(at, exits, ({ port, tags }) => {
    putTags(packet.key, tags);
    send(at, port, by);
    packet.key.set(before, word.vlanTci);
  });
}

const noOrder = 'the model does not know in which order FLOOD, ALL and NORMAL send';

/**
 * @param sendTo sends to one of `exits`, which the switch takes in whatever order.
 * @throws Unpredictable where a bridge behind a patch port leaves the packet's bytes other than
 *   they were, or lets a meter drop it: so it is for ports that come later.
 */
function inAnyOrder<T extends { readonly port: number }>(
  at: Translation,
  exits: readonly T[],
  sendTo: (exit: T) => void,
): void {
  const leadsOn =
    exits.length > 1 && exits.some(({ port }) => at.bridge.ports.get(port)?.kind === 'patch');
  const before = leadsOn ? departing(at.packet) : undefined;
  if (leadsOn) keepNothing(at, 'several ports, one of which leads on');
  const { isLast, isMetered, isCutOff } = at;
  const isPending = before !== undefined && before.length !== at.packet.frame.length;
  // Behind each others may come, so what a bridge behind a patch port does stays there
  // (ofproto-dpif-xlate.c, flood_packets).
  Object.assign(at, { isLast: isLast && exits.length < 2, isMetered: false, isCutOff: false });
  let isOpen = false;
  const starts = exits.map((exit) => {
    const start = at.datapath.length;
    sendTo(exit);
    isOpen ||=
      leadsOn && at.error === undefined && at.packet.frame.length !== departing(at.packet).length;
    return start;
  });
  at.isLengthOpen ||= isOpen;
  if (leadsOn) leaveInAnyOrder(at, starts);
  if (leadsOn && at.isMetered)
    throw new Unpredictable(
      `${noOrder}, and a meter behind a patch port may drop what comes later`,
    );
  if (isPending && at.isCutOff)
    throw new Unpredictable(
      `${noOrder}, and a bridge behind a patch port cuts off what is not yet as long as it will be`,
    );
  Object.assign(at, { isLast, isMetered, isCutOff: isCutOff || at.isCutOff });
  if (
    before !== undefined &&
    at.error === undefined &&
    Buffer.compare(before, departing(at.packet)) !== 0
  )
    throw new Unpredictable(
      `${noOrder}, and the bridge behind a patch port changes what comes later`,
    );
}

/**
 * What is left to do for each exit begins at one of `starts`. @throws Unpredictable, when it is
 * done, where a port gets unlike frames of several exits.
 */
function leaveInAnyOrder(at: Translation, starts: readonly number[]): void {
  const {
    datapath,
    passage: { outputs },
  } = at;
  const parts = starts.map((start, index) => datapath.slice(start, starts[index + 1]));
  // Where a label too many has emptied it there is nothing to be kept in parts.
  if (starts.some((start, index) => start > (starts[index + 1] ?? datapath.length))) return;
  datapath.splice(starts[0] ?? 0);
  datapath.push((behind) => {
    const sent = new Map<string, readonly Uint8Array[]>();
    for (const part of parts) {
      const from = outputs.length;
      if (execute(part, behind + 1) === 'dropped')
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
function refuseLosing({ frame, arrived }: Packet, exits: readonly Exit[]): void {
  const hasDei = countTags(arrived) > 0 && ((frame[14] ?? 0) & 0x10) !== 0;
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
function flood(at: Translation, by: 'FLOOD' | 'ALL'): void {
  const inPort = at.packet.key[word.inPort] ?? 0;
  lookAtInPort(at.recording);
  const ports = portsOf(at.bridge).filter(
    (port) => port !== inPort && (by === 'ALL' || isFlooded(at.bridge, port)),
  );
  if (at.bridge.mirrors.length > 0)
    refuseUnorderedCopies(
      at,
      ports.map((port) => ({ port, tags: tagsOf(at.packet.key) })),
    );
  inAnyOrder(
    at,
    ports.map((port) => ({ port })),
    ({ port }) => {
      send(at, port, by);
    },
  );
}

/** A copy of its first bytes: to a port that is there, and no other than a port's own number. */
export function outputTruncated(at: Translation, port: number, maxLength: number): void {
  const isPort = port === reservedPorts.LOCAL || at.bridge.ports.has(port);
  if (!isPort || at.bridge.ports.get(port)?.kind === 'patch')
    return noteDrop(at, `output(max_len) does not know port ${port}`);
  if (port === at.packet.key[word.inPort])
    return noteDrop(at, `output to the port it came from, ${portName(at.bridge, port)}`);
  if (at.isLengthOpen)
    throw new Unpredictable(
      `${noOrder}, and what a bridge behind a patch port leaves in a packet that it had last ` +
        'is cut off with it',
    );
  at.isLasting = true;
  at.isCutOff = true;
  send(at, port, undefined, maxLength);
}

/** Into a queue of a port. Queues do not change what comes out. */
export function enqueue(at: Translation, port: number): void {
  const inPort = at.packet.key[word.inPort] ?? 0;
  lookAtInPort(at.recording);
  if (port === inPort)
    return noteDrop(at, `output to the port it came from, ${portName(at.bridge, port)}`);
  send(at, port === reservedPorts.IN_PORT ? inPort : port);
}

/** Lengths have 16 bits: that one cuts nothing off. */
const longestFrame = 0xffff;

/** The packet has come in at `inPort`, and mirrors that watch it get copies. */
export function mirrorArriving(at: Translation, inPort: number): void {
  if (at.bridge.mirrors.length > 0) mirror(at, inPort, 'in', sendCopies);
}

function sendCopies(at: Translation, exits: readonly Exit[], by: string): void {
  const { isLast } = at;
  at.isLast = false;
  sendTagged(at, exits, by);
  at.isLast = isLast;
}

/** Out of a port, and then to the mirrors that watch it. */
function send(at: Translation, port: number, by?: string, maxLength = Infinity): void {
  const { mirrors, ports } = at.bridge;
  sendOnce(at, port, by, maxLength);
  const isThere = port === reservedPorts.LOCAL || ports.has(port);
  if (mirrors.length > 0 && isThere && ports.get(port)?.kind !== 'patch' && at.error === undefined)
    mirror(at, port, 'out', sendCopies);
}

/** To the wire, into a tunnel, or up a tunnel's end. */
function sendOnce(at: Translation, port: number, by: string | undefined, maxLength: number): void {
  const { bridge, passage, packet } = at;
  const name = portName(bridge, port);
  const plan = bridge.ports.get(port);
  passage.steps.push({
    kind: 'output',
    ...blame(at),
    port: name,
    ...(by === undefined ? {} : { by }),
  });
  at.actionBytes += actionBytes.output;
  if (plan === undefined && port !== reservedPorts.LOCAL)
    return noteDrop(at, `there is no port ${port}`);
  if (plan?.kind === 'patch')
    return at.snapLength === 0
      ? sendThroughPatch(at, plan.peer)
      : noteDrop(at, 'a mirror that cuts off sends nothing through a patch port');
  // The datapath cuts before it carries out what was pending: what is pushed in front of the packet
  // then comes on top.
  const cutOff = Math.max(0, packet.frame.length - maxLength);
  const tunnel =
    plan?.kind === 'tunnel'
      ? passage.node
          .tunnels()
          .find((candidate) => candidate.bridge === bridge && candidate.ofport === port)
      : undefined;
  if (tunnel !== undefined)
    return sendThroughTunnel(at, tunnel, maxLength === Infinity ? 'whole' : cutOff);
  commitChanges(at);
  const copied = at.snapLength === 0 ? longestFrame : at.snapLength;
  at.isLasting ||= copied < longestFrame;
  const { frame, layout, arrived, padding } = packet;
  if (passage.node.downPorts.has(name)) noteDrop(at, `the link of ${name} is down`);
  const told = passage.details === undefined ? undefined : packet.key.slice();
  const ended = port === reservedPorts.LOCAL ? arriveBelow(at) : undefined;
  if (ended !== undefined && at.isLast) at.isLasting = true;
  const event: Event | string =
    cutOff > 0 || copied < longestFrame
      ? 'a frame that is cut off'
      : ended === undefined
        ? { kind: 'output', port: name }
        : { kind: 'take off', config: ended };
  leaveToDatapath(
    at,
    event,
    () => {
      const bytes = frameOf(at, { frame, layout, arrived });
      const sent = bytes.subarray(0, Math.min(bytes.length - cutOff, copied));
      if (ended === undefined) deliver(at, name, sent, told);
      else if (sent.length >= shortestFrame) takeOff(at, ended, { frame: sent, layout, padding });
    },
    ended === undefined ? 'output' : 'other',
  );
}
