/**
 * What flows do: lists of actions that may stand beside a match, most of them about what the case's
 * flows match.
 */
import type { Random } from '../../base/random.js';
import type { Action } from '../../openflow/actions/actions.js';
import { mayBeWritten } from '../../openflow/actions/instruction-order.js';
import {
  afterAction,
  packetKnowledgeOf,
  valueIn,
} from '../../openflow/actions/packet-knowledge.js';
import type { PacketKnowledge } from '../../openflow/actions/known-packet.js';
import type { Match } from '../../openflow/match/match.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { tunnelFields } from '../fuzz-case.js';
import { portNumbers } from '../fuzz-network.js';
import { chance, pick, weighted } from './weighted.js';
import { asTabled } from './draw-pool.js';
import { lastTable, type ActionContext } from './action-context.js';
import { drawSubfield, writable } from './draw-subfield.js';
import { drawSet, drawSetPort, drawWriteMetadata } from './draw-set.js';
import { drawMove, drawPop, drawPush } from './draw-move.js';
import {
  drawController,
  drawGroup,
  drawMeter,
  drawOutput,
  drawOutputField,
  drawQueue,
  drawTruncated,
} from './draw-output.js';
import { drawHeader } from './draw-header.js';
import { drawChoice } from './draw-choice.js';

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
 * What may be part of an action set, and of a bucket, which is executed as one: there it is unknown
 * which transport's port is set.
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

const tunnelOptions = tunnelFields.map(
  (row): Action => ({ kind: 'delete_field', field: asTabled(row) }),
);

function drawOther(
  random: Random,
  standing: PacketKnowledge,
  around: ActionContext,
): Action | undefined {
  // A bit of the packet itself, or of its mark, would be written or not, depending on whether other
  // flows read it.
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
