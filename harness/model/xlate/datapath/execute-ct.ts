/** What the datapath does with a packet that goes to the connection tracker. */
import { Unsupported } from '../../../base/errors/errors.js';
import type { FlowId } from '../../../domain/switching.js';
import { ctStateBits, fieldCalled } from '../../../openflow/match/fields.js';
import { etherTypes } from '../../../packet/protocols/link/ethernet.js';
import { clearWords, tupleWords, word } from '../../../packet/flow-key/flow-key.js';
import type { Behaviour } from '../../behaviour.js';
import { expireFragments } from '../../conntrack/fragments/fragments.js';
import { algTypeOf } from '../../conntrack/helpers/helper.js';
import {
  trackedPacket as readTracked,
  type TrackedPacket,
} from '../../conntrack/protocols/tracked-packet.js';
import type { CtRequest, Tracked } from '../../conntrack/tracked.js';
import { track, trackUnchanged } from '../../conntrack/tracker.js';
import { writeOriginal } from '../../conntrack/tuple.js';
import { writeField } from '../../fields/field-values.js';
import type { ModelNode } from '../../model-node.js';
import type { Packet } from '../../packet/packet.js';
import type { TraceStep } from '../../trace/trace.js';
import { asDatapathPacket, datapathPacketOf, withNat } from './datapath-packet.js';
import { runAlgHelper } from './run-alg-helper.js';
import { cutOffByTracker, isDroppedByTracker } from './before-kernel-tracker.js';
import { reassemble, withMetadataOf, lacksPorts, natFragments } from './reassemble.js';
import { chooseNatTuple } from '../../nat/choose-nat-tuple.js';
import type { DatapathExecution } from './datapath-execution.js';
import type { Frozen } from '../frozen.js';
import { remark } from '../trace-steps.js';
import type { TrackRequest, Marks } from './track-request.js';

const fragmentWaits = 'the fragment waits for others';
const connectionClashes = 'answers to it would be what begins another connection';

/**
 * @param packet with its changes in its bytes, and nobody else's. @param behind what the datapath
 *   still has to do with it.
 */
export function executeCt(
  run: DatapathExecution,
  { ctRequest, marks, frozen: place, flow, writeSteps }: TrackRequest,
  packet: Packet,
  behind: number,
): 'dropped' | undefined {
  const {
    frameRun: { node, steps },
  } = run;
  const { behaviour, nowMs } = node;
  if (isDroppedByTracker(packet, behaviour)) {
    steps.push({ kind: 'drop', flow, why: "IPv6's options for each hop are not whole" });
    return 'dropped';
  }
  run.packetState = {
    ...run.packetState,
    cutOff: Math.max(run.packetState.cutOff, cutOffByTracker(packet, behaviour)),
  };
  const trackedPacket = asDatapathPacket(packet, run.packetState, behaviour);
  const input = reassemble(run, trackedPacket, ctRequest.zone, behind);
  const seen = input.kind === 'whole' ? input.packet : trackedPacket;
  const entry =
    input.kind === 'held'
      ? undefined
      : trackPacket(node, input.kind === 'invalid' ? undefined : seen, ctRequest);
  if (node.fragments.length > 0)
    expireFragments(
      node.fragments,
      trackedPacket.baseKey[word.ethType] === etherTypes.ipv6 ? 'ipv6' : 'ipv4',
      nowMs,
      behaviour,
    );
  if (entry === undefined || entry.isDropped === true) {
    steps.push({
      kind: 'drop',
      flow,
      why: entry === undefined ? fragmentWaits : connectionClashes,
    });
    return 'dropped';
  }
  if ((entry.state & ctStateBits.inv) !== 0 && run.frameRun.details !== undefined)
    remark(
      run.frameRun,
      `ct: invalid (+inv) in zone ${ctRequest.zone}: ` +
        (input.kind === 'invalid'
          ? 'fragments that do not fit together'
          : (entry.why ?? whyUntracked(trackedPacket, ctRequest.zone, behaviour))),
    );
  setMarks(entry, marks);
  const result = runAlgHelper(node, { packet: trackedPacket, seen: input }, entry, ctRequest);
  const { nat } = result;
  node.work.conntrack++;
  if (nat !== undefined) node.work.nat++;
  if (nat !== undefined && input.kind !== 'whole') {
    Object.assign(
      trackedPacket,
      asDatapathPacket(trackedPacket, withNat(datapathPacketOf(trackedPacket), nat), behaviour),
    );
    run.packetState = withNat(run.packetState, nat);
  }
  const holds =
    ctRequest.nat === undefined && result.connection !== undefined && input.kind === 'packet';
  const tracked = { said: result, key: trackedPacket.baseKey, holds };
  run.packetState = {
    ...run.packetState,
    tracked,
  };
  if (place === undefined) return undefined;
  if (input.kind !== 'whole')
    return recirculateTracked(run, place, writeSteps, trackedPacket, tracked);
  for (const one of natFragments(input, result, behaviour)) {
    const piece = withMetadataOf(trackedPacket, one);
    recirculateTracked(run, place, writeSteps, piece, { said: result, key: piece.baseKey, holds });
  }
  return undefined;
}

function recirculateTracked(
  { frameRun: { node, steps, assumedCtStates }, recirculate }: DatapathExecution,
  { bridge, table, actions, stack, mirrored }: Omit<Frozen, 'packet'>,
  writeSteps: readonly TraceStep[],
  packet: Packet,
  tracked: NonNullable<Packet['tracked']>,
): undefined {
  writeConnection(packet, tracked.said, node.behaviour);
  const value = assumedCtStates?.shift() ?? packet.key[word.ctState] ?? 0;
  packet.key[word.ctState] = value;
  const mark = packet.key[word.ctMark] ?? 0;
  packet.tracked = tracked;
  const said: Readonly<Record<string, number>> = { ct_state: value, ct_mark: mark };
  for (const step of writeSteps) {
    if (step.kind !== 'write') steps.push(step);
    else {
      const known = said[step.field];
      steps.push(known === undefined ? step : { ...step, value: known });
    }
  }
  recirculate({ bridge, table, packet, actions, stack, mirrored });
  return undefined;
}

/** What the tracker said last is not carried on. */
export function executeCtClear(run: DatapathExecution): void {
  run.packetState = { ...run.packetState, tracked: undefined };
}

/** What a flow has the tracker write. */
export function ctWriteSteps(flow: FlowId): readonly TraceStep[] {
  return ['ct_state', 'ct_zone', 'ct_mark', 'ct_label'].map((field) => ({
    kind: 'write',
    flow,
    field,
  }));
}

/** The fields about a connection. */
function writeConnection(
  packet: Packet,
  { state, zone, connection, expected, original }: Tracked,
  behaviour: Behaviour,
): void {
  const { key } = packet;
  key[word.ctState] = state;
  key[word.ctZone] = zone;
  key[word.ctMark] = connection?.mark ?? expected?.mark ?? 0;
  const label = connection?.label ?? expected?.label ?? 0n;
  if (label === 0n) clearWords(key, word.ctLabel, word.ctNwSrc);
  else writeField(key, labelField, label, labelField.ones);
  writeOriginal(key, original);
  if (lacksPorts(packet, behaviour)) clearWords(key, word.ctTpSrc, word.ctTpDst + 1);
}

/**
 * What the tracker says of the packet: in the zone of its connection it is not tracked again,
 * unless its addresses or ports have changed. Without one it can belong to none.
 */
function trackPacket(node: ModelNode, packet: Packet | undefined, ctRequest: CtRequest): Tracked {
  if (packet?.trackedAs === 'what is inside')
    throw new Unsupported(
      'Open vSwitch reads the outer headers around IPv4 and IPv6 as the inner packet, where ' +
        'it is tracked on the way: the model does not',
    );
  if (packet === undefined || packet.trackedAs === 'nothing')
    return track(node, undefined, ctRequest, undefined, chooseNatTuple);
  const { baseKey, tracked } = packet;
  const reader = algTypeOf(baseKey, ctRequest.helper, tracked?.said.connection, node.behaviour);
  const isUnchanged =
    tracked?.holds === true &&
    tracked.said.zone === ctRequest.zone &&
    tupleWords.every((field) => tracked.key[field] === baseKey[field]);
  if (isUnchanged && ctRequest.commits !== 'by force' && reader === undefined)
    return trackUnchanged(tracked.said, ctRequest, node.behaviour);
  return track(
    node,
    parseForTracker(packet, ctRequest.zone, node.behaviour),
    reader === undefined ? ctRequest : { ...ctRequest, reader },
    tracked?.said,
    chooseNatTuple,
  );
}

/** Why the tracker sees no connection that the packet could belong to. */
function whyUntracked(
  { frame, layout, baseKey, trackedAs }: Packet,
  zone: number,
  behaviour: Behaviour,
): string {
  if (trackedAs === 'nothing') return 'it is neither IPv4 nor IPv6, or cut off';
  let why = 'it can belong to no connection';
  readTracked(frame, layout, baseKey, zone, behaviour, (reason) => (why = reason));
  return why;
}

/** The tracker reads a packet again only where its bytes have changed, or the zone. */
function parseForTracker(
  packet: Packet,
  zone: number,
  behaviour: Behaviour,
): TrackedPacket | undefined {
  const { frame, layout, baseKey, trackerCache } = packet;
  if (trackerCache?.frame === frame && trackerCache.key === baseKey && trackerCache.zone === zone)
    return trackerCache.as;
  const as = readTracked(frame, layout, baseKey, zone, behaviour);
  packet.trackerCache = { frame, key: baseKey, zone, as };
  return as;
}

const labelField = fieldCalled('ct_label');

/** What the flow makes of the packet's connection, unless another expected it. */
function setMarks({ connection }: Tracked, { mark, label }: Marks): void {
  if (
    connection === undefined ||
    connection.parent !== undefined ||
    (mark.mask | label.mask) === 0n
  )
    return;
  connection.mark = Number((BigInt(connection.mark) & ~mark.mask) | mark.value);
  connection.label = (connection.label & ~label.mask) | label.value;
}
