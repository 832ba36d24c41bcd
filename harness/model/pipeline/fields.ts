/**
 * Actions that change the packet at hand, its registers, and the stack (ovs-actions(7), "Field
 * Modification Actions", "Header Modification Actions").
 */
import { Unpredictable } from '../../base/errors.js';
import type { Action, Subfield } from '../../openflow/actions.js';
import { fieldCalled, type Field } from '../../openflow/fields.js';
import { etherTypes } from '../../packet/ethernet.js';
import { fragment, isIp, isMpls, tagged, word, type FlowKey } from '../../packet/flow-key.js';
import { hasField } from '../has-field.js';
import { changeHeaders, setVlan, type HeaderChange } from '../headers.js';
import { readField, readSubfield, writeField, writeSubfield } from '../keys.js';
import { checkRead, checkWrite } from '../known.js';
import { setThere } from '../options.js';
import type { Packet } from '../packet.js';
import { chooseLink } from './choices.js';
import { expire } from './controller.js';
import { failOnLabels } from './labels.js';
import { noteWrite, type Translation } from './translation.js';

export type WriteAction = Extract<
  Action,
  {
    readonly kind:
      | 'set'
      | 'set_vlan'
      | 'set_port'
      | 'move'
      | 'push'
      | 'pop'
      | 'delete_field'
      | 'write_metadata'
      | 'multipath';
  }
>;

/** What is written to a field that the packet does not have is lost. */
export function write(at: Translation, action: WriteAction): void {
  const { packet, stack } = at;
  const { key } = packet;
  switch (action.kind) {
    case 'set':
      return set(at, action.field, action.value, action.mask ?? action.field.ones);
    case 'write_metadata':
      return set(at, fieldCalled('metadata'), action.value, action.mask);
    case 'set_vlan':
      setVlan(packet, action);
      return noteWrite(at, 'vlan_tci');
    case 'set_port': {
      if (!isIp(key[word.ethType] ?? 0) || ((key[word.nwFrag] ?? 0) & fragment.later) !== 0) return;
      key[action.part === 'src' ? word.tpSrc : word.tpDst] = action.value;
      return noteWrite(at, `tp_${action.part}`);
    }
    case 'move':
      checkRead(action.source.field);
      checkWrite(action.destination.field);
      if (!hasField(key, action.source.field) || !hasField(key, action.destination.field)) return;
      writePart(at, action.destination, readSubfield(key, action.source));
      return noteWrite(at, action.destination.field.name);
    case 'push':
      checkRead(action.source.field);
      stack.push({
        value: readSubfield(key, action.source),
        bytes: Math.ceil(action.source.bits / 8),
      });
      return;
    case 'pop': {
      checkWrite(action.destination.field);
      const top = stack.pop();
      if (top === undefined) return;
      writePart(at, action.destination, top.value);
      return noteWrite(at, action.destination.field.name);
    }
    case 'multipath':
      checkWrite(action.destination.field);
      writePart(at, action.destination, BigInt(chooseLink(key, action)));
      return noteWrite(at, action.destination.field.name);
    case 'delete_field':
      setThere(key, action.field, 'gone');
      return noteWrite(at, action.field.name);
  }
}

/** A part of a field, or all of it. @throws Unpredictable as `checkOtherBits` does. */
export function writePart({ packet }: Translation, destination: Subfield, value: bigint): void {
  const { field, offset, bits } = destination;
  writeSubfield(packet.key, destination, value);
  checkOtherBits(packet, field, ((1n << BigInt(bits)) - 1n) << BigInt(offset));
}

/**
 * @param mask the bits of the field that were written.
 * @throws Unpredictable for a part of nd_reserved while other bits are set: when it goes into the
 *   packet, those become zero that no flow on the way has written or looked at (lib/odp-execute.c,
 *   odp_set_nd_ext).
 */
function checkOtherBits({ key, arrived }: Packet, field: Field, mask: bigint): void {
  if (
    field.name !== 'nd_reserved' ||
    !hasField(key, field) ||
    key[word.ndReserved] === arrived[word.ndReserved]
  )
    return;
  if ((readField(key, field) & field.ones & ~mask) !== 0n)
    throw new Unpredictable(
      'the model does not know which bits of nd_reserved are left when some are written: Open ' +
        'vSwitch keeps those alone that flows on the way have looked at',
    );
}

function set(at: Translation, field: Field, value: bigint, mask: bigint): void {
  checkWrite(field);
  if (!hasField(at.packet.key, field)) return;
  writeField(at.packet.key, field, value, mask);
  checkOtherBits(at.packet, field, mask);
  if (field.name === 'vlan_vid' && (value & BigInt(tagged)) !== 0n) tagThere(at.packet.key);
  noteWrite(at, field.name);
}

/**
 * The number of a tag is set with the bit that says that there is one: without any, as in an action
 * set behind pop_vlan, one is pushed (lib/meta-flow.c, mf_set_flow_value).
 */
function tagThere(key: FlowKey): void {
  key[word.vlanTci] = (key[word.vlanTci] ?? 0) | tagged;
  key[word.vlanTpid] ||= etherTypes.vlan;
}

/** A tag or a label more or less, or the label's TTL. */
export function header(at: Translation, action: HeaderChange): 'stop' | undefined {
  const { packet } = at;
  const isLabelled = isMpls(packet.key[word.ethType] ?? 0);
  switch (changeHeaders(packet, action)) {
    case 'done':
      noteWrite(at, action.kind);
      return undefined;
    case 'expired':
      return expire(at, `${action.kind} with no TTL left`, isLabelled ? [0] : []);
    case 'too many labels':
      failOnLabels(at, action.kind === 'pop_mpls' ? 'pop_mpls' : 'push_mpls');
      return undefined;
  }
}
