/** Packets that go to the connection tracker (ovs-actions(7), "ct"). */
import { Unsupported } from '../../base/errors.js';
import { printActions, type CtAction } from '../../openflow/actions.js';
import { fieldCalled, fieldsNamed, type Field } from '../../openflow/fields.js';
import type { Masked } from '../../openflow/values.js';
import { word } from '../../packet/flow-key.js';
import { track, type Tracked } from '../conntrack/tracker.js';
import { writeOriginal } from '../conntrack/tuple.js';
import { hasField } from '../has-field.js';
import { readField, readSubfield, writeField, writeSubfield } from '../keys.js';
import { checkRead } from '../known.js';
import { commit, settled, type Packet } from '../packet.js';
import { freeze } from './freeze.js';
import { blame, type Translation } from './translation.js';

/** The packet's changes go into its bytes; then it is untracked again: connection fields are for the packet that goes on in `table`. */
export function connectionTrack(at: Translation, ct: CtAction): void {
  if (ct.force || ct.alg !== undefined) throw new Unsupported(`the model does not carry out ${printActions([ct])}`);
  if (typeof ct.zone !== 'number') checkRead(ct.zone.field);
  const zone = typeof ct.zone === 'number' ? ct.zone : Number(readSubfield(at.packet.key, ct.zone));
  const { packet } = at;
  const marks = marksOf(packet, ct);
  commit(packet);
  const onward = settled(packet);
  const frozen = ct.table === undefined ? undefined : { ...freeze(at, ct.table), packet: onward };
  if (frozen !== undefined) at.frozen = [];
  const flow = blame(at);
  at.isLasting = true;
  untrack(packet);
  at.datapath.push(() => {
    const answer = lookAtConnection(at, packet, onward, ct.commit, marks, zone);
    if (frozen === undefined) return;
    for (const [name, value] of [['ct_state', answer.state], ['ct_zone', zone], ['ct_mark', answer.connection?.mark ?? 0], ['ct_label', answer.connection?.label ?? 0n]] as const) {
      for (const field of fieldsNamed(name)) writeField(onward.key, field, BigInt(value), field.ones);
      at.passage.steps.push({ kind: 'write', ...flow, field: name });
    }
    writeOriginal(onward.key, answer.original);
    at.recirculate(frozen);
  });
}

/** What the tracker says of the packet, and what the flow makes of its connection. */
function lookAtConnection(at: Translation, packet: Packet, onward: Packet, commits: boolean, { mark, label }: Marks, zone: number): Tracked {
  const { node } = at.passage;
  const said = saidBefore(packet, onward, zone) ?? track(node.connections, onward.frame, onward.layout, onward.key, zone, node.nowMs, commits, node.behaviour);
  packet.tracked = onward.tracked = { said, key: onward.arrived };
  const { connection } = said;
  if (connection === undefined) return said;
  connection.mark = Number((BigInt(connection.mark) & ~mark.mask) | mark.value);
  connection.label = (connection.label & ~label.mask) | label.value;
  return said;
}

/** The bits of a connection's mark and label that a flow sets. */
interface Marks {
  readonly mark: Masked;
  readonly label: Masked;
}

/** What exec() asks for, of the packet as it is before the tracker sees it. */
function marksOf({ key }: Packet, { exec }: CtAction): Marks {
  const written = key.slice();
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
    } else throw new Unsupported(`the model does not carry out ${printActions([action])}`);
  }
  const asked = (name: string) => ({ value: readField(written, fieldCalled(name)) & (masks.get(name) ?? 0n), mask: masks.get(name) ?? 0n });
  return { mark: asked('ct_mark'), label: asked('ct_label') };
}

/** In the zone of its connection a packet is not looked at again, unless its addresses or ports have changed. */
function saidBefore({ tracked }: Packet, { arrived }: Packet, zone: number): Tracked | undefined {
  return tracked?.said.connection?.original.zone === zone && ofTuples.every((field) => tracked.key[field] === arrived[field]) ? tracked.said : undefined;
}

const ofTuples = [word.nwSrc, word.nwDst, word.tpSrc, word.tpDst, ...[word.ipv6Src, word.ipv6Dst].flatMap((first) => [0, 1, 2, 3].map((index) => first + index))];

/** The packet is one that the tracker has not seen. */
export function untrack({ key }: Packet): void {
  key.fill(0, word.ctState, word.pktMark);
}
