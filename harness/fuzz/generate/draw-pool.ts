/**
 * What the flows and frames of one case have in common: few fields and few values, so that flows
 * and packets meet.
 */
import type { Random } from '../../base/random.js';
import { anyFrame } from '../../model/testkit/arbitrary-frame.js';
import { protocolContexts, someBits } from '../../model/testkit/arbitrary-match.js';
import { readField } from '../../model/fields/field-values.js';
import type { Behaviour } from '../../model/behaviour.js';
import { fieldCalled, fields, type Field } from '../../openflow/match/fields.js';
import type { Match } from '../../openflow/match/match.js';
import type { FieldMatch } from '../../openflow/match/field-match.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { allowsField } from '../../openflow/match/prerequisites.js';
import type { Masked } from '../../openflow/match/masked.js';
import { extract } from '../../packet/flow-key/extract/extract.js';
import { keyWords, word } from '../../packet/flow-key/flow-key.js';
import { tunnelFields } from '../fuzz-case.js';
import { portNumbers } from '../fuzz-network.js';
import { chance, pick, some, times } from './weighted.js';

export interface Pool {
  /** What the frames of the case are made from. */
  readonly frames: readonly Uint8Array[];
  /**
   * What decides the fields of packets, for the kinds of packets that there are; the empty match is
   * one.
   */
  readonly kinds: readonly Match[];
  /** Fields of packets. */
  readonly packet: readonly Field[];
  /**
   * Registers and other metadata, with rows that are second names of others: for actions only.
   * Options of tunnels in their own widths.
   */
  readonly scratch: readonly Field[];
  /** Numbers for fields that frames have none for. */
  readonly numbers: readonly bigint[];
}

const packetFields = fields.filter(
  (row) =>
    row.word >= word.ethSrc &&
    !['eth_type', 'nw_proto', 'dl_vlan', 'dl_vlan_pcp'].includes(row.name),
);
const metadata = fields.filter(({ name }) =>
  /^(metadata|pkt_mark|in_port|tun_(id|src|dst|ipv6_src|ipv6_dst|gbp_id|gbp_flags|erspan_ver|flags)|ct_state|ct_zone|ct_mark|ct_label|actset_output)$/.test(
    name,
  ),
);
/** Registers that are one xxreg. */
const registersAGroup = 4;
/** As many as the newest version has. */
const mostGroups = 8;

export function drawPool(random: Random, { registers: known }: Pick<Behaviour, 'registers'>): Pool {
  const frames = times(random.integer(2, 5), () => anyFrame(random));
  const kinds = [
    [],
    ...protocolContexts.filter(
      (kind) => kind.length > 0 && (frames.some((frame) => isOf(kind, frame)) || chance(random, 3)),
    ),
  ];
  const special = packetFields.filter(
    (row) =>
      row.prerequisite !== 'none' &&
      row.prerequisite !== 'ethernet' &&
      kinds.some((kind) => allowsField(kind, row)),
  );
  const general = packetFields.filter(({ prerequisite }) => prerequisite === 'ethernet');
  return {
    frames,
    kinds,
    packet: [...some(random, special, 6), ...some(random, general, 2)],
    scratch: [
      ...registers(random.integer(0, mostGroups - 1) % (known / registersAGroup)),
      ...some(random, [...metadata, ...tunnelFields], 3),
    ],
    numbers: [
      1n,
      2n,
      BigInt(random.integer(0, 7)),
      someBits(random, 32),
      someBits(random, 32),
      0xffffffffn,
    ],
  };
}

function registers(group: number): readonly Field[] {
  const named = (kind: string, count: number) =>
    times(count, (index) => fieldCalled(`${kind}${group * count + index}`));
  return [...named('reg', 4), ...named('xreg', 2), ...named('xxreg', 1)];
}

function isOf(kind: Match, frame: Uint8Array): boolean {
  return kind.every(({ field, value }) => valueIn(frame, field) === value);
}

function valueIn(frame: Uint8Array, row: Field): bigint {
  const key = new Uint32Array(keyWords);
  extract(frame, key);
  return readField(key, row);
}

/** A value that a frame has in the field more often than not, or one of the pool's numbers. */
export function drawValue(random: Random, { frames, numbers }: Pool, row: Field): bigint {
  if (row.notation === 'port')
    return BigInt(
      pick(
        random,
        row.name === 'actset_output' ? [...portNumbers, reservedPorts.UNSET] : portNumbers,
      ),
    );
  if (row.word >= word.ethSrc && chance(random, 75))
    return presentTag(row, valueIn(pick(random, frames), row));
  if (chance(random, 10)) return presentTag(row, pick(random, [0n, row.ones]));
  const value = times(Math.ceil(row.bits / 32), () => pick(random, numbers)).reduce(
    (high, number) => (high << 32n) | number,
    0n,
  );
  return presentTag(row, value & row.ones);
}

/**
 * A bit of its own says that there is a tag. Open vSwitch takes operation 255 of ARP for any,
 * and loses what such flows count.
 */
function presentTag({ name }: Field, value: bigint): bigint {
  if (name === 'arp_op' && value === 255n) return 1n;
  return (name === 'vlan_tci' || name === 'vlan_vid') && value !== 0n ? value | 0x1000n : value;
}

/** All bits, a run of them, one, or any. */
export function drawMask(random: Random, row: Field): bigint {
  return !row.maskable || chance(random, 55) ? row.ones : drawPart(random, row);
}

/** Not always less than all bits. */
function drawPart(random: Random, row: Field): bigint {
  if (row.notation === 'option') return drawOptionMask(random, row);
  const offset = random.integer(0, row.bits - 1);
  const bits = random.integer(1, row.bits - offset);
  const mask =
    pick(random, [
      ((1n << BigInt(bits)) - 1n) << BigInt(offset),
      1n << BigInt(offset),
      row.ones & ~((1n << BigInt(offset)) - 1n),
      someBits(random, row.bits),
    ]) & row.ones;
  // A mask of IPv6 that begins with a digit is read as a length.
  return row.notation === 'ipv6' ? mask | (0xfn << 124n) : mask === 0n ? row.ones : mask;
}

/** ovs-ofctl takes a mask of nothing but whole bytes for no mask. */
function drawOptionMask(random: Random, { bits }: Field): bigint {
  const below = 8 * random.integer(0, bits / 8 - 1);
  return (BigInt(random.integer(1, 0xfe)) << BigInt(below)) | someBits(random, below);
}

const fragments = [
  [0n, 3n],
  [1n, 1n],
  [1n, 3n],
  [3n, 3n],
  [0n, 2n],
].map(([value = 0n, mask = 0n]) => ({ value, mask }));
const tagMasks = [0x1fffn, 0x1000n, 0xf000n, 0xffffn];

/** What a match may say about the field: something about all of it, or what falls out. */
export function drawMasked(random: Random, pool: Pool, row: Field): Masked {
  if (row.notation === 'fragment') return pick(random, fragments);
  const value = drawValue(random, pool, row);
  const mask = row.notation.startsWith('unmasked')
    ? row.ones
    : row.name === 'vlan_tci'
      ? pick(random, tagMasks)
      : drawMask(random, row);
  return masked(row, value, mask);
}

/** The same about all of the field, or about less, where there is less. */
export function drawMaskedAs(
  random: Random,
  pool: Pool,
  row: Field,
  how: 'exactly' | 'masked',
): Masked {
  const value = drawValue(random, pool, row);
  if (how === 'exactly') return masked(row, value, row.ones);
  if (row.notation === 'fragment') return pick(random, fragments);
  if (row.name === 'vlan_tci')
    return masked(
      row,
      value,
      pick(
        random,
        tagMasks.filter((mask) => mask !== row.ones),
      ),
    );
  for (;;) {
    const mask = drawPart(random, row);
    if (mask !== row.ones) return masked(row, value, mask);
  }
}

function masked(row: Field, value: bigint, mask: bigint): Masked {
  // What was never tracked has zeros there.
  const kept = row.name.startsWith('ct_') ? 0n : value & mask;
  return { value: row.zeroIsLost && kept === 0n ? mask & -mask : kept, mask };
}

/**
 * A match on a field as the field table has it: there an option of a tunnel has room for the
 * widest.
 */
export function matchOn(row: Field, { value, mask }: Masked): FieldMatch {
  const field = asTabled(row);
  return { field, value, mask: mask === row.ones ? field.ones : mask };
}

export function asTabled(row: Field): Field {
  return row.notation === 'option' ? fieldCalled(row.name) : row;
}
