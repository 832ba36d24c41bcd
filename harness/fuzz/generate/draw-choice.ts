/** Actions by which a hash of the packet chooses. */
import type { Random } from '../../base/random.js';
import {
  type Action,
  hashFields,
  bundleAlgorithms,
  multipathAlgorithms,
} from '../../openflow/actions/action.js';
import type { PacketKnowledge } from '../../openflow/actions/known-packet.js';
import { isExperimental } from '../../openflow/actions/parse-context.js';
import { portNumbers } from '../fuzz-network.js';
import type { ActionContext } from './action-context.js';
import { drawSubfield, writable } from './draw-subfield.js';
import { pick, times, chance } from './weighted.js';

/** What a hash of the packet chooses. */
export function drawChoice(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const destination = drawSubfield(
    random,
    writable(standing, around).filter((row) => !isExperimental(row)),
    16,
    64,
  );
  const [fields, basis] = [pick(random, hashFields), random.integer(0, 3)];
  const members = times(random.integer(1, 3), () => pick(random, [...portNumbers, 9]));
  if (destination === undefined || chance(random, 40))
    return { kind: 'bundle', fields, basis, algorithm: pick(random, bundleAlgorithms), members };
  if (chance(random, 40))
    return {
      kind: 'bundle',
      fields,
      basis,
      algorithm: pick(random, bundleAlgorithms),
      members,
      destination,
    };
  return {
    kind: 'multipath',
    fields,
    basis,
    algorithm: pick(random, multipathAlgorithms),
    links: random.integer(1, 5),
    argument: random.integer(0, 3),
    destination,
  };
}
