/** Actions that send packets on: to ports, queues, groups and controllers. */
import type { Random } from '../../base/random.js';
import { packetInReasons, type Action } from '../../openflow/actions/action.js';
import type { PacketKnowledge } from '../../openflow/actions/known-packet.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { controllerIds, meterIds, portNumbers } from '../fuzz-network.js';
import { drawSubfield, present } from './draw-subfield.js';
import type { ActionContext } from './action-context.js';
import { weighted, pick, times, chance } from './weighted.js';

export function drawOutput(random: Random): Action {
  const { IN_PORT, LOCAL, ALL, FLOOD, NORMAL } = reservedPorts;
  const port = weighted(random, [
    [12, () => pick(random, portNumbers)],
    [2, () => IN_PORT],
    [2, () => LOCAL],
    [1, () => ALL],
    [1, () => FLOOD],
    [1, () => NORMAL],
    [1, () => 9],
  ])();
  return { kind: 'output', port };
}

export function drawOutputField(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const source = drawSubfield(random, present(standing, around), 1, 64);
  return source === undefined ? undefined : { kind: 'output-field', source };
}

export function drawTruncated(random: Random): Action {
  return {
    kind: 'output-truncated',
    port: pick(random, [...portNumbers, reservedPorts.IN_PORT]),
    maxLength: random.integer(14, 80),
  };
}

export function drawQueue(random: Random): Action {
  return pick<Action>(random, [
    { kind: 'set_queue', queue: random.integer(0, 2) },
    { kind: 'pop_queue' },
    { kind: 'enqueue', port: pick(random, portNumbers), queue: random.integer(0, 2) },
  ]);
}

export function drawController(random: Random): Action {
  const maxLength = pick(random, [0, 20, 65535]);
  if (chance(random, 40))
    return { kind: 'controller', maxLength, id: 0, reason: 'action', userdata: [], pause: false };
  return {
    kind: 'controller',
    maxLength,
    id: pick(random, [...controllerIds, 9]),
    reason: pick(random, packetInReasons),
    userdata: times(random.integer(0, 3), () => random.integer(0, 255)),
    pause: chance(random, 20),
  };
}

export function drawGroup(
  random: Random,
  _standing: PacketKnowledge,
  { groups }: ActionContext,
): Action | undefined {
  return groups.length === 0 ? undefined : { kind: 'group', group: pick(random, groups) };
}

export function drawMeter(random: Random): Action {
  return { kind: 'meter', meter: pick(random, meterIds) };
}
