/**
 * Actions that change the packet at hand, its registers, and the stack (ovs-actions(7), "Field
 * Modification Actions", "Header Modification Actions").
 */
import { Unpredictable } from '../../base/errors/errors.js';
import type { Action, Subfield } from '../../openflow/actions/actions.js';
import { fieldCalled, type Field } from '../../openflow/match/fields.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import {
  fragment,
  isIp,
  isMpls,
  tagged,
  word,
  type FlowKey,
} from '../../packet/flow-key/flow-key.js';
import { hasField } from '../fields/has-field.js';
import { changeHeaders, setVlan, type HeaderChange } from '../fields/change-headers.js';
import { readField, readSubfield, writeField, writeSubfield } from '../fields/field-values.js';
import { checkRead, checkWrite } from '../fields/supported-fields.js';
import { setPresent } from '../fields/tunnel-options.js';
import type { Packet } from '../packet/packet.js';
import { chooseLink } from './actions/choose-link.js';
import { ttlExpired } from './xlate-controller.js';
import { failMpls } from './mpls-errors.js';
import type { XlateContext } from './xlate-context.js';
import { noteCommitted } from './odp-actions.js';
import { traceWrite } from './trace-steps.js';

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
export function xlateFieldAction(ctx: XlateContext, action: WriteAction): void {
  const { packet, stack } = ctx;
  const { key } = packet;
  switch (action.kind) {
    case 'set':
      return setField(ctx, action.field, action.value, action.mask ?? action.field.ones);
    case 'write_metadata':
      return setField(ctx, fieldCalled('metadata'), action.value, action.mask);
    case 'set_vlan':
      setVlan(packet, action);
      return traceWrite(ctx, 'vlan_tci');
    case 'set_port': {
      if (!isIp(key[word.ethType] ?? 0) || ((key[word.nwFrag] ?? 0) & fragment.later) !== 0) return;
      key[action.part === 'src' ? word.tpSrc : word.tpDst] = action.value;
      return traceWrite(ctx, `tp_${action.part}`);
    }
    case 'move':
      checkRead(action.source.field);
      checkWrite(action.destination.field);
      if (!hasField(key, action.source.field) || !hasField(key, action.destination.field)) return;
      writePart(ctx, action.destination, readSubfield(key, action.source));
      return traceWrite(ctx, action.destination.field.name);
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
      writePart(ctx, action.destination, top.value);
      return traceWrite(ctx, action.destination.field.name);
    }
    case 'multipath':
      checkWrite(action.destination.field);
      writePart(ctx, action.destination, BigInt(chooseLink(key, action)));
      return traceWrite(ctx, action.destination.field.name);
    case 'delete_field':
      setPresent(key, action.field, 'gone');
      return traceWrite(ctx, action.field.name);
  }
}

/** A part of a field, or all of it. @throws Unpredictable as `checkOtherBits` does. */
export function writePart({ packet }: XlateContext, destination: Subfield, value: bigint): void {
  const { field, offset, bits } = destination;
  writeSubfield(packet.key, destination, value);
  checkOtherBits(packet, field, ((1n << BigInt(bits)) - 1n) << BigInt(offset));
}

/**
 * @param mask the bits of the field that were written.
 * @throws Unpredictable for a part of nd_reserved while other bits are set: when it goes into the
 *   packet, those become zero that no flow on the way has written or read (lib/odp-execute.c,
 *   odp_set_nd_ext).
 */
function checkOtherBits({ key, baseKey }: Packet, field: Field, mask: bigint): void {
  if (
    field.name !== 'nd_reserved' ||
    !hasField(key, field) ||
    key[word.ndReserved] === baseKey[word.ndReserved]
  )
    return;
  if ((readField(key, field) & field.ones & ~mask) !== 0n)
    throw new Unpredictable(
      'the model does not know which bits of nd_reserved are left when some are written: Open ' +
        'vSwitch keeps those alone that flows on the way have read',
    );
}

function setField(ctx: XlateContext, field: Field, value: bigint, mask: bigint): void {
  checkWrite(field);
  if (!hasField(ctx.packet.key, field)) return;
  writeField(ctx.packet.key, field, value, mask);
  checkOtherBits(ctx.packet, field, mask);
  if (field.name === 'vlan_vid' && (value & BigInt(tagged)) !== 0n) ensureTag(ctx.packet.key);
  traceWrite(ctx, field.name);
}

/**
 * The number of a tag is set with the bit that says that there is one: without any, as in an action
 * set behind pop_vlan, one is pushed (lib/meta-flow.c, mf_set_flow_value).
 */
function ensureTag(key: FlowKey): void {
  key[word.vlanTci] = (key[word.vlanTci] ?? 0) | tagged;
  key[word.vlanTpid] ||= etherTypes.vlan;
}

/** A tag or a label more or less, or the label's TTL. */
export function xlateHeaderAction(ctx: XlateContext, action: HeaderChange): 'stop' | undefined {
  const { packet } = ctx;
  const isLabelled = isMpls(packet.key[word.ethType] ?? 0);
  const before = packet.baseKey;
  const result = changeHeaders(packet, action);
  noteCommitted(ctx, before);
  switch (result) {
    case 'done':
      traceWrite(ctx, action.kind);
      return undefined;
    case 'expired':
      return ttlExpired(ctx, `${action.kind} with no TTL left`, isLabelled ? [0] : []);
    case 'too many labels':
      failMpls(ctx, action.kind === 'pop_mpls' ? 'pop_mpls' : 'push_mpls');
      return undefined;
  }
}
