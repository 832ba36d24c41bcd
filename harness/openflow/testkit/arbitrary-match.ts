/**
 * For tests: any match and any attributes of a flow, as the data that parsing makes of their
 * canonical text.
 */
import fc from 'fast-check';
import { flowFlags, type Attributes } from '../flows/flow-attributes.js';
import { ctStateBits, fieldCalled, fields, type Field } from '../match/fields.js';
import type { TlvMap } from '../syntax/form.js';
import type { Match } from '../match/match.js';
import type { FieldMatch } from '../match/field-match.js';
import { reservedPorts } from '../syntax/ports.js';
import { allowsField } from '../match/prerequisites.js';
import type { Masked } from '../match/masked.js';

/** The options that tun_metadataN stands for in these matches; the others have none. */
export const tunnelOptions: TlvMap = new Map([
  [0, { class: 0xffff, type: 0, bytes: 4 }],
  [1, { class: 0xffff, type: 1, bytes: 8 }],
  [2, { class: 0x102, type: 0x80, bytes: 4 }],
  [63, { class: 0xffff, type: 3, bytes: 124 }],
]);

/** Numbers that ports may have, and a reserved one that may be matched and set. */
export const port = fc.oneof(
  fc.integer({ min: 1, max: 4 }),
  fc.integer({ min: 1, max: 0xfeff }),
  fc.constant(reservedPorts.LOCAL),
);

export const anyBits = (bits: number): fc.Arbitrary<bigint> =>
  fc.bigInt(0n, (1n << BigInt(bits)) - 1n);
export const exactly = (row: Field, value: bigint): Masked => ({ value, mask: row.ones });

/** Any value, with any mask but none where the field takes masks. */
export function masked(row: Field): fc.Arbitrary<Masked> {
  const exact = anyBits(row.bits).map((value) => exactly(row, value & row.ones));
  if (!row.maskable) return exact;
  // ovs-ofctl reads no IPv6 mask that begins with a digit.
  const first = row.notation === 'ipv6' ? 0xfn << 124n : 0n;
  const some = fc.tuple(anyBits(row.bits), anyBits(row.bits)).map(([value, bits]) => ({
    value: value & (bits | first) & row.ones,
    mask: (bits | first) & row.ones,
  }));
  const prefix = fc
    .tuple(anyBits(row.bits), fc.integer({ min: 1, max: row.bits }))
    .map(([value, length]) => {
      const mask = row.ones & ~((1n << BigInt(row.bits - length)) - 1n);
      return { value: value & mask, mask };
    });
  return fc.oneof(
    exact,
    prefix.filter(({ mask }) => mask !== 0n),
    some.filter(({ mask }) => mask !== 0n),
  );
}

const fragments = [
  [0n, 3n],
  [1n, 1n],
  [1n, 3n],
  [3n, 3n],
  [0n, 2n],
].map(([value = 0n, mask = 0n]) => ({ value, mask }));
const present = 0x1000n;

/**
 * A tag as OpenFlow 1.5 can ask for it: bits of VLAN and presence, or with the whole priority where
 * there is a tag.
 */
const tag = fc
  .oneof(
    fc.constantFrom({ value: 0n, mask: 0x1fffn }, { value: present, mask: present }),
    fc.tuple(anyBits(13), anyBits(13)).map(([value, mask]) => ({ value: value & mask, mask })),
    fc
      .tuple(anyBits(12), anyBits(12), fc.boolean(), anyBits(3))
      .map(([value, bits, isWhole, pcp]) => {
        const mask = isWhole ? 0xfffn : bits;
        return { value: (value & mask) | present | (pcp << 13n), mask: mask | present | 0xe000n };
      }),
  )
  .filter(({ mask }) => mask !== 0n);

/** ovs-ofctl takes a mask of nothing but whole bytes for no mask. */
function option(bytes: number, row: Field): fc.Arbitrary<Masked> {
  const some = fc
    .tuple(
      fc.integer({ min: 0, max: bytes - 1 }),
      anyBits(bytes * 8),
      fc.integer({ min: 1, max: 0xfe }),
    )
    .map(([low, bits, top]) => {
      const mask = (BigInt(top) << BigInt(low * 8)) | (bits & ((1n << BigInt(low * 8)) - 1n));
      return { value: bits & mask, mask };
    });
  return fc.oneof(
    anyBits(bytes * 8).map((value) => exactly(row, value)),
    some,
    fc.constant({ value: 0n, mask: 0n }),
  );
}

/** What may stand beside a field in a match. */
function matched(row: Field): fc.Arbitrary<Masked> {
  switch (row.notation) {
    case 'port':
      return (
        row.name === 'actset_output' ? fc.oneof(port, fc.constant(reservedPorts.UNSET)) : port
      ).map((number) => exactly(row, BigInt(number)));
    case 'fragment':
      return fc.constantFrom(...fragments);
    case 'vlan':
      return tag;
    case 'option':
      return option(
        tunnelOptions.get(Number(row.name.slice('tun_metadata'.length)))?.bytes ?? 4,
        row,
      );
    case 'unmasked decimal':
    case 'unmasked hex':
      return anyBits(row.bits).map((value) =>
        exactly(row, row.zeroIsLost && value === 0n ? 1n : value),
      );
    default:
      return row.zeroIsLost ? masked(row).filter(({ value }) => value !== 0n) : masked(row);
  }
}

const etherType = (type: number, ...more: readonly (readonly [string, number])[]) =>
  [['eth_type', type], ...more] as const;
const tracked = ['ct_state', ctStateBits.trk | ctStateBits.est] as const;

/** What decides the fields that packets have. */
const contexts: readonly (readonly (readonly [field: string, value: number])[])[] = [
  [],
  [],
  [],
  etherType(0x0806),
  etherType(0x8035),
  etherType(0x8847),
  etherType(0x8848),
  etherType(0x88cc),
  etherType(0x600),
  ...[0x0800, 0x86dd].flatMap((type) => [
    etherType(type),
    ...[1, 6, 17, 47, 58, 132].map((protocol) => etherType(type, ['nw_proto', protocol])),
    etherType(type, tracked),
    etherType(type, tracked, ['ct_nw_proto', 6]),
  ]),
  ...[135, 136].flatMap((type) =>
    [[], [['icmpv6_code', 0] as const]].map((code) =>
      etherType(0x86dd, ['nw_proto', 58], ['icmpv6_type', type], ...code),
    ),
  ),
  [tracked, ['ct_nw_proto', 17]],
  [['tun_erspan_ver', 1]],
  [['tun_erspan_ver', 2]],
  ...[0x10800, 0x186dd].map(
    (type) =>
      [
        ['packet_type', type],
        ['nw_proto', 6],
      ] as const,
  ),
  [['packet_type', 0x18847]],
  [['packet_type', 0x20005]],
];

const deciding = new Set(['eth_type', 'nw_proto', 'packet_type']);
/** All that a switch of any version knows. */
const matchable = fields.filter(
  (row) =>
    row.inFlows &&
    !row.isView &&
    !deciding.has(row.name) &&
    !/^reg(1[6-9]|[23]\d)$/.test(row.name) &&
    (row.notation !== 'option' || tunnelOptions.has(Number(row.name.slice('tun_metadata'.length)))),
);

const inOrder = (match: Match): Match =>
  fields.flatMap((row) => match.find(({ field }) => field === row) ?? []);

export const anyMatch: fc.Arbitrary<Match> = fc.constantFrom(...contexts).chain((context) => {
  const fixed = context.map(
    ([name, value]): FieldMatch => ({
      field: fieldCalled(name),
      ...exactly(fieldCalled(name), BigInt(value)),
    }),
  );
  const free = matchable.filter(
    (row) => !fixed.some(({ field }) => field === row) && allowsField(fixed, row),
  );
  // Those that only such packets have come as often as all the others.
  const special = free.filter(
    ({ prerequisite }) => prerequisite !== 'none' && prerequisite !== 'ethernet',
  );
  return fc
    .tuple(
      fc.subarray(free, { maxLength: 5 }),
      fc.subarray(special, { maxLength: Math.min(5, special.length) }),
    )
    .chain(([some, more]) =>
      fc.tuple(
        ...[...new Set([...some, ...more])].map((row) =>
          matched(row).map((value): FieldMatch => ({ field: row, ...value })),
        ),
      ),
    )
    .map((entries) => inOrder([...fixed, ...entries]))
    .map((entries) => entries.filter(({ field }) => allowsField(entries, field)));
});

const small = (max: number) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max }));

/** Without check_overlap, which is about other flows. */
export const anyAttributes: fc.Arbitrary<Attributes> = fc.record(
  {
    cookie: fc.oneof({ weight: 3, arbitrary: fc.constant(0n) }, anyBits(64)),
    idleTimeout: small(0xffff),
    hardTimeout: small(0xffff),
    importance: small(0xffff),
    flags: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      fc.subarray(flowFlags.filter((flag) => flag !== 'check_overlap')),
    ),
  },
  { noNullPrototype: true },
);
