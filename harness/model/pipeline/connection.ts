/** Packets that go to the connection tracker (ovs-actions(7), "ct"). */
import { Unsupported } from '../../base/errors.js';
import { printActions, type CtAction } from '../../openflow/actions.js';
import { fieldsNamed } from '../../openflow/fields.js';
import { word } from '../../packet/flow-key.js';
import { track, type Tracked } from '../conntrack/tracker.js';
import { readSubfield, writeField } from '../keys.js';
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
  commit(packet);
  const onward = settled(packet);
  const frozen = ct.table === undefined ? undefined : { ...freeze(at, ct.table), packet: onward };
  if (frozen !== undefined) at.frozen = [];
  const flow = blame(at);
  at.isLasting = true;
  untrack(packet);
  at.datapath.push(() => {
    const answer = lookAtConnection(at, packet, onward, ct, zone);
    if (frozen === undefined) return;
    for (const [name, value] of [['ct_state', answer.state], ['ct_zone', zone], ['ct_mark', answer.connection?.mark ?? 0]] as const) {
      for (const field of fieldsNamed(name)) writeField(onward.key, field, BigInt(value), field.ones);
      at.passage.steps.push({ kind: 'write', ...flow, field: name });
    }
    const { nwSrc = 0, nwDst = 0, nwProto = 0, tpSrc = 0, tpDst = 0 } = answer.first ?? {};
    onward.key.set([nwSrc, nwDst], word.ctNwSrc);
    onward.key.set([nwProto, tpSrc, tpDst], word.ctNwProto);
    at.recirculate(frozen);
  });
}

/** What the tracker says of the packet, and what the flow makes of its connection. */
function lookAtConnection(at: Translation, packet: Packet, onward: Packet, ct: CtAction, zone: number): Tracked {
  const { node } = at.passage;
  const said = saidBefore(packet, onward, zone) ?? track(node.connections, onward.frame, onward.layout, onward.key, zone, node.nowMs, ct.commit);
  packet.tracked = onward.tracked = { said, key: onward.arrived };
  const { connection } = said;
  for (const action of ct.exec) {
    if (action.kind !== 'set' || action.field.name !== 'ct_mark') throw new Unsupported('the model only sets ct_mark in exec()');
    if (connection !== undefined) connection.mark = Number((BigInt(connection.mark) & ~(action.mask ?? action.field.ones)) | action.value);
  }
  return said;
}

/** In the zone of its connection a packet is not looked at again, unless its addresses or ports have changed. */
function saidBefore({ tracked }: Packet, { arrived }: Packet, zone: number): Tracked | undefined {
  const tuple = [word.nwSrc, word.nwDst, word.tpSrc, word.tpDst];
  return tracked?.said.connection?.zone === zone && tuple.every((field) => tracked.key[field] === arrived[field]) ? tracked.said : undefined;
}

/** The packet is one that the tracker has not seen. */
export function untrack({ key }: Packet): void {
  key.fill(0, word.ctState, word.pktMark);
}
