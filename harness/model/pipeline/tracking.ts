/** What the datapath does with a packet that goes to the connection tracker. */
import { Unsupported } from '../../base/errors.js';
import type { FlowId } from '../../nouns/switching.js';
import { fieldCalled } from '../../openflow/fields.js';
import type { Masked } from '../../openflow/values.js';
import { etherTypes } from '../../packet/ethernet.js';
import { clearWords, tupleWords, word } from '../../packet/flow-key.js';
import type { Behaviour } from '../behaviour.js';
import { letGo } from '../conntrack/fragments.js';
import { readerOf } from '../conntrack/helper.js';
import { trackedPacket, type TrackedPacket } from '../conntrack/packet.js';
import type { Asked, Tracked } from '../conntrack/tracked.js';
import { track, trackAgain } from '../conntrack/tracker.js';
import { writeOriginal } from '../conntrack/tuple.js';
import { writeField } from '../keys.js';
import type { ModelNode } from '../node.js';
import type { Packet } from '../packet.js';
import type { TraceStep } from '../trace.js';
import { asCarried, carriedBy, translated } from './carried.js';
import { readAlong } from './helper.js';
import { assemble, inPlaceOf, lacksPorts, piecesOf } from './reassembly.js';
import { chooseTranslation } from './translation-choice.js';
import type { Execution, Frozen } from './translation.js';

/** What is asked of the tracker, and what becomes of the packet then. */
export interface TrackRequest {
  readonly asked: Asked;
  readonly marks: Marks;
  /** Where the packet goes on; it ends where that is missing. */
  readonly onward?: Omit<Frozen, 'packet'>;
  /** The flow that asks, and the steps that tell of what it has written. */
  readonly flow: FlowId;
  readonly told: readonly TraceStep[];
}

/**
 * @param packet with its changes in its bytes, and nobody else's. @param behind what the datapath
 *   still has to do with it.
 */
export function trackNow(
  run: Execution,
  { asked, marks, onward: place, flow, told }: TrackRequest,
  packet: Packet,
  behind: number,
): 'dropped' | undefined {
  const {
    passage: { node, steps },
  } = run;
  const { behaviour, nowMs } = node;
  const onward = asCarried(packet, run.carried, behaviour);
  const seen = assemble(run, onward, asked.zone, behind);
  const found =
    seen.kind === 'held'
      ? undefined
      : lookAtConnection(
          node,
          seen.kind === 'invalid' ? undefined : seen.kind === 'whole' ? seen.packet : onward,
          asked,
        );
  if (node.fragments.length > 0)
    letGo(
      node.fragments,
      onward.arrived[word.ethType] === etherTypes.ipv6 ? 'ipv6' : 'ipv4',
      nowMs,
      behaviour,
    );
  if (found === undefined) {
    steps.push({ kind: 'drop', flow, why: 'the fragment waits for others' });
    return 'dropped';
  }
  setMarks(found, marks);
  const said = readAlong(node, { packet: onward, seen }, found, asked);
  const { becomes } = said;
  if (becomes !== undefined && seen.kind !== 'whole') {
    Object.assign(onward, asCarried(onward, translated(carriedBy(onward), becomes), behaviour));
    run.carried = translated(run.carried, becomes);
  }
  const holds = asked.nat === undefined && said.connection !== undefined && seen.kind === 'packet';
  const tracked = { said, key: onward.arrived, holds };
  run.carried = { changes: run.carried.changes, tracked, inside: run.carried.inside };
  if (place === undefined) return undefined;
  if (seen.kind !== 'whole') return goOn(run, place, told, onward, tracked);
  for (const one of piecesOf(seen, said, behaviour)) {
    const piece = inPlaceOf(onward, one);
    goOn(run, place, told, piece, { said, key: piece.arrived, holds });
  }
  return undefined;
}

function goOn(
  { passage: { node, steps }, recirculate }: Execution,
  { bridge, table, actions, stack, mirrored }: Omit<Frozen, 'packet'>,
  told: readonly TraceStep[],
  packet: Packet,
  tracked: NonNullable<Packet['tracked']>,
): undefined {
  writeConnection(packet, tracked.said, node.behaviour);
  for (const step of told) steps.push(step);
  packet.tracked = tracked;
  recirculate({ bridge, table, packet, actions, stack, mirrored });
  return undefined;
}

/** What the tracker said last is not carried on. */
export function forgetConnection(run: Execution): void {
  run.carried = { ...run.carried, tracked: undefined };
}

/** What a flow has the tracker write. */
export function writesOf(flow: FlowId): readonly TraceStep[] {
  return ['ct_state', 'ct_zone', 'ct_mark', 'ct_label'].map((field) => ({
    kind: 'write',
    flow,
    field,
  }));
}

/** The fields that tell of a connection. */
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
 * What the tracker says of the packet: in the zone of its connection it is not looked at again,
 * unless its addresses or ports have changed. Without one it can belong to none.
 */
function lookAtConnection(node: ModelNode, packet: Packet | undefined, asked: Asked): Tracked {
  if (packet?.trackedAs === 'what is inside')
    throw new Unsupported(
      'Open vSwitch reads what a tunnel has put around IPv4 and IPv6 as what is inside, where ' +
        'it is tracked on the way: the model does not',
    );
  if (packet === undefined || packet.trackedAs === 'nothing')
    return track(node, undefined, asked, undefined, chooseTranslation);
  const { arrived, tracked } = packet;
  const reader = readerOf(arrived, asked.helper, tracked?.said.connection, node.behaviour);
  const isUnchanged =
    tracked?.holds === true &&
    tracked.said.zone === asked.zone &&
    tupleWords.every((field) => tracked.key[field] === arrived[field]);
  if (isUnchanged && asked.commits !== 'by force' && reader === undefined)
    return trackAgain(tracked.said, asked.nat);
  return track(
    node,
    seenByTracker(packet, asked.zone, node.behaviour),
    reader === undefined ? asked : { ...asked, reader },
    tracked?.said,
    chooseTranslation,
  );
}

/** The tracker reads a packet again only where its bytes have changed, or the zone. */
function seenByTracker(
  packet: Packet,
  zone: number,
  behaviour: Behaviour,
): TrackedPacket | undefined {
  const { frame, layout, arrived, seen } = packet;
  if (seen?.frame === frame && seen.key === arrived && seen.zone === zone) return seen.as;
  const as = trackedPacket(frame, layout, arrived, zone, behaviour);
  packet.seen = { frame, key: arrived, zone, as };
  return as;
}

const labelField = fieldCalled('ct_label');

/** What the flow makes of the packet's connection, unless another told of it. */
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

/** The bits of a connection's mark and label that a flow sets. */
export interface Marks {
  readonly mark: Masked;
  readonly label: Masked;
}
