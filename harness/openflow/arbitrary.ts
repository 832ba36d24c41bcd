/** For tests: any flow of the supported language, as the data that `parseFlow` makes of its text. */
import fc from 'fast-check';
import type { Action, CtAction, Subfield } from './actions.js';
import { ctStateBits, fields, fieldsNamed, type Field } from './fields.js';
import type { Flow } from './flow.js';
import { allowsField, matchesInvalid, matchesIp, type FieldMatch, type Match } from './match.js';
import { reservedPorts } from './ports.js';
import type { Masked } from './values.js';

/** Numbers that ports may have, and reserved ones that may be matched and set. */
const port = fc.oneof(fc.integer({ min: 1, max: 0xfeff }), fc.constant(reservedPorts.LOCAL));
const outputPort = fc.oneof({ weight: 3, arbitrary: port }, { weight: 1, arbitrary: fc.constantFrom(reservedPorts.IN_PORT, reservedPorts.NORMAL, reservedPorts.FLOOD, reservedPorts.ALL) });
const table = fc.integer({ min: 0, max: 253 });

const anyBits = (bits: number) => fc.bigInt(0n, (1n << BigInt(bits)) - 1n);
const exactly = (row: Field, value: bigint): Masked => ({ value, mask: row.ones });

function masked(row: Field): fc.Arbitrary<Masked> {
  const exact = anyBits(row.bits).map((value) => exactly(row, value & row.ones));
  if (!row.maskable) return exact;
  const some = fc.tuple(anyBits(row.bits), anyBits(row.bits)).map(([value, mask]) => ({ value: value & mask, mask }));
  const prefix = fc.tuple(anyBits(row.bits), fc.integer({ min: 1, max: row.bits })).map(([value, length]) => {
    const mask = row.ones & ~((1n << BigInt(row.bits - length)) - 1n);
    return { value: value & mask, mask };
  });
  return fc.oneof(exact, prefix, some.filter(({ mask }) => mask !== 0n));
}

const fragments = [[0n, 3n], [1n, 1n], [1n, 3n], [3n, 3n], [0n, 2n]].map(([value = 0n, mask = 0n]) => ({ value, mask }));
const ctStates = BigInt(Object.values(ctStateBits).reduce((all, bit) => all | bit, 0));

/** What may stand beside a field in a match. */
function matched(row: Field): fc.Arbitrary<Masked> {
  switch (row.name) {
    case 'in_port':
      return port.map((number) => exactly(row, BigInt(number)));
    case 'ct_state':
      return fc.tuple(anyBits(8), anyBits(8)).map(([value, mask]) => ({ value: value & mask & ctStates, mask: mask & ctStates })).filter(({ mask }) => mask !== 0n);
    case 'ip_frag':
      return fc.constantFrom(...fragments);
    case 'vlan_tci':
      return fc.constantFrom({ value: 0n, mask: 0x1fffn }, { value: 0n, mask: 0x1000n }, { value: 0x1000n, mask: 0x1000n });
    default:
      return masked(row);
  }
}

const protocols = [[], [0x0806], [0x0800], [0x0800, 1], [0x0800, 6], [0x0800, 17], [0x0800, 132], [0x0800, 89], [0x86dd], [0x8035], [0x8847], [0x8848], [0x88cc], [0x600]] as const;

const rowOf = (name: string): Field => fieldsNamed(name)[0]!;
const inOrder = (match: Match): Match => fields.flatMap((row) => match.find(({ field }) => field === row) ?? []);

const match: fc.Arbitrary<Match> = fc.constantFrom(...protocols).chain(([type, protocol]) => {
  const fixed: FieldMatch[] = [
    ...(type === undefined ? [] : [{ field: rowOf('eth_type'), ...exactly(rowOf('eth_type'), BigInt(type)) }]),
    ...(protocol === undefined ? [] : [{ field: rowOf('nw_proto'), ...exactly(rowOf('nw_proto'), BigInt(protocol)) }]),
  ];
  const free = fields.filter((row) => !['eth_type', 'nw_proto'].includes(row.name) && allowsField(fixed, row));
  return fc.subarray(free, { maxLength: 6 })
    .chain((rows) => fc.tuple(...rows.map((row) => matched(row).map((value): FieldMatch => ({ field: row, ...value })))))
    .map((entries) => inOrder([...fixed, ...entries]))
    .map((entries) => entries.filter(({ field }) => allowsField(entries, field)));
});

function subfield(row: Field, bits: number): fc.Arbitrary<Subfield> {
  return fc.integer({ min: 0, max: row.bits - bits }).map((offset) => ({ field: row, offset, bits }));
}

function written(row: Field): fc.Arbitrary<Masked> {
  if (row.name === 'in_port') return port.map((number) => exactly(row, BigInt(number)));
  return masked(row);
}

const set = (rows: readonly Field[]): fc.Arbitrary<Action> =>
  fc.constantFrom(...rows).chain((row) => written(row).map((value): Action => ({ kind: 'set', field: row, ...value })));

const move = (rows: readonly Field[]): fc.Arbitrary<Action> =>
  fc.tuple(fc.constantFrom(...rows), fc.constantFrom(...rows.filter(({ writable }) => writable === 'anywhere')))
    .chain(([from, to]) => fc.integer({ min: 1, max: Math.min(from.bits, to.bits) }).chain((bits) => fc.tuple(subfield(from, bits), subfield(to, bits))))
    .map(([source, destination]): Action => ({ kind: 'move', source, destination }));

const outputField = (rows: readonly Field[]): fc.Arbitrary<Action> =>
  fc.constantFrom(...rows).chain((row) => fc.integer({ min: 1, max: Math.min(64, row.bits) }).chain((bits) => subfield(row, bits))).map((source): Action => ({ kind: 'output-field', source }));

const resubmit: fc.Arbitrary<Action> = fc.oneof(
  table.map((number): Action => ({ kind: 'resubmit', table: number })),
  port.map((number): Action => ({ kind: 'resubmit', port: number })),
  fc.tuple(port, table).map(([number, next]): Action => ({ kind: 'resubmit', port: number, table: next })),
);

const ct = (commits: fc.Arbitrary<boolean>): fc.Arbitrary<CtAction> => fc
  .record({ commit: commits, zone: fc.integer({ min: 0, max: 0xffff }), table: fc.option(table, { nil: undefined }), exec: fc.array(set(['ct_mark', 'ct_label'].map(rowOf)), { maxLength: 2 }) }, { noNullPrototype: true })
  .map(({ commit, zone, table: next, exec }) => ({ kind: 'ct', commit, zone, ...(next === undefined ? {} : { table: next }), exec: commit ? exec : [] }));

function actionsFor(given: Match, from: number): fc.Arbitrary<readonly Action[]> {
  const present = fields.filter((row) => allowsField(given, row) || given.some(({ field }) => field === row));
  const writable = present.filter((row) => row.writable === 'anywhere');
  const action = fc.oneof(
    outputPort.map((number): Action => ({ kind: 'output', port: number })),
    outputField(present),
    resubmit,
    set(writable),
    move(present),
    ...(matchesIp(given) ? [ct(matchesInvalid(given) ? fc.constant(false) : fc.boolean()), fc.constant<Action>({ kind: 'dec_ttl' })] : []),
  );
  const next = from < 253 ? fc.option(fc.integer({ min: from + 1, max: 253 }).map((number): Action => ({ kind: 'goto', table: number })), { nil: undefined }) : fc.constant(undefined);
  return fc.tuple(fc.array(action, { maxLength: 5 }), next).map(([list, goto]) => (goto === undefined ? list : [...list, goto]));
}

/** Any flow of the language. */
export const anyFlow: fc.Arbitrary<Flow> = fc
  .tuple(match, table, fc.oneof(fc.constant(0x8000), fc.integer({ min: 0, max: 0xffff })))
  .chain(([matches, number, priority]) => actionsFor(matches, number).map((actions) => ({ table: number, priority, match: matches, actions })));
