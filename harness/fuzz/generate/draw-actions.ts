/**
 * What flows do: lists of actions that may stand beside a match, most of them about what the case's
 * flows match.
 */
import type { Random } from '../../base/random.js';
import type { Action, Subfield } from '../../openflow/actions/actions.js';
import {
  bundleAlgorithms,
  hashFields,
  multipathAlgorithms,
  packetInReasons,
} from '../../openflow/actions/action.js';
import { mayBeWritten } from '../../openflow/actions/instruction-order.js';
import { isExperimental } from '../../openflow/actions/parse-context.js';
import {
  afterAction,
  mostTags,
  packetKnowledgeOf,
  valueIn,
} from '../../openflow/actions/packet-knowledge.js';
import { type PacketKnowledge } from '../../openflow/actions/known-packet.js';
import { fieldCalled, type Field } from '../../openflow/match/fields.js';
import type { Match } from '../../openflow/match/match.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { allowsField, matchesIp } from '../../openflow/match/prerequisites.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { tunnelFields } from '../fuzz-case.js';
import { controllerIds, meterIds, portNumbers } from '../fuzz-network.js';
import { chance, pick, times, weighted } from './weighted.js';
import { asTabled, drawMask, drawValue, type Pool } from './draw-pool.js';

/** Where actions stand. */
export interface ActionContext {
  readonly pool: Pool;
  /** Groups that may be named. */
  readonly groups: readonly number[];
  /** How many actions may still stand in one another. */
  readonly depth: number;
}

export const lastTable = 7;

type Draw = (
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
) => Action | undefined;

/**
 * Families with their weights; one that the match does not allow draws nothing, and another is
 * asked.
 */
const families: readonly (readonly [weight: number, draw: Draw])[] = [
  [16, drawOutput],
  [5, drawOutputField],
  [20, drawSet],
  [9, drawMove],
  [4, drawPush],
  [4, drawPop],
  [8, drawHeader],
  [12, drawResubmit],
  [5, drawClone],
  [1, () => ({ kind: 'exit' })],
  [6, drawGroup],
  [4, drawController],
  [2, drawTruncated],
  [2, drawQueue],
  [4, drawChoice],
  [2, drawOther],
];

/** Actions and instructions of a flow in `table`, in an order that OpenFlow allows. */
export function drawActions(
  random: Random,
  match: Match,
  table: number,
  around: ActionContext,
): readonly Action[] {
  const list = [
    ...drawList(random, packetKnowledgeOf(match), random.integer(0, 4), around),
    ...(chance(random, 35) ? [{ kind: 'output', port: pick(random, portNumbers) } as const] : []),
  ];
  const behind = list.reduce(afterAction, packetKnowledgeOf(match));
  const written = chance(random, 10) ? drawWritten(random, behind, around) : [];
  return [
    ...(chance(random, 3) ? [drawMeter(random)] : []),
    ...list,
    ...(chance(random, 3) ? [{ kind: 'clear_actions' } as const] : []),
    ...(written.length === 0 ? [] : [{ kind: 'write_actions', actions: written } as const]),
    ...(chance(random, 5) ? [drawWriteMetadata(random, around)] : []),
    ...(table < lastTable && chance(random, 40)
      ? [
          {
            kind: 'goto',
            table: random.integer(table + 1, Math.min(table + 2, lastTable)),
          } as const,
        ]
      : []),
  ];
}

/**
 * What may be part of an action set, and of a bucket, which is carried out as one: there nobody
 * knows which transport's port is set.
 */
export function drawWritten(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): readonly Action[] {
  const list = drawList(random, standing, random.integer(1, 3), { ...around, depth: 0 }).filter(
    mayBeWritten,
  );
  return chance(random, 8) ? [...list, drawSetPort(random)] : list;
}

export function drawSetPort(random: Random): Action {
  return {
    kind: 'set_port',
    part: pick(random, ['src', 'dst'] as const),
    value: random.integer(0, 0xffff),
  };
}

export function drawMeter(random: Random): Action {
  return { kind: 'meter', meter: pick(random, meterIds) };
}

/** `length` actions, each of what is left of the packet behind the one before. */
export function drawList(
  random: Random,
  standing: PacketKnowledge,
  length: number,
  around: ActionContext,
): readonly Action[] {
  const list: Action[] = [];
  for (let behind = standing; list.length < length; ) {
    const action = weighted(random, families)(random, behind, around);
    if (action === undefined) continue;
    list.push(action);
    behind = afterAction(behind, action);
  }
  return list;
}

function drawOutput(random: Random): Action {
  const { IN_PORT, LOCAL, ALL, FLOOD, NORMAL } = reservedPorts;
  const port = weighted(random, [
    [12, () => pick(random, portNumbers)],
    [2, () => IN_PORT],
    [2, () => LOCAL],
    [1, () => ALL],
    [1, () => FLOOD],
    [1, () => NORMAL],
    [1, () => 9],
  ])();
  return { kind: 'output', port };
}

function drawTruncated(random: Random): Action {
  return {
    kind: 'output-truncated',
    port: pick(random, [...portNumbers, reservedPorts.IN_PORT]),
    maxLength: random.integer(14, 80),
  };
}

function drawQueue(random: Random): Action {
  return pick<Action>(random, [
    { kind: 'set_queue', queue: random.integer(0, 2) },
    { kind: 'pop_queue' },
    { kind: 'enqueue', port: pick(random, portNumbers), queue: random.integer(0, 2) },
  ]);
}

function drawController(random: Random): Action {
  const maxLength = pick(random, [0, 20, 65535]);
  if (chance(random, 40))
    return { kind: 'controller', maxLength, id: 0, reason: 'action', userdata: [], pause: false };
  return {
    kind: 'controller',
    maxLength,
    id: pick(random, [...controllerIds, 9]),
    reason: pick(random, packetInReasons),
    userdata: times(random.integer(0, 3), () => random.integer(0, 255)),
    pause: chance(random, 20),
  };
}

function drawGroup(
  random: Random,
  _standing: PacketKnowledge,
  { groups }: ActionContext,
): Action | undefined {
  return groups.length === 0 ? undefined : { kind: 'group', group: pick(random, groups) };
}

/** Fields that packets have here, those of the pool more often. */
function present({ match, tags }: PacketKnowledge, { pool }: ActionContext): readonly Field[] {
  return [...pool.packet, ...pool.scratch].filter(
    (row) =>
      allowsField(match, row) &&
      row.name !== 'actset_output' &&
      (tags > 0 || (row.name !== 'vlan_pcp' && row.name !== 'vlan_vid')),
  );
}

function writable(standing: PacketKnowledge, around: ActionContext): readonly Field[] {
  return present(standing, around).filter((row) => row.writable === 'anywhere');
}

function drawSubfield(
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

function drawOutputField(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const source = drawSubfield(random, present(standing, around), 1, 64);
  return source === undefined ? undefined : { kind: 'output-field', source };
}

function drawSet(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const rows = writable(standing, around);
  if (rows.length === 0) return undefined;
  return setOf(random, pick(random, rows), around.pool);
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

function drawMove(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const destination = drawSubfield(random, writable(standing, around), 1, 128);
  if (destination === undefined) return undefined;
  const source = drawSubfield(random, present(standing, around), 1, destination.bits);
  return source === undefined
    ? undefined
    : { kind: 'move', source, destination: { ...destination, bits: source.bits } };
}

function drawPush(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const source = drawSubfield(random, present(standing, around), 1, 128);
  return source === undefined ? undefined : { kind: 'push', source };
}

function drawPop(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  const destination = drawSubfield(random, writable(standing, around), 1, 128);
  return destination === undefined ? undefined : { kind: 'pop', destination };
}

/** Tags, labels and TTL. */
function drawHeader(random: Random, { match, tags }: PacketKnowledge): Action {
  const type = valueIn(match, 'dl_type');
  const isMpls = type === 0x8847n || type === 0x8848n;
  const isIp = matchesIp(match);
  return weighted<() => Action>(random, [
    [2, () => ({ kind: 'push_mpls', type: pick(random, [0x8847, 0x8848]) })],
    [2, () => ({ kind: 'set_vlan', part: 'vid', value: random.integer(0, 6), tagged: tags > 0 })],
    [1, () => ({ kind: 'set_vlan', part: 'pcp', value: random.integer(0, 7), tagged: tags > 0 })],
    [tags < mostTags ? 2 : 0, () => ({ kind: 'push_vlan', type: pick(random, [0x8100, 0x88a8]) })],
    [tags > 0 ? 3 : 0, () => ({ kind: 'pop_vlan' })],
    [
      isIp ? 4 : 0,
      () =>
        chance(random, 80) ? { kind: 'dec_ttl' } : { kind: 'dec_ttl', controllers: controllerIds },
    ],
    [
      isIp ? 1 : 0,
      () => ({
        kind: 'set',
        notation: 'own',
        field: fieldCalled('nw_ttl'),
        value: BigInt(random.integer(0, 3)),
      }),
    ],
    [
      isMpls ? 4 : 0,
      () => ({ kind: 'pop_mpls', type: pick(random, [0x0800, 0x86dd, 0x0806, 0x8847]) }),
    ],
    [isMpls ? 3 : 0, () => ({ kind: 'dec_mpls_ttl' })],
  ])();
}

/** Mostly onwards; now and then back, which may be a loop. */
function drawResubmit(random: Random): Action {
  const table = random.integer(0, lastTable);
  return weighted<Action>(random, [
    [8, { kind: 'resubmit', table, original: false }],
    [2, { kind: 'resubmit', port: pick(random, portNumbers), table, original: false }],
    [1, { kind: 'resubmit', port: pick(random, portNumbers), original: false }],
  ]);
}

function drawClone(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  return around.depth === 0
    ? undefined
    : {
        kind: 'clone',
        actions: drawList(random, standing, random.integer(1, 3), {
          ...around,
          depth: around.depth - 1,
        }),
      };
}

function drawWriteMetadata(random: Random, { pool }: ActionContext): Action {
  const row = fieldCalled('metadata');
  const mask = drawMask(random, row);
  return { kind: 'write_metadata', value: drawValue(random, pool, row) & mask, mask };
}

/** What a hash of the packet chooses. */
function drawChoice(
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

const tunnelOptions = tunnelFields.map(
  (row): Action => ({ kind: 'delete_field', field: asTabled(row) }),
);

function drawOther(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  // A bit of the packet itself, or of its mark, would be written or not, as other flows happen to
  // look at it.
  const destination = drawSubfield(
    random,
    writable(standing, around).filter((row) => row.word < word.ethSrc && row.name !== 'pkt_mark'),
    1,
    1,
  );
  return weighted<Action | undefined>(random, [
    [
      2,
      {
        kind: 'sample',
        probability: pick(random, [1, 0x8000, 0xffff]),
        collectorSet: random.integer(0, 2),
        domain: random.integer(0, 3),
        point: random.integer(0, 3),
      },
    ],
    [1, pick(random, tunnelOptions)],
    [
      3,
      destination === undefined
        ? undefined
        : { kind: 'check_pkt_larger', bytes: random.integer(30, 90), destination },
    ],
    [1, { kind: 'note', bytes: [1, 2, 3, 4, 5, 6] }],
    [1, { kind: 'ct_clear' }],
    [
      1,
      valueIn(standing.match, 'nw_proto') === 6n
        ? { kind: 'fin_timeout', idle: 0, hard: 0 }
        : undefined,
    ],
  ]);
}
