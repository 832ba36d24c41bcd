/** Actions that write values into fields. */
import type { Random } from '../../base/random.js';
import type { Action } from '../../openflow/actions/action.js';
import type { PacketKnowledge } from '../../openflow/actions/known-packet.js';
import { fieldCalled, type Field } from '../../openflow/match/fields.js';
import type { ActionContext } from './action-context.js';
import { isExperimental } from '../../openflow/actions/parse-context.js';
import { asTabled, drawMask, drawValue, type Pool } from './draw-pool.js';
import { writable } from './draw-subfield.js';
import { chance, pick } from './weighted.js';

export function drawSet(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const rows = writable(standing, around);
  if (rows.length === 0) return undefined;
  return setOf(random, pick(random, rows), around.pool);
}

/** A run of bits of a field that takes no mask. */
function setPart(random: Random, row: Field, value: bigint): Action {
  const bits = random.integer(1, row.bits);
  const mask =
    (((1n << BigInt(bits)) - 1n) << BigInt(random.integer(0, row.bits - bits))) & row.ones;
  return {
    kind: 'set',
    notation: 'set_field',
    field: row,
    value: value & mask,
    ...(mask === row.ones || mask === 0n ? {} : { mask }),
  };
}

export function drawWriteMetadata(random: Random, { pool }: ActionContext): Action {
  const row = fieldCalled('metadata');
  const mask = drawMask(random, row);
  return { kind: 'write_metadata', value: drawValue(random, pool, row) & mask, mask };
}

export function drawSetPort(random: Random): Action {
  return {
    kind: 'set_port',
    part: pick(random, ['src', 'dst'] as const),
    value: random.integer(0, 0xffff),
  };
}

/** A value of the pool for the field, or for some of its bits. */
export function setOf(random: Random, row: Field, pool: Pool): Action {
  const set = (value: bigint, mask = row.ones): Action => ({
    kind: 'set',
    notation: 'set_field',
    field: asTabled(row),
    value: value & (row.name === 'vlan_vid' ? 0x1fffn : mask),
    ...(mask === row.ones || row.name === 'vlan_vid' ? {} : { mask }),
  });
  const value = drawValue(random, pool, row);
  if (row.name === 'vlan_vid') return set(value | 0x1000n);
  if (row.notation === 'port' || row.notation === 'flags' || isExperimental(row)) return set(value);
  if (row.maskable) return set(value, drawMask(random, row));
  return chance(random, 70) ? set(value) : setPart(random, row, value);
}
