/** Fields, and runs of their bits, that packets have. */
import type { Subfield } from '../../openflow/actions/action.js';
import type { Random } from '../../base/random.js';
import type { PacketKnowledge } from '../../openflow/actions/known-packet.js';
import type { Field } from '../../openflow/match/fields.js';
import { allowsField } from '../../openflow/match/prerequisites.js';
import type { ActionContext } from './action-context.js';
import { pick, chance } from './weighted.js';
import { asTabled } from './draw-pool.js';

/** Fields that packets have here, those of the pool more often. */
export function present(
  { match, tags }: PacketKnowledge,
  { pool }: ActionContext,
): readonly Field[] {
  return [...pool.packet, ...pool.scratch].filter(
    (row) =>
      allowsField(match, row) &&
      row.name !== 'actset_output' &&
      (tags > 0 || (row.name !== 'vlan_pcp' && row.name !== 'vlan_vid')),
  );
}

export function writable(standing: PacketKnowledge, around: ActionContext): readonly Field[] {
  return present(standing, around).filter((row) => row.writable === 'anywhere');
}

export function drawSubfield(
  random: Random,
  rows: readonly Field[],
  least: number,
  most: number,
): Subfield | undefined {
  const fitting = rows.filter(({ bits }) => bits >= least);
  if (fitting.length === 0) return undefined;
  const field = pick(random, fitting);
  const bits = chance(random, 50)
    ? Math.min(field.bits, most)
    : random.integer(least, Math.min(field.bits, most));
  return { field: asTabled(field), offset: random.integer(0, field.bits - bits), bits };
}
