/**
 * Translations that are frozen, and thawed with the packet reparsed ("freezing" and
 * "thawing" in ofproto-dpif-xlate.c).
 */
import { Unpredictable } from '../../base/errors/errors.js';
import type { Action } from '../../openflow/actions/actions.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { symmetricL3L4 } from '../fields/hash.js';
import { hash2words } from '../fields/murmur-hash.js';
import { copyOf, type Packet } from '../packet/packet.js';
import { reparsed } from '../packet/commit-packet.js';
import { asDatapathPacket } from './datapath/datapath-packet.js';
import { isControllerConnected, packetIn } from './xlate-controller.js';
import { meteredForController } from './actions/xlate-meter.js';
import type { XlateContext } from './xlate-context.js';
import { commitChanges, commitForController, putOdpAction } from './odp-actions.js';
import { answerByOvn, handedOverIn } from './answer-by-ovn.js';
import type { FreezeReason, Frozen, FrozenAction, ActionOrigin } from './frozen.js';

/**
 * What is left of a list of actions is kept for later. @param origins of actions that were kept
 * before; empty for those of a flow.
 */
export function freezeActions(
  ctx: XlateContext,
  actions: readonly Action[],
  origins: readonly ActionOrigin[],
): void {
  const found = unrollOrigins(ctx, actions, origins);
  const frozen = actions.map((action, index) => ({
    action: instructionAsAction(action),
    origin: found[index] ?? ctx.origin,
  }));
  ctx.frozenActions.push(
    ...frozen.filter(({ action }) => action.kind !== 'note' && action.kind !== 'conjunction'),
  );
}

/**
 * Where Open vSwitch keeps actions for a second time, it puts the place at which it stands in front
 * of the first one that asks for a place, behind the note of its own: that one, and those behind it
 * up to the next note, take it for theirs (ofproto-dpif-xlate.c, freeze_put_unroll_xlate).
 */
function unrollOrigins(
  { origin: here }: XlateContext,
  actions: readonly Action[],
  origins: readonly ActionOrigin[],
): readonly ActionOrigin[] {
  const first = actions.findIndex(needsUnrollXlate);
  const own = origins[first];
  if (own === undefined) return origins;
  const end = origins.findIndex(
    (place, index) =>
      index > first && needsUnrollXlate(actions[index]!) && !isSameOrigin(place, own),
  );
  return origins.map((place, index) =>
    index < first || (end >= 0 && index >= end)
      ? place
      : { ...place, table: here.table, cookie: here.cookie },
  );
}

function isSameOrigin(one: ActionOrigin, other: ActionOrigin): boolean {
  return one.table === other.table && one.cookie === other.cookie;
}

/**
 * What shows a controller its place, or depends on the table: only these find their table
 * again in a translation that was frozen (freeze_unroll_actions).
 */
export function needsUnrollXlate(action: Action): boolean {
  const unrolled: readonly Action['kind'][] = [
    'output',
    'output-field',
    'output-truncated',
    'group',
    'controller',
    'dec_ttl',
    'dec_mpls_ttl',
  ];
  return (
    unrolled.includes(action.kind) || (action.kind === 'resubmit' && action.table === undefined)
  );
}

/** Instructions become actions that do the same. */
function instructionAsAction(action: Action): Action {
  if (action.kind === 'goto') return { kind: 'resubmit', table: action.table, original: false };
  if (action.kind === 'write_metadata')
    return {
      kind: 'set',
      notation: 'set_field',
      field: fieldCalled('metadata'),
      value: action.value,
      mask: action.mask,
    };
  return action;
}

/**
 * The frozen translation continues after what was sent so far; the rest of this one continues
 * without it.
 */
export function finishFreezing(ctx: XlateContext): void {
  const { freezing } = ctx;
  if (freezing?.kind === 'pause') commitForController(ctx);
  else commitChanges(ctx);
  const frozen: Frozen = { ...freeze(ctx, 0), packet: copyOf(ctx.packet) };
  ctx.freezing = undefined;
  ctx.frozenActions = [];
  if (freezing?.kind === 'pause') return pause(ctx, freezing, frozen);
  if (freezing?.kind === 'hash') ctx.isIrreversible = true;
  putOdpAction(ctx, 'frozen', () => {
    const packet = asDatapathPacket(frozen.packet, ctx.packetState, ctx.frameRun.node.behaviour);
    ctx.recirculate({
      ...frozen,
      packet: freezing?.kind === 'hash' ? withDpHash(packet, freezing) : packet,
    });
  });
}

/**
 * A controller gets a packet-in, and resumes the packet once all else is done with it, unless it
 * keeps it.
 */
function pause(
  ctx: XlateContext,
  { action, origin }: Extract<FreezeReason, { readonly kind: 'pause' }>,
  frozen: Frozen,
): void {
  const isMetered = ctx.frameRun.node.behaviour.pausedPackets === 'are metered';
  const pass = meteredForController(ctx, action, origin.meters);
  const isConnected = isControllerConnected(ctx, action.id);
  const message = packetIn(ctx, action, action.reason, 'paused');
  const resumes =
    ctx.bridge.plan.controllers?.some(
      ({ id, paused }) => id === action.id && paused === 'resumed',
    ) ?? false;
  if (
    resumes &&
    frozen.actions.some(
      ({ action: { kind } }) =>
        kind === 'write_actions' || kind === 'clear_actions' || kind === 'meter',
    )
  )
    throw new Unpredictable(
      'Open vSwitch refuses to go on with a packet that waits in front of an instruction: it ' +
        'sends it in a form that it does not read',
    );
  // What is left comes back from it as that of a flow of cookie 0 (lib/ofp-packet.c,
  // ofputil_decode_packet_in_private).
  const remaining = frozen.actions.map(
    (each): FrozenAction => ({ ...each, origin: { ...each.origin, meters: 'not looked up' } }),
  );
  const rest =
    remaining.length > 0
      ? { cookie: 0n, actions: remaining }
      : { actions: [{ action: { kind: 'note', bytes: [] }, origin: ctx.origin } as const] };
  const at = handedOverIn(ctx);
  putOdpAction(ctx, 'controller', (behind) => {
    if ((isMetered && pass(behind) === 'dropped') || !isConnected) return;
    const packet = asDatapathPacket(frozen.packet, ctx.packetState, ctx.frameRun.node.behaviour);
    const handed = { userdata: action.userdata, packet, key: packet.key };
    if (answerByOvn(at, handed, { ...frozen, ...rest })) return;
    ctx.frameRun.packetIns.push({ ...message, frame: packet.frame });
    if (resumes) ctx.frameRun.resumed.push({ ...frozen, packet, ...rest });
  });
}

/**
 * Where a packet continues.
 * @throws Unsupported where there is an action set: unless more actions are left than it has, Open
 *   vSwitch 3.1 to 4.0 ends itself (an assertion in ofproto-dpif-rid.c, recirc_alloc_id__).
 */
export function freeze(
  { bridge, frozenActions, stack, actionSet, mirrored }: XlateContext,
  table: number,
): Omit<Frozen, 'packet'> {
  if (actionSet.length > 0)
    throw new Unpredictable(
      'the model does not follow a packet that is frozen with an action set: Open vSwitch ' +
        'may end itself by an assertion there',
    );
  return { bridge, table, actions: frozenActions, stack: [...stack], mirrored };
}

/**
 * The hash of the datapath's action HASH (lib/odp-execute.c); the one of addresses and ports is
 * taken when the packet arrives.
 */
function withDpHash(
  packet: Packet,
  { algorithm, basis }: Extract<FreezeReason, { readonly kind: 'hash' }>,
): Packet {
  const read = reparsed(packet);
  const copy = copyOf(packet);
  copy.key[word.dpHash] =
    algorithm === 'L4'
      ? hash2words(read.hash, basis)
      : symmetricL3L4(read.key, basis, 'without UDP ports');
  return copy;
}
