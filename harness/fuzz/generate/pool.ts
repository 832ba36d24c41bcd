/** What the flows and frames of one case have in common: few fields and few values, so that flows and packets meet. */
import type { Random } from '../../base/random.js';
import { anyFrame } from '../../model/arbitrary-frame.js';
import { protocolContexts, someBits } from '../../model/arbitrary-match.js';
import { readField } from '../../model/keys.js';
import { fieldCalled, fields, type Field } from '../../openflow/fields.js';
import type { Match } from '../../openflow/match.js';
import { reservedPorts } from '../../openflow/ports.js';
import { allowsField } from '../../openflow/prerequisites.js';
import type { Masked } from '../../openflow/values.js';
import { extract } from '../../packet/extract/extract.js';
import { keyWords, word } from '../../packet/flow-key.js';
import { portNumbers } from '../case.js';
import { chance, pick, some, times } from './draw.js';

export interface Pool {
  /** What the frames of the case are made from. */
  readonly frames: readonly Uint8Array[];
  /** What decides the fields of packets, for the kinds of packets that there are; the empty match is one. */
  readonly kinds: readonly Match[];
  /** Fields of packets. */
  readonly packet: readonly Field[];
  /** Registers and other metadata, with rows that are second names of others: for actions only. */
  readonly scratch: readonly Field[];
  /** Numbers for fields that frames have none for. */
  readonly numbers: readonly bigint[];
}

const packetFields = fields.filter((row) => row.word >= word.ethSrc && !['eth_type', 'nw_proto', 'dl_vlan', 'dl_vlan_pcp'].includes(row.name));
const metadata = fields.filter(({ name }) => /^(metadata|pkt_mark|in_port|tun_(id|src|dst|ipv6_src|ipv6_dst|gbp_id|gbp_flags|erspan_ver|flags)|ct_state|ct_zone|ct_mark|ct_label|actset_output)$/.test(name));
/** Groups of four registers that are one xxreg; those above reg15 came later than some versions. */
const registerGroups = 4;

export function drawPool(random: Random): Pool {
  const frames = times(random.integer(2, 5), () => anyFrame(random));
  const kinds = [[], ...protocolContexts.filter((kind) => kind.length > 0 && (frames.some((frame) => isOf(kind, frame)) || chance(random, 3)))];
  const special = packetFields.filter((row) => row.prerequisite !== 'none' && row.prerequisite !== 'ethernet' && kinds.some((kind) => allowsField(kind, row)));
  const general = packetFields.filter(({ prerequisite }) => prerequisite === 'ethernet');
  return {
    frames, kinds,
    packet: [...some(random, special, 6), ...some(random, general, 2)],
    scratch: [...registers(random.integer(0, registerGroups - 1)), ...some(random, metadata, 3)],
    numbers: [1n, 2n, BigInt(random.integer(0, 7)), someBits(random, 32), someBits(random, 32), 0xffffffffn],
  };
}

function registers(group: number): readonly Field[] {
  const named = (kind: string, count: number) => times(count, (index) => fieldCalled(`${kind}${group * count + index}`));
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
  if (row.notation === 'port') return BigInt(pick(random, row.name === 'actset_output' ? [...portNumbers, reservedPorts.UNSET] : portNumbers));
  if (row.word >= word.ethSrc && chance(random, 75)) return presentTag(row, valueIn(pick(random, frames), row));
  if (chance(random, 10)) return presentTag(row, pick(random, [0n, row.ones]));
  const value = times(Math.ceil(row.bits / 32), () => pick(random, numbers)).reduce((high, number) => (high << 32n) | number, 0n);
  return presentTag(row, value & row.ones);
}

/** That there is a tag is told by a bit of its own. Open vSwitch takes operation 255 of ARP for any, and loses what such flows count. */
function presentTag({ name }: Field, value: bigint): bigint {
  if (name === 'arp_op' && value === 255n) return 1n;
  return (name === 'vlan_tci' || name === 'vlan_vid') && value !== 0n ? value | 0x1000n : value;
}

/** All bits, a run of them, one, or any. */
export function drawMask(random: Random, row: Field): bigint {
  if (!row.maskable || chance(random, 55)) return row.ones;
  const offset = random.integer(0, row.bits - 1);
  const bits = random.integer(1, row.bits - offset);
  const mask = pick(random, [((1n << BigInt(bits)) - 1n) << BigInt(offset), 1n << BigInt(offset), row.ones & ~((1n << BigInt(offset)) - 1n), someBits(random, row.bits)]) & row.ones;
  // A mask of IPv6 that begins with a digit is read as a length.
  return row.notation === 'ipv6' ? mask | (0xfn << 124n) : mask === 0n ? row.ones : mask;
}

const fragments = [[0n, 3n], [1n, 1n], [1n, 3n], [3n, 3n], [0n, 2n]].map(([value = 0n, mask = 0n]) => ({ value, mask }));
const tagMasks = [0x1fffn, 0x1000n, 0xf000n, 0xffffn];

/** What a match may say about the field. */
export function drawMasked(random: Random, pool: Pool, row: Field): Masked {
  if (row.notation === 'fragment') return pick(random, fragments);
  const value = drawValue(random, pool, row);
  if (row.notation === 'unmasked decimal' || row.notation === 'unmasked hex') return { value: row.zeroIsLost && value === 0n ? 1n : value, mask: row.ones };
  const mask = row.name === 'vlan_tci' ? pick(random, tagMasks) : drawMask(random, row);
  // What was never tracked has zeros there.
  return { value: row.name.startsWith('ct_') ? 0n : value & mask, mask };
}
