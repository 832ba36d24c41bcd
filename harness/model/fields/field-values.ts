/**
 * Fields of the flow key as numbers of any width: the bridge between the field table and the key's
 * words.
 */
import { keyWords, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { Subfield } from '../../openflow/actions/actions.js';
import { wordsOf, type Field } from '../../openflow/match/fields.js';
import type { Match } from '../../openflow/match/match.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { setPresent } from './tunnel-options.js';

/**
 * Fields that Open vSwitch matches and writes, but reads as zero (lib/meta-flow.c, mf_get_value):
 * where only some bits are written, the others become zero.
 */
const readAsZero: ReadonlySet<string> = new Set(['nd_options_type']);

/** Bits that the field does not have, as ECN beside nw_tos, read as zero. */
export function readField(key: FlowKey, field: Field): bigint {
  if (readAsZero.has(field.name)) return 0n;
  if (isWidePort(field)) return BigInt(widePort(key[field.word] ?? 0));
  if (field.shift === 0 && field.bits <= 32) return BigInt(key[field.word] ?? 0) & field.ones;
  return (readWords(key, field) >> BigInt(field.shift)) & field.ones;
}

function readWords(key: FlowKey, field: Field): bigint {
  let value = 0n;
  for (let index = 0; index < wordsOf(field); index++)
    value = (value << 32n) | BigInt(key[field.word + index] ?? 0);
  return value;
}

/**
 * The bits of `mask` take those of `value`; the others stay, and so do those that the field does
 * not have.
 */
export function writeField(key: FlowKey, field: Field, value: bigint, mask: bigint): void {
  const shift = BigInt(field.shift);
  if (isWidePort(field)) {
    key[field.word] = narrowPort(Number((readField(key, field) & ~mask) | (value & mask)));
    return;
  }
  if (field.notation === 'option') setPresent(key, field, 'there');
  const isReadAsZero = readAsZero.has(field.name);
  let bits = (isReadAsZero ? field.ones : mask & field.ones) << shift;
  let shifted = (isReadAsZero ? value & mask : value) << shift;
  for (let place = field.word + wordsOf(field) - 1; place >= field.word; place--) {
    const some = Number(BigInt.asIntN(32, bits));
    if (some !== 0)
      key[place] = ((key[place] ?? 0) & ~some) | (Number(BigInt.asIntN(32, shifted)) & some);
    bits >>= 32n;
    shifted >>= 32n;
  }
}

/**
 * Ports have 16 bits in the key, and 32 where OpenFlow 1.1 and later number them: its reserved ones
 * end at 0xffffffff, not at 0xffff.
 */
function isWidePort({ notation, bits }: Field): boolean {
  return notation === 'port' && bits === 32;
}

const firstReserved = 0xff00;

function widePort(port: number): number {
  return port < firstReserved ? port : port + 0xffff0000;
}

/** The port that is none for a number of neither. */
function narrowPort(port: number): number {
  if (port < firstReserved) return port;
  return port >= 0xffff0000 + firstReserved ? port - 0xffff0000 : reservedPorts.ANY;
}

export function readSubfield(key: FlowKey, { field, offset, bits }: Subfield): bigint {
  return (readField(key, field) >> BigInt(offset)) & ((1n << BigInt(bits)) - 1n);
}

export function writeSubfield(
  key: FlowKey,
  { field, offset, bits }: Subfield,
  value: bigint,
): void {
  const ones = (1n << BigInt(bits)) - 1n;
  writeField(key, field, (value & ones) << BigInt(offset), ones << BigInt(offset));
}

/**
 * The key that a match of whole fields describes, all else zero: what `ofproto/trace` takes for a
 * packet. Bits that are not matched are zero.
 */
export function keyOf(match: Match): FlowKey {
  const key = new Uint32Array(keyWords);
  for (const { field, value, mask } of match) writeField(key, field, value, mask);
  return key;
}

/**
 * The bits of a match that count: of ERSPAN and GTP-U Open vSwitch takes the value for the mask
 * (lib/match.c, match_set_tun_erspan_ver_masked).
 */
export function maskOf({ name, zeroIsLost }: Field, value: bigint, mask: bigint): bigint {
  return zeroIsLost && name.startsWith('tun_') ? value : mask;
}
