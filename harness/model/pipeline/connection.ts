/** Packets that go to the connection tracker (ovs-actions(7), "ct"). */
import { Unsupported } from '../../base/errors.js';
import { printActions, type CtAction } from '../../openflow/actions.js';
import { fieldCalled, type Field } from '../../openflow/fields.js';
import type { Masked } from '../../openflow/values.js';
import { etherTypes } from '../../packet/ethernet.js';
import { copyKey, word } from '../../packet/flow-key.js';
import { letGo } from '../conntrack/fragments.js';
import { readerOf } from '../conntrack/helper.js';
import { hasRoom } from '../conntrack/limits.js';
import { trackedPacket } from '../conntrack/packet.js';
import { defaultTimeouts, havePolicies } from '../conntrack/timeouts.js';
import type { Asked, Tracked, Tracker } from '../conntrack/tracked.js';
import { track, trackAgain } from '../conntrack/tracker.js';
import { writeOriginal } from '../conntrack/tuple.js';
import { hasField } from '../has-field.js';
import { readField, readSubfield, writeField, writeSubfield } from '../keys.js';
import { checkRead } from '../known.js';
import type { Behaviour } from '../behaviour.js';
import type { ModelNode } from '../node.js';
import { commit, settled, type Packet } from '../packet.js';
import { asCarried } from './carried.js';
import { freeze } from './freeze.js';
import { readAlong } from './helper.js';
import { assemble, inPlaceOf, lacksPorts } from './reassembly.js';
import { chooseTranslation } from './translation-choice.js';
import { blame, type Translation } from './translation.js';

/** The packet's changes go into its bytes; then it is untracked again: connection fields are for the packet that goes on in `table`. */
export function connectionTrack(at: Translation, ct: CtAction): void {
  if (typeof ct.zone !== 'number') checkRead(ct.zone.field);
  const zone = typeof ct.zone === 'number' ? ct.zone : Number(readSubfield(at.packet.key, ct.zone));
  const nat = ct.exec.findLast((action) => action.kind === 'nat');
  const asked: Asked = { zone, commits: ct.force ? 'by force' : ct.commit ? 'new connections' : 'nothing', ...(nat === undefined ? {} : { nat }), ...(ct.alg === undefined ? {} : { helper: ct.alg }) };
  const { packet } = at;
  const marks = marksOf(packet, ct);
  commit(packet);
  const settledPacket = settled(packet);
  const frozen = ct.table === undefined ? undefined : freeze(at, ct.table, settledPacket);
  if (frozen !== undefined) at.frozen = [];
  const flow = blame(at);
  at.isLasting = true;
  untrack(packet);
  at.datapath.push((behind) => {
    const { node } = at.passage;
    const onward = asCarried(settledPacket, at.carried, node.behaviour);
    const seen = assemble(at, onward, zone, behind);
    const found = seen.kind === 'held' ? undefined : lookAtConnection(node, seen.kind === 'invalid' ? undefined : seen.kind === 'whole' ? seen.packet : onward, asked);
    letGo(node.fragments, onward.arrived[word.ethType] === etherTypes.ipv6 ? 'ipv6' : 'ipv4', node.nowMs, node.behaviour);
    if (found === undefined) return waits(at, flow);
    setMarks(found, marks);
    const said = readAlong(node, { packet: onward, seen }, found, asked);
    const { becomes } = said;
    if (becomes !== undefined) {
      if (seen.kind === 'whole') throw new Unsupported('the model does not translate fragments');
      const change = { change: becomes, then: onward.arrived };
      Object.assign(onward, asCarried(onward, { changes: [change] }, node.behaviour));
      at.carried = { ...at.carried, changes: [...at.carried.changes, change] };
    }
    const holds = nat === undefined && said.connection !== undefined && seen.kind === 'packet';
    at.carried = { ...at.carried, tracked: { said, key: onward.arrived, holds } };
    if (frozen === undefined) return undefined;
    for (const piece of seen.kind === 'whole' ? seen.pieces.map((one) => inPlaceOf(onward, one)) : [onward]) {
      writeConnection(piece, said, node.behaviour);
      for (const field of ['ct_state', 'ct_zone', 'ct_mark', 'ct_label']) at.passage.steps.push({ kind: 'write', ...flow, field });
      at.recirculate({ ...frozen, packet: { ...piece, tracked: { said, key: piece.arrived, holds } } });
    }
    return undefined;
  });
}

function waits(at: Translation, flow: ReturnType<typeof blame>): 'dropped' {
  at.passage.steps.push({ kind: 'drop', ...flow, why: 'the fragment waits for others' });
  return 'dropped';
}

/** The fields that tell of a connection. */
function writeConnection(packet: Packet, { state, zone, connection, expected, original }: Tracked, behaviour: Behaviour): void {
  const { key } = packet;
  key.set([state, zone, connection?.mark ?? expected?.mark ?? 0], word.ctState);
  writeField(key, labelField, connection?.label ?? expected?.label ?? 0n, labelField.ones);
  writeOriginal(key, original);
  if (lacksPorts(packet, behaviour)) key.fill(0, word.ctTpSrc, word.ctTpDst + 1);
}

/** What the tracker says of the packet: in the zone of its connection it is not looked at again, unless its addresses or ports have changed. Without one it can belong to none. */
function lookAtConnection(node: ModelNode, packet: Packet | undefined, asked: Asked): Tracked {
  const tracker = trackerOf(node);
  if (packet === undefined) return track(tracker, undefined, asked, undefined);
  const { frame, layout, arrived, tracked } = packet;
  const reader = readerOf(arrived, asked.helper, tracked?.said.connection, node.behaviour);
  const isUnchanged = tracked?.holds === true && tracked.said.zone === asked.zone && ofTuples.every((field) => tracked.key[field] === arrived[field]);
  if (isUnchanged && asked.commits !== 'by force' && reader === undefined) return trackAgain(tracked.said, asked.nat);
  return track(tracker, trackedPacket(frame, layout, arrived, asked.zone, node.behaviour), reader === undefined ? asked : { ...asked, reader }, tracked?.said);
}

const labelField = fieldCalled('ct_label');

function trackerOf(node: ModelNode): Tracker {
  const { connections, controls, nowMs, behaviour, conntrack, timeouts } = node;
  return {
    connections, controls, nowMs, behaviour, tcpSequences: conntrack.tcpSequences ?? 'checked',
    timeoutsOf: ({ zone, protocol }) => (havePolicies.includes(protocol) ? timeouts.get(zone) : undefined) ?? defaultTimeouts,
    hasRoom: (zone) => hasRoom(connections, zone, nowMs, conntrack, behaviour),
    translate: (original, nat) => chooseTranslation(node, original, nat),
  };
}

/** What the flow makes of the packet's connection, unless another told of it. */
function setMarks({ connection }: Tracked, { mark, label }: Marks): void {
  if (connection === undefined || connection.parent !== undefined || (mark.mask | label.mask) === 0n) return;
  connection.mark = Number((BigInt(connection.mark) & ~mark.mask) | mark.value);
  connection.label = (connection.label & ~label.mask) | label.value;
}

/** The bits of a connection's mark and label that a flow sets. */
interface Marks {
  readonly mark: Masked;
  readonly label: Masked;
}

const unmarked: Marks = { mark: { value: 0n, mask: 0n }, label: { value: 0n, mask: 0n } };

/** What exec() asks for, of the packet as it is before the tracker sees it. */
function marksOf({ key }: Packet, { exec }: CtAction): Marks {
  if (exec.length === 0) return unmarked;
  const written = copyKey(key);
  const masks = new Map<string, bigint>();
  const note = (field: Field, mask: bigint) => masks.set(field.name, (masks.get(field.name) ?? 0n) | mask);
  for (const action of exec) {
    if (action.kind === 'set') {
      writeField(written, action.field, action.value, action.mask ?? action.field.ones);
      note(action.field, action.mask ?? action.field.ones);
    } else if (action.kind === 'move') {
      const { source, destination } = action;
      checkRead(source.field);
      if (!hasField(written, source.field)) continue;
      writeSubfield(written, destination, readSubfield(written, source));
      note(destination.field, ((1n << BigInt(destination.bits)) - 1n) << BigInt(destination.offset));
    } else if (action.kind !== 'nat') throw new Unsupported(`the model does not carry out ${printActions([action])}`);
  }
  const asked = (name: string) => ({ value: readField(written, fieldCalled(name)) & (masks.get(name) ?? 0n), mask: masks.get(name) ?? 0n });
  return { mark: asked('ct_mark'), label: asked('ct_label') };
}

const ofTuples = [word.nwSrc, word.nwDst, word.tpSrc, word.tpDst, ...[word.ipv6Src, word.ipv6Dst].flatMap((first) => [0, 1, 2, 3].map((index) => first + index))];

/** The packet is one that the tracker has not seen: to the datapath as well, where the translation knew that it had. */
export function clearConnection(at: Translation): void {
  if (at.packet.key[word.ctState] !== 0) at.datapath.push(() => void (at.carried = { changes: at.carried.changes }));
  untrack(at.packet);
}

function untrack({ key }: Packet): void {
  key.fill(0, word.ctState, word.pktMark);
}
