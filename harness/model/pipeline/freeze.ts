/**
 * Translations that are broken off, and taken up again with the packet read anew ("freezing" and
 * "thawing" in ofproto-dpif-xlate.c).
 */
import { Unpredictable } from '../../base/errors.js';
import type { Action } from '../../openflow/actions.js';
import { fieldCalled } from '../../openflow/fields.js';
import { word } from '../../packet/flow-key.js';
import { hash2words, symmetricL3L4 } from '../hash.js';
import { copyOf, handUp, settled, type Packet } from '../packet.js';
import { asCarried } from './carried.js';
import { listens, packetIn } from './controller.js';
import { meteredForController } from './meter.js';
import {
  commitChanges,
  leaveToDatapath,
  type Freezing,
  type Frozen,
  type FrozenAction,
  type Place,
  type Translation,
} from './translation.js';

/**
 * What is left of a list of actions is kept for later. @param places of actions that were kept
 * before; empty for those of a flow.
 */
export function keepForLater(
  at: Translation,
  actions: readonly Action[],
  places: readonly Place[],
): void {
  const found = placesAnew(at, actions, places);
  const kept = actions.map((action, index) => ({
    action: asAction(action),
    place: found[index] ?? at.place,
  }));
  at.frozen.push(
    ...kept.filter(({ action }) => action.kind !== 'note' && action.kind !== 'conjunction'),
  );
}

/**
 * Where Open vSwitch keeps actions for a second time, it puts the place at which it stands in front
 * of the first one that asks for a place, behind the note of its own: that one, and those behind it
 * up to the next note, take it for theirs (ofproto-dpif-xlate.c, freeze_put_unroll_xlate).
 */
function placesAnew(
  { place: here }: Translation,
  actions: readonly Action[],
  places: readonly Place[],
): readonly Place[] {
  const first = actions.findIndex(asksForPlace);
  const own = places[first];
  if (own === undefined) return places;
  const end = places.findIndex(
    (place, index) => index > first && asksForPlace(actions[index]!) && !isSamePlace(place, own),
  );
  return places.map((place, index) =>
    index < first || (end >= 0 && index >= end)
      ? place
      : { ...place, table: here.table, cookie: here.cookie },
  );
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.table === other.table && one.cookie === other.cookie;
}

/**
 * What tells a controller where it stands, or depends on the table: only these find their table
 * again in a translation that was broken off (freeze_unroll_actions).
 */
export function asksForPlace(action: Action): boolean {
  const telling: readonly Action['kind'][] = [
    'output',
    'output-field',
    'output-truncated',
    'group',
    'controller',
    'dec_ttl',
    'dec_mpls_ttl',
  ];
  return (
    telling.includes(action.kind) || (action.kind === 'resubmit' && action.table === undefined)
  );
}

/** Instructions become actions that do the same. */
function asAction(action: Action): Action {
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
 * The broken-off translation goes on behind what was sent so far; the rest of this one goes on
 * without it.
 */
export function finishFreezing(at: Translation): void {
  const { freezing } = at;
  commitChanges(at);
  if (freezing?.kind === 'pause') handUp(at.packet);
  const frozen: Frozen = { ...freeze(at, 0), packet: copyOf(at.packet) };
  at.freezing = undefined;
  at.frozen = [];
  if (freezing?.kind === 'pause') return pause(at, freezing, frozen);
  if (freezing?.kind === 'hash') at.isLasting = true;
  leaveToDatapath(at, 'put off', () => {
    const packet = asCarried(frozen.packet, at.carried, at.passage.node.behaviour);
    at.recirculate({
      ...frozen,
      packet: freezing?.kind === 'hash' ? hashed(packet, freezing) : packet,
    });
  });
}

/**
 * A controller is told, and resumes the packet once all else is done with it, unless it keeps it.
 */
function pause(
  at: Translation,
  { action, place }: Extract<Freezing, { readonly kind: 'pause' }>,
  frozen: Frozen,
): void {
  const isMetered = at.passage.node.behaviour.pausedPackets === 'are metered';
  const pass = meteredForController(at, action, place.meters);
  const isHeard = listens(at, action.id);
  const told = packetIn(at, action, action.reason, 'paused');
  const resumes =
    at.bridge.plan.controllers?.some(
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
        'tells of it in a form that it does not read',
    );
  // What is left comes back from it as that of a flow of cookie 0 (lib/ofp-packet.c,
  // ofputil_decode_packet_in_private).
  const left = frozen.actions.map(
    (each): FrozenAction => ({ ...each, place: { ...each.place, meters: 'not looked up' } }),
  );
  const rest =
    left.length > 0
      ? { cookie: 0n, actions: left }
      : { actions: [{ action: { kind: 'note', bytes: [] }, place: at.place } as const] };
  leaveToDatapath(at, 'controller', (behind) => {
    if ((isMetered && pass(behind) === 'dropped') || !isHeard) return;
    const packet = asCarried(frozen.packet, at.carried, at.passage.node.behaviour);
    at.passage.packetIns.push({ ...told, frame: packet.frame });
    if (resumes) at.passage.resumed.push({ ...frozen, packet, ...rest });
  });
}

/**
 * Where a packet goes on.
 * @throws Unsupported where there is an action set: unless more actions are left than it has, Open
 *   vSwitch 3.1 to 4.0 ends itself (an assertion in ofproto-dpif-rid.c, recirc_alloc_id__).
 */
export function freeze(
  { bridge, frozen, stack, actionSet, mirrored }: Translation,
  table: number,
): Omit<Frozen, 'packet'> {
  if (actionSet.length > 0)
    throw new Unpredictable(
      'the model does not follow a packet that is put off with an action set: Open vSwitch ' +
        'may end itself by an assertion there',
    );
  return { bridge, table, actions: frozen, stack: [...stack], mirrored };
}

/**
 * The hash of the datapath's action HASH (lib/odp-execute.c); the one of addresses and ports is
 * taken when the packet arrives.
 */
function hashed(
  packet: Packet,
  { algorithm, basis }: Extract<Freezing, { readonly kind: 'hash' }>,
): Packet {
  const read = settled(packet);
  const copy = copyOf(packet);
  copy.key[word.dpHash] =
    algorithm === 'L4'
      ? hash2words(read.hash, basis)
      : symmetricL3L4(read.key, basis, 'without UDP ports');
  return copy;
}
