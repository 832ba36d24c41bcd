/**
 * For tests: any list of actions that a switch holds after OpenFlow 1.5 has brought it, beside a
 * match that allows them.
 */
import fc from 'fast-check';
import type {
  Action,
  ChoiceAction,
  CtAction,
  LearnAction,
  LearnSpec,
  NatAction,
  OtherAction,
  Subfield,
} from '../actions/actions.js';
import {
  bundleAlgorithms,
  hashFields,
  multipathAlgorithms,
  packetInReasons,
} from '../actions/action.js';
import { mayBeWritten } from '../actions/instruction-order.js';
import { isExperimental } from '../actions/parse-context.js';
import { afterAction, packetKnowledgeOf, valueIn } from '../actions/packet-knowledge.js';
import { type PacketKnowledge } from '../actions/known-packet.js';
import { anyAttributes, anyBits, masked, port } from './arbitrary-match.js';
import { fieldCalled, fields, type Field } from '../match/fields.js';
import { parseFlow, type Flow } from '../flows/flow.js';
import type { Match } from '../match/match.js';
import type { FieldMatch } from '../match/field-match.js';
import { reservedPorts } from '../syntax/ports.js';
import { allowsField, matchesInvalid, matchesIp } from '../match/prerequisites.js';

/** The group and the meters that these actions name must be there. */
export const groupId = 5;
export const meterIds: readonly number[] = [1, 7];

const integer = (min: number, max: number) => fc.integer({ min, max });
const table = integer(0, 253);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const given = <Key extends string, T>(
  key: Key,
  value: T | undefined,
): { readonly [K in Key]?: T } =>
  value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: T });
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true });

/** Fields that all versions from 3.1 on know by one name, and that need no mapping. */
const common = fields.filter(
  ({ name, nxm, notation }) =>
    /^[A-Z]/.test(nxm) &&
    notation !== 'option' &&
    name !== 'in_port_oxm' &&
    !/^(reg(1[6-9]|[23]\d)|xreg([89]|1\d)|xxreg[4-7])$/.test(name),
);
const readable = ({ match, tags }: PacketKnowledge) =>
  common.filter((row) => allowsField(match, row) && (row.name !== 'vlan_pcp' || tags > 0));
const writable = (standing: PacketKnowledge) =>
  readable(standing).filter((row) => row.writable === 'anywhere');

function subfield(rows: readonly Field[], least = 1, most = 128): fc.Arbitrary<Subfield> {
  return fc
    .constantFrom(...rows.filter(({ bits }) => bits >= least))
    .chain((row) =>
      fc
        .oneof(integer(least, Math.min(row.bits, most)), fc.constant(Math.min(row.bits, most)))
        .chain((bits) =>
          integer(0, row.bits - bits).map((offset) => ({ field: row, offset, bits })),
        ),
    );
}

/** Two of the same width. */
const pair = (
  from: readonly Field[],
  to: readonly Field[],
): fc.Arbitrary<{ source: Subfield; destination: Subfield }> =>
  subfield(from).chain((source) =>
    subfield(to, Math.min(source.bits, Math.max(...to.map(({ bits }) => bits))), source.bits).map(
      (destination) => ({
        source: { ...source, bits: destination.bits },
        destination,
      }),
    ),
  );

/** A run of its bits: other masks have no text. */
function part(row: Field): fc.Arbitrary<Action> {
  return subfield([row]).chain(({ offset, bits }) =>
    anyBits(bits).map((value): Action => {
      const mask = ((1n << BigInt(bits)) - 1n) << BigInt(offset);
      return {
        kind: 'set',
        notation: 'set_field',
        field: row,
        value: (value << BigInt(offset)) & row.ones,
        ...((mask & row.ones) === row.ones ? {} : { mask }),
      };
    }),
  );
}

function set(rows: readonly Field[]): fc.Arbitrary<Action> {
  return fc.constantFrom(...rows).chain((row) => {
    const whole = (value: bigint): Action => ({
      kind: 'set',
      notation: 'set_field',
      field: row,
      value,
    });
    if (row.notation === 'port') return port.map((number) => whole(BigInt(number)));
    if (row.name === 'vlan_vid') return anyBits(12).map((value) => whole(value | 0x1000n));
    if (row.notation === 'flags' || isExperimental(row))
      return anyBits(row.bits).map((value) => whole(value & row.ones));
    if (!row.maskable) return part(row);
    return masked(row).map(({ value, mask }) =>
      mask === row.ones
        ? whole(value)
        : { kind: 'set', notation: 'set_field', field: row, value, mask },
    );
  });
}

const toController = record({
  maxLength: integer(0, 65535),
  id: fc.oneof(fc.constant(0), integer(0, 65535)),
  reason: fc.constantFrom(...packetInReasons),
  userdata: fc.array(integer(0, 255), { maxLength: 20 }),
  pause: fc.boolean(),
  meter: maybe(integer(1, 0xffffffff)),
}).map(({ meter, ...rest }): Action => ({ kind: 'controller', ...rest, ...given('meter', meter) }));

const special = fc.constantFrom(
  reservedPorts.IN_PORT,
  reservedPorts.TABLE,
  reservedPorts.NORMAL,
  reservedPorts.FLOOD,
  reservedPorts.ALL,
  reservedPorts.LOCAL,
);

function outputs(standing: PacketKnowledge): readonly fc.Arbitrary<Action>[] {
  return [
    fc.oneof(port, special).map((number): Action => ({ kind: 'output', port: number })),
    subfield(readable(standing), 1, 64).map((source): Action => ({ kind: 'output-field', source })),
    fc
      .tuple(fc.oneof(port, fc.constant(reservedPorts.IN_PORT)), integer(14, 0xffffffff))
      .map(
        ([number, maxLength]): Action => ({ kind: 'output-truncated', port: number, maxLength }),
      ),
    integer(0, 65535).map(
      (maxLength): Action => ({
        kind: 'controller',
        maxLength,
        id: 0,
        reason: 'action',
        userdata: [],
        pause: false,
      }),
    ),
    toController,
    integer(0, 0xffffffff).map((queue): Action => ({ kind: 'set_queue', queue })),
    fc.constant<Action>({ kind: 'pop_queue' }),
    fc.constant<Action>({ kind: 'group', group: groupId }),
  ];
}

function sets(standing: PacketKnowledge): readonly fc.Arbitrary<Action>[] {
  const rows = writable(standing).filter(({ name }) => name !== 'vlan_vid' || standing.tags > 0);
  const isMpls = [0x8847n, 0x8848n].includes(valueIn(standing.match, 'dl_type') ?? 0n);
  return [
    set(rows),
    set(rows),
    set(rows),
    pair(readable(standing), writable(standing)).map(
      ({ source, destination }): Action => ({ kind: 'move', source, destination }),
    ),
    subfield(readable(standing)).map((source): Action => ({ kind: 'push', source })),
    subfield([...writable(standing), fieldCalled('ct_mark')]).map(
      (destination): Action => ({ kind: 'pop', destination }),
    ),
    fc.constantFrom(0x8847, 0x8848).map((type): Action => ({ kind: 'push_mpls', type })),
    ...(matchesIp(standing.match)
      ? [
          integer(0, 255).map(
            (ttl): Action => ({
              kind: 'set',
              notation: 'own',
              field: fieldCalled('nw_ttl'),
              value: BigInt(ttl),
            }),
          ),
          maybe(fc.array(integer(0, 65535), { minLength: 1, maxLength: 4 })).map(
            (ids): Action => ({ kind: 'dec_ttl', ...given('controllers', ids) }),
          ),
        ]
      : []),
    ...(isMpls
      ? [
          integer(0, 255).map(
            (ttl): Action => ({
              kind: 'set',
              notation: 'own',
              field: fieldCalled('mpls_ttl'),
              value: BigInt(ttl),
            }),
          ),
          fc.constant<Action>({ kind: 'dec_mpls_ttl' }),
          fc
            .constantFrom(0x0800, 0x86dd, 0x8847, 0x6558)
            .map((type): Action => ({ kind: 'pop_mpls', type })),
        ]
      : []),
    ...(standing.tags < 2
      ? [fc.constantFrom(0x8100, 0x88a8).map((type): Action => ({ kind: 'push_vlan', type }))]
      : []),
    ...(standing.tags > 0 ? [fc.constant<Action>({ kind: 'pop_vlan' })] : []),
  ];
}

const states = (match: Match) => match.find(({ field }) => field.name === 'ct_state');

function lookups(standing: PacketKnowledge): readonly fc.Arbitrary<Action>[] {
  const isTracked = ((states(standing.match)?.value ?? 0n) & 0x02n) !== 0n;
  return [
    fc
      .oneof(
        fc.tuple(fc.constant(undefined), table),
        fc.tuple(port, table),
        fc.tuple(port, fc.constant(undefined)),
      )
      .chain(([number, next]) =>
        fc.boolean().map(
          (original): Action => ({
            kind: 'resubmit',
            ...given('port', number),
            ...given('table', next),
            original: isTracked && next !== undefined && original,
          }),
        ),
      ),
    fc.constant<Action>({ kind: 'exit' }),
    fc.constant<Action>({ kind: 'ct_clear' }),
  ];
}

function nat(version: 4 | 6): fc.Arbitrary<NatAction> {
  const range = (min: bigint, max: bigint) =>
    fc.tuple(fc.bigInt(min, max), fc.bigInt(min, max), fc.boolean()).map(([a, b, single]) => ({
      first: a < b ? a : b,
      last: single ? (a < b ? a : b) : a < b ? b : a,
    }));
  const to = record({
    part: fc.constantFrom('src' as const, 'dst' as const),
    addresses: range(1n, (1n << (version === 4 ? 32n : 128n)) - 1n).map((addresses) => ({
      version,
      ...addresses,
    })),
    ports: maybe(
      range(1n, 65535n).map(({ first, last }) => ({ first: Number(first), last: Number(last) })),
    ),
    persistent: fc.boolean(),
    portsBy: maybe(fc.constantFrom('hash' as const, 'random' as const)),
  }).map(
    ({ part, addresses, ports, persistent, portsBy }): NatAction => ({
      kind: 'nat',
      to: { part, addresses, ...given('ports', ports), persistent, ...given('portsBy', portsBy) },
    }),
  );
  return fc.oneof(
    fc.constant<NatAction>({ kind: 'nat' }),
    fc
      .constantFrom('src' as const, 'dst' as const)
      .map((part): NatAction => ({ kind: 'nat', to: { part, persistent: false } })),
    to,
    to,
  );
}

const connectionRows = ['ct_mark', 'ct_label'].map(fieldCalled);

function ct(standing: PacketKnowledge): fc.Arbitrary<CtAction> {
  const { match } = standing;
  const version = valueIn(match, 'dl_type') === 0x0800n ? 4 : 6;
  const change = fc.oneof(
    set(connectionRows),
    pair(readable(standing), connectionRows).map(
      ({ source, destination }): Action => ({ kind: 'move', source, destination }),
    ),
  );
  const algs =
    valueIn(match, 'nw_proto') === 6n
      ? ['ftp' as const]
      : valueIn(match, 'nw_proto') === 17n
        ? ['tftp' as const]
        : [];
  return record({
    commit: matchesInvalid(match) ? fc.constant(false) : fc.boolean(),
    force: fc.boolean(),
    zone: fc.oneof(integer(0, 0xffff), subfield(numbered(readable(standing)), 16, 16)),
    table: maybe(table),
    alg: algs.length === 0 ? fc.constant(undefined) : maybe(fc.constantFrom(...algs)),
    exec: fc
      .tuple(
        fc.array(nat(version), { maxLength: 1 }),
        fc.array(change, { maxLength: 2 }),
        fc.boolean(),
      )
      .map(([translations, changes, isFirst]): readonly Action[] =>
        isFirst ? [...translations, ...changes] : [...changes, ...translations],
      ),
  }).map(
    ({ commit, force, zone, table: next, alg, exec }): CtAction => ({
      kind: 'ct',
      commit,
      force: commit && force,
      zone,
      ...given('table', next),
      ...given('alg', alg),
      exec: commit
        ? exec
        : exec.filter((action) => action.kind === 'nat' && action.to === undefined),
    }),
  );
}

/** What learned flows may match first, so that later fields are there. */
const learnedTypes: readonly (readonly (readonly [name: string, value: bigint])[])[] = [
  [],
  [],
  [['eth_type', 0x0800n]],
  [
    ['eth_type', 0x0800n],
    ['nw_proto', 6n],
  ],
  [
    ['eth_type', 0x86ddn],
    ['nw_proto', 17n],
  ],
  [['eth_type', 0x0806n]],
  [
    ['eth_type', 0x86ddn],
    ['nw_proto', 58n],
  ],
];

/** Values of these cannot be given one by one. */
const constant = ({ notation, name }: Field) =>
  notation !== 'flags' &&
  notation !== 'fragment' &&
  notation !== 'packet type' &&
  name !== 'actset_output';

function learn(standing: PacketKnowledge): fc.Arbitrary<LearnAction> {
  return fc.constantFrom(...learnedTypes).chain((types) => {
    const learned: Match = types.map(
      ([name, value]): FieldMatch => ({
        field: fieldCalled(name),
        value,
        mask: fieldCalled(name).ones,
      }),
    );
    const rows = common.filter(
      (row) =>
        row.inFlows &&
        !isExperimental(row) &&
        allowsField(learned, row) &&
        !types.some(([name]) => name === row.name) &&
        !row.name.startsWith('vlan_'),
    );
    const targets = rows.filter((row) => row.writable !== 'nowhere');
    const value = (destination: Subfield) =>
      destination.field.notation === 'port' && destination.bits === 16
        ? port.map(BigInt)
        : anyBits(destination.bits).map((bits) =>
            destination.bits < destination.field.bits ? bits : bits & destination.field.ones,
          );
    const spec: fc.Arbitrary<LearnSpec> = fc.oneof(
      subfield(rows.filter(constant)).chain((destination) =>
        value(destination).map((source): LearnSpec => ({ kind: 'match', destination, source })),
      ),
      pair(numbered(readable(standing)), rows).map(
        ({ source, destination }): LearnSpec => ({ kind: 'match', destination, source }),
      ),
      subfield(targets).chain((destination) =>
        anyBits(destination.bits).map(
          (source): LearnSpec => ({ kind: 'load', destination, source }),
        ),
      ),
      pair(numbered(readable(standing)), targets).map(
        ({ source, destination }): LearnSpec => ({ kind: 'load', destination, source }),
      ),
      subfield(numbered(readable(standing))).map(
        (source): LearnSpec => ({ kind: 'output', source }),
      ),
    );
    const fixed = learned.map(
      ({ field, value: source }): LearnSpec => ({
        kind: 'match',
        destination: { field, offset: 0, bits: field.bits },
        source,
      }),
    );
    const seconds = fc.oneof(fc.constant(0), integer(0, 65535));
    return record({
      table,
      idleTimeout: seconds,
      hardTimeout: seconds,
      finIdleTimeout: seconds,
      finHardTimeout: seconds,
      priority: fc.oneof(fc.constant(0x8000), integer(0, 65535)),
      cookie: fc.oneof(fc.constant(0n), anyBits(64)),
      sendFlowRemoved: fc.boolean(),
      deleteLearned: fc.boolean(),
      limit: fc.oneof(fc.constant(0), integer(0, 0xffffffff)),
      result: maybe(
        subfield(
          common.filter((row) => row.writable === 'anywhere'),
          1,
          1,
        ),
      ),
      specs: fc.array(spec, { maxLength: 4 }),
    }).map(
      ({ result, specs, ...rest }): LearnAction => ({
        kind: 'learn',
        ...rest,
        ...given('result', result),
        specs: [...fixed, ...specs],
      }),
    );
  });
}

/** Numbers of registers come in messages of 32 bits, which experimenters' fields have none of. */
const numbered = (rows: readonly Field[]) => rows.filter((row) => !isExperimental(row));

function choices(standing: PacketKnowledge): readonly fc.Arbitrary<ChoiceAction | OtherAction>[] {
  const fieldsToHash = fc.constantFrom(...hashFields);
  const rows = numbered(writable(standing));
  return [
    record({
      fields: fieldsToHash,
      basis: integer(0, 65535),
      algorithm: fc.constantFrom(...bundleAlgorithms),
      members: fc.array(fc.oneof(port, fc.constant(reservedPorts.ANY)), { maxLength: 5 }),
      destination: maybe(subfield(rows, 16, 64)),
    }).map(({ destination, ...rest }) => ({
      kind: 'bundle',
      ...rest,
      ...given('destination', destination),
    })),
    record({
      fields: fieldsToHash,
      basis: integer(0, 65535),
      algorithm: fc.constantFrom(...multipathAlgorithms),
      links: integer(1, 65536),
      argument: integer(0, 0xffffffff),
      destination: subfield(rows, 16, 64),
    }).map((rest) => ({ kind: 'multipath', ...rest })),
    fc
      .tuple(integer(0, 65535), subfield(writable(standing), 1, 1))
      .map(([bytes, destination]) => ({ kind: 'check_pkt_larger', bytes, destination })),
    record({
      probability: integer(1, 65535),
      collectorSet: integer(0, 0xffffffff),
      domain: integer(0, 0xffffffff),
      point: integer(0, 0xffffffff),
      port: maybe(port),
      direction: maybe(fc.constantFrom('ingress' as const, 'egress' as const)),
    }).map(({ port: by, direction, ...rest }) => ({
      kind: 'sample',
      ...rest,
      ...given('port', by),
      ...given('direction', direction),
    })),
    integer(0, 3)
      .chain((more) =>
        fc.array(integer(0, 255), { minLength: 6 + 8 * more, maxLength: 6 + 8 * more }),
      )
      .map((bytes) => ({ kind: 'note', bytes })),
    ...(valueIn(standing.match, 'nw_proto') === 6n
      ? [
          fc
            .tuple(integer(0, 65535), integer(0, 65535))
            .map(([idle, hard]): OtherAction => ({ kind: 'fin_timeout', idle, hard })),
        ]
      : []),
  ];
}

/** `length` actions, each of what is left of the packet behind the one before. */
function actions(
  standing: PacketKnowledge,
  length: number,
  depth: number,
): fc.Arbitrary<readonly Action[]> {
  if (length === 0) return fc.constant([]);
  const families: readonly (readonly fc.Arbitrary<Action>[])[] = [
    outputs(standing),
    sets(standing),
    lookups(standing),
    choices(standing),
    [learn(standing)],
    ...(matchesIp(standing.match) ? [[ct(standing)]] : []),
    ...(depth > 0
      ? [
          [
            integer(0, 2)
              .chain((inner) => actions(standing, inner, depth - 1))
              .map((inside): Action => ({ kind: 'clone', actions: inside })),
          ],
        ]
      : []),
  ];
  return fc
    .oneof(...families.map((family) => fc.oneof(...family)))
    .chain((first) =>
      actions(afterAction(standing, first), length - 1, depth).map((rest) => [first, ...rest]),
    );
}

/**
 * Instructions in their order. goto_table and write_metadata come one by one: OpenFlow 1.0 cannot
 * dump both.
 */
function instructions(standing: PacketKnowledge, from: number): fc.Arbitrary<readonly Action[]> {
  const written = (behind: PacketKnowledge) =>
    integer(0, 3)
      .chain((length) => actions(behind, length, 0))
      .map((all) => all.filter(mayBeWritten))
      .filter((all) => all.length > 0);
  const onward: fc.Arbitrary<Action> = fc.oneof(
    integer(Math.min(from + 1, 254), 254).map((next): Action => ({ kind: 'goto', table: next })),
    fc
      .tuple(anyBits(64), fc.oneof(anyBits(64), fc.constant((1n << 64n) - 1n)))
      .map(([value, mask]): Action => ({ kind: 'write_metadata', value, mask })),
  );
  const lists = integer(0, 4)
    .chain((length) => actions(standing, length, 2))
    .chain((list) =>
      fc.tuple(fc.constant(list), maybe(written(list.reduce(afterAction, standing)))),
    );
  return fc
    .tuple(maybe(fc.constantFrom(...meterIds)), lists, fc.boolean(), maybe(onward))
    .map(([meter, [list, later], clear, next]): readonly Action[] => [
      ...(meter === undefined ? [] : [{ kind: 'meter', meter } as const]),
      ...list,
      ...(clear ? [{ kind: 'clear_actions' } as const] : []),
      ...(later === undefined ? [] : [{ kind: 'write_actions', actions: later } as const]),
      ...(next === undefined ? [] : [next]),
    ]);
}

const clauses: fc.Arbitrary<readonly Action[]> = fc.array(
  integer(2, 64).chain((most) =>
    fc
      .tuple(integer(0, 0xffffffff), integer(1, most))
      .map(([id, clause]): Action => ({ kind: 'conjunction', id, clause, clauses: most })),
  ),
  { minLength: 1, maxLength: 3 },
);

/** Matches that decide what actions may be. */
const contexts = [
  '',
  '',
  'in_port=1',
  'ip',
  'ip,nw_frag=later',
  'tcp',
  'udp',
  'sctp',
  'icmp',
  'ipv6',
  'tcp6',
  'udp6',
  'icmp6',
  'icmp6,icmp_type=135,icmp_code=0',
  'icmp6,icmp_type=136,icmp_code=0',
  'arp',
  'rarp',
  'mpls',
  'mplsm',
  'dl_vlan=3',
  'vlan_tci=0x1000/0x1000,tcp',
  'vlan_tci=0x0000/0x1fff',
  'ct_state=+trk+est,ip',
  'ct_state=+trk+inv,ip',
  'ct_state=+trk-inv,tcp6',
].map((text) => parseFlow(`${text}${text === '' ? '' : ','}actions=drop`).match);

/** A flow, distinct from others by its table and priority too. */
export const anyActionFlow: fc.Arbitrary<Flow> = fc
  .tuple(fc.constantFrom(...contexts), table, integer(0, 65535), anyAttributes)
  .chain(([match, number, priority, attributes]) =>
    fc
      .oneof(
        { weight: 12, arbitrary: instructions(packetKnowledgeOf(match), number) },
        { weight: 1, arbitrary: clauses },
      )
      .map((list) => ({ table: number, priority, match, actions: list, ...attributes })),
  );
