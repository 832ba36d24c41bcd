/** Packets that go to the connection tracker (ovs-actions(7), "ct"). */
import { Unsupported } from '../../base/errors.js';
import { printActions, type CtAction, type NatAction } from '../../openflow/actions.js';
import { fieldCalled, type Field } from '../../openflow/fields.js';
import type { Masked } from '../../openflow/values.js';
import { copyKey, word, type FlowKey } from '../../packet/flow-key.js';
import { ipProtocols } from '../../packet/ipv4.js';
import { trackedPacket } from '../conntrack/packet.js';
import { track, trackAgain, type Asked, type Tracked } from '../conntrack/tracker.js';
import { writeOriginal, type Tuple } from '../conntrack/tuple.js';
import { hasField } from '../has-field.js';
import { readField, readSubfield, writeField, writeSubfield } from '../keys.js';
import { checkRead } from '../known.js';
import { commit, settled, type Packet } from '../packet.js';
import { asCarried } from './carried.js';
import { freeze } from './freeze.js';
import { chooseTranslation } from './translation-choice.js';
import { blame, type Translation } from './translation.js';

/** The packet's changes go into its bytes; then it is untracked again: connection fields are for the packet that goes on in `table`. */
export function connectionTrack(at: Translation, ct: CtAction): void {
  if (ct.alg !== undefined) throw new Unsupported(`the model does not carry out ${printActions([ct])}`);
  if (typeof ct.zone !== 'number') checkRead(ct.zone.field);
  const zone = typeof ct.zone === 'number' ? ct.zone : Number(readSubfield(at.packet.key, ct.zone));
  const nat = ct.exec.findLast((action) => action.kind === 'nat');
  const asked: Asked = { zone, commits: ct.force ? 'by force' : ct.commit ? 'new connections' : 'nothing', ...(nat === undefined ? {} : { nat }) };
  const { packet } = at;
  const marks = marksOf(packet, ct);
  commit(packet);
  const settledPacket = settled(packet);
  const frozen = ct.table === undefined ? undefined : freeze(at, ct.table, settledPacket);
  if (frozen !== undefined) at.frozen = [];
  const flow = blame(at);
  at.isLasting = true;
  untrack(packet);
  at.datapath.push(() => {
    const { behaviour } = at.passage.node;
    const onward = asCarried(settledPacket, at.carried, behaviour);
    const said = lookAtConnection(at, onward, asked);
    setMarks(said, marks);
    const { becomes } = said;
    if (becomes !== undefined) {
      const change = { change: becomes, then: onward.arrived };
      Object.assign(onward, asCarried(onward, { changes: [change] }, behaviour));
      at.carried = { ...at.carried, changes: [...at.carried.changes, change] };
    }
    const tracked = { said, key: onward.arrived, holds: nat === undefined && said.connection !== undefined };
    at.carried = { ...at.carried, tracked };
    if (frozen === undefined) return;
    onward.key.set([said.state, zone, said.connection?.mark ?? 0], word.ctState);
    writeField(onward.key, labelField, said.connection?.label ?? 0n, labelField.ones);
    for (const field of ['ct_state', 'ct_zone', 'ct_mark', 'ct_label']) at.passage.steps.push({ kind: 'write', ...flow, field });
    writeOriginal(onward.key, said.original);
    at.recirculate({ ...frozen, packet: { ...onward, tracked } });
  });
}

/** What the tracker says of the packet: in the zone of its connection it is not looked at again, unless its addresses or ports have changed. */
function lookAtConnection(at: Translation, { frame, layout, arrived }: Packet, asked: Asked): Tracked {
  const { node } = at.passage;
  const { tracked } = at.carried;
  const isSame = tracked?.holds === true && tracked.said.zone === asked.zone && ofTuples.every((field) => tracked.key[field] === arrived[field]);
  if (isSame && asked.commits !== 'by force' && !isControl(arrived)) return trackAgain(tracked.said, asked.nat);
  const tracker = { connections: node.connections, nowMs: node.nowMs, behaviour: node.behaviour, translate: (original: Tuple, nat: NatAction) => chooseTranslation(node, original, nat) };
  return track(tracker, trackedPacket(frame, layout, arrived, asked.zone, node.behaviour), asked, tracked?.said);
}

const labelField = fieldCalled('ct_label');

/** What the flow makes of the packet's connection. */
function setMarks({ connection }: Tracked, { mark, label }: Marks): void {
  if (connection === undefined || (mark.mask | label.mask) === 0n) return;
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

/** Whether helpers would read it, were there any: FTP's and TFTP's own ports, whoever uses them (lib/conntrack.c, get_alg_ctl_type). */
function isControl(key: FlowKey): boolean {
  const [src, dst] = [key[word.tpSrc], key[word.tpDst]];
  return key[word.nwProto] === ipProtocols.tcp ? src === controlPorts.ftp || dst === controlPorts.ftp : key[word.nwProto] === ipProtocols.udp && dst === controlPorts.tftp;
}

const controlPorts = { ftp: 21, tftp: 69 } as const;

const ofTuples = [word.nwSrc, word.nwDst, word.tpSrc, word.tpDst, ...[word.ipv6Src, word.ipv6Dst].flatMap((first) => [0, 1, 2, 3].map((index) => first + index))];

/** The packet is one that the tracker has not seen: to the datapath as well, where the translation knew that it had. */
export function clearConnection(at: Translation): void {
  if (at.packet.key[word.ctState] !== 0) at.datapath.push(() => void (at.carried = { changes: at.carried.changes }));
  untrack(at.packet);
}

function untrack({ key }: Packet): void {
  key.fill(0, word.ctState, word.pktMark);
}
