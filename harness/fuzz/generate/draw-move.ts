/** Actions that copy bits of fields: between two, to the stack and from it. */
import type { Random } from '../../base/random.js';
import type { Action } from '../../openflow/actions/action.js';
import type { PacketKnowledge } from '../../openflow/actions/known-packet.js';
import type { ActionContext } from './action-context.js';
import { drawSubfield, writable, present } from './draw-subfield.js';

export function drawMove(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const destination = drawSubfield(random, writable(standing, around), 1, 128);
  if (destination === undefined) return undefined;
  const source = drawSubfield(random, present(standing, around), 1, destination.bits);
  return source === undefined
    ? undefined
    : { kind: 'move', source, destination: { ...destination, bits: source.bits } };
}

export function drawPush(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const source = drawSubfield(random, present(standing, around), 1, 128);
  return source === undefined ? undefined : { kind: 'push', source };
}

export function drawPop(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const destination = drawSubfield(random, writable(standing, around), 1, 128);
  return destination === undefined ? undefined : { kind: 'pop', destination };
}
