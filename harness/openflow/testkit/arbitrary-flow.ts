/**
 * For tests: any flow of the supported language, as the data that `parseFlow` makes of its text.
 */
import fc from 'fast-check';
import type { Action, CtAction, Subfield } from '../actions/actions.js';
import { anyAttributes, anyMatch, exactly, masked, port } from './arbitrary-match.js';
import { fields, fieldsNamed, type Field } from '../match/fields.js';
import type { Flow } from '../flows/flow.js';
import type { Match } from '../match/match.js';
import { reservedPorts } from '../syntax/ports.js';
import { allowsField, matchesInvalid, matchesIp } from '../match/prerequisites.js';
import type { Masked } from '../match/masked.js';

const outputPort = fc.oneof(
  { weight: 3, arbitrary: port },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      reservedPorts.IN_PORT,
      reservedPorts.NORMAL,
      reservedPorts.FLOOD,
      reservedPorts.ALL,
    ),
  },
);
const table = fc.integer({ min: 0, max: 253 });

const rowOf = (name: string): Field => fieldsNamed(name)[0]!;

function subfield(row: Field, bits: number): fc.Arbitrary<Subfield> {
  return fc
    .integer({ min: 0, max: row.bits - bits })
    .map((offset) => ({ field: row, offset, bits }));
}

function written(row: Field): fc.Arbitrary<Masked> {
  if (row.name === 'in_port') return port.map((number) => exactly(row, BigInt(number)));
  return masked(row);
}

const set = (rows: readonly Field[]): fc.Arbitrary<Action> =>
  fc.constantFrom(...rows).chain((row) =>
    written(row).map(
      ({ value, mask }): Action => ({
        kind: 'set',
        notation: 'set_field',
        field: row,
        value,
        ...(mask === row.ones ? {} : { mask }),
      }),
    ),
  );

const move = (rows: readonly Field[]): fc.Arbitrary<Action> =>
  fc
    .tuple(
      fc.constantFrom(...rows),
      fc.constantFrom(...rows.filter(({ writable }) => writable === 'anywhere')),
    )
    .chain(([from, to]) =>
      fc
        .integer({ min: 1, max: Math.min(from.bits, to.bits) })
        .chain((bits) => fc.tuple(subfield(from, bits), subfield(to, bits))),
    )
    .map(([source, destination]): Action => ({ kind: 'move', source, destination }));

const outputField = (rows: readonly Field[]): fc.Arbitrary<Action> =>
  fc
    .constantFrom(...rows)
    .chain((row) =>
      fc.integer({ min: 1, max: Math.min(64, row.bits) }).chain((bits) => subfield(row, bits)),
    )
    .map((source): Action => ({ kind: 'output-field', source }));

const resubmit: fc.Arbitrary<Action> = fc.oneof(
  table.map((number): Action => ({ kind: 'resubmit', table: number, original: false })),
  port.map((number): Action => ({ kind: 'resubmit', port: number, original: false })),
  fc.tuple(port, table).map(
    ([number, next]): Action => ({
      kind: 'resubmit',
      port: number,
      table: next,
      original: false,
    }),
  ),
);

const ct = (commits: fc.Arbitrary<boolean>): fc.Arbitrary<CtAction> =>
  fc
    .record(
      {
        commit: commits,
        zone: fc.integer({ min: 0, max: 0xffff }),
        table: fc.option(table, { nil: undefined }),
        exec: fc.array(set(['ct_mark', 'ct_label'].map(rowOf)), { maxLength: 2 }),
      },
      { noNullPrototype: true },
    )
    .map(({ commit, zone, table: next, exec }) => ({
      kind: 'ct',
      commit,
      force: false,
      zone,
      ...(next === undefined ? {} : { table: next }),
      exec: commit ? exec : [],
    }));

/** Fields that actions of any version read and write in one way. */
const plain =
  /^(pkt_mark|ct_(state|zone|mark|label)|reg(\d|1[0-5])|tun_(id|src|dst)|metadata|in_port|vlan_tci|eth_(src|dst|type)|ip_(src|dst)|arp_\w+|nw_(proto|tos|ttl)|ip_frag|(tcp|udp)_(src|dst)|icmp_(type|code))$/;

function actionsFor(given: Match, from: number): fc.Arbitrary<readonly Action[]> {
  const present = fields
    .filter((row) => plain.test(row.name))
    .filter((row) => allowsField(given, row) || given.some(({ field }) => field === row));
  const writable = present.filter((row) => row.writable === 'anywhere');
  const action = fc.oneof(
    outputPort.map((number): Action => ({ kind: 'output', port: number })),
    outputField(present),
    resubmit,
    set(writable),
    move(present),
    ...(matchesIp(given)
      ? [
          ct(matchesInvalid(given) ? fc.constant(false) : fc.boolean()),
          fc.constant<Action>({ kind: 'dec_ttl' }),
        ]
      : []),
  );
  const next =
    from < 253
      ? fc.option(
          fc
            .integer({ min: from + 1, max: 253 })
            .map((number): Action => ({ kind: 'goto', table: number })),
          { nil: undefined },
        )
      : fc.constant(undefined);
  return fc
    .tuple(fc.array(action, { maxLength: 5 }), next)
    .map(([list, goto]) => (goto === undefined ? list : [...list, goto]));
}

/** Any flow of the language. */
export const anyFlow: fc.Arbitrary<Flow> = fc
  .tuple(
    anyMatch,
    table,
    fc.oneof(fc.constant(0x8000), fc.integer({ min: 0, max: 0xffff })),
    anyAttributes,
  )
  .chain(([match, number, priority, attributes]) =>
    actionsFor(match, number).map((actions) => ({
      table: number,
      priority,
      match,
      actions,
      ...attributes,
    })),
  );
