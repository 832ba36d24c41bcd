/**
 * What a case sees to it that packets meet, whatever else it draws: one use of a field, or one
 * action. Cases take turns, so that a long run leaves out none of them.
 */
import type { Random } from '../../base/random.js';
import { protocolContexts } from '../../model/testkit/arbitrary-match.js';
import type { Action } from '../../openflow/actions/actions.js';
import { fieldCalled, type Field } from '../../openflow/match/fields.js';
import type { Flow } from '../../openflow/flows/flow.js';
import { exactly, type Match } from '../../openflow/match/match.js';
import { allowsField } from '../../openflow/match/prerequisites.js';
import { word } from '../../packet/flow-key/flow-key.js';
import type { PacketStep } from '../fuzz-case.js';
import { patchPort, portNumbers } from '../fuzz-network.js';
import { drawActions } from './draw-actions.js';
import { setOf } from './draw-set.js';
import { lastTable, type ActionContext } from './action-context.js';
import { chance, pick, times } from './weighted.js';
import { frontPorts, matching } from './draw-frames.js';
import { inOrder } from './draw-match.js';
import { asTabled, drawMaskedAs, matchOn } from './draw-pool.js';
import { type CoverageTarget, coverageTargets } from './coverage-targets.js';

export type DrawnFlow = Pick<Flow, 'table' | 'priority' | 'match' | 'actions'>;

const targetsPerCase = 2;
const packetsPerTarget = 3;
/** Above all else that is drawn. */
const highest = 0xff00;

export interface TargetedFlows {
  readonly flows: readonly DrawnFlow[];
  readonly packets: readonly PacketStep[];
}

/** Those of case `index`, each at a port of its own. */
export function drawTargetedFlows(
  random: Random,
  index: number,
  around: ActionContext,
): readonly TargetedFlows[] {
  const ports = chance(random, 50) ? frontPorts : frontPorts.toReversed();
  return times(targetsPerCase, (turn) => {
    const target = coverageTargets[(index * targetsPerCase + turn) % coverageTargets.length]!;
    const [port, priority] = [ports[turn]!, highest + turn];
    const at = exactly(fieldCalled('in_port'), port);
    const [first, ...others] = drawFlows(random, target, priority, around);
    const match = inOrder([...first!.match.filter(({ field }) => field !== at.field), at]);
    const packets = times(
      packetsPerTarget,
      (): PacketStep => ({
        kind: 'packet',
        port: String(port),
        frame: matching(random, around.pool, match),
      }),
    );
    return {
      flows: [{ ...first!, match, actions: continueElsewhere(random, first!.actions) }, ...others],
      packets,
    };
  });
}

function drawFlows(
  random: Random,
  target: CoverageTarget,
  priority: number,
  around: ActionContext,
): readonly DrawnFlow[] {
  switch (target.kind) {
    case 'field':
      return drawField(random, target, priority, around);
    case 'actions':
      return [{ table: 0, priority, match: target.match, actions: target.draw(random) }];
    case 'conjunction':
      return drawConjunction(random, priority, around);
  }
}

/**
 * In another table, flows of every clause that the packet matches, one that it does not, and the
 * flow of the conjunction.
 */
function drawConjunction(
  random: Random,
  priority: number,
  around: ActionContext,
): readonly DrawnFlow[] {
  const [table, clauses, id, context] = [
    random.integer(1, lastTable),
    random.integer(2, 3),
    13,
    pick(
      random,
      protocolContexts.filter((kind) => kind.length > 0),
    ),
  ];
  const metadata = (value: number): Match => [exactly(fieldCalled('metadata'), value)];
  const part = (clause: number, match: Match): DrawnFlow => ({
    table,
    priority,
    match: inOrder(match),
    actions: [{ kind: 'conjunction', id, clause, clauses }],
  });
  return [
    { table: 0, priority, match: context, actions: [{ kind: 'resubmit', table, original: false }] },
    part(1, context),
    part(2, metadata(0)),
    part(2, metadata(1)),
    ...(clauses > 2 ? [part(3, [...context, ...metadata(0)])] : []),
    {
      table,
      priority: priority + targetsPerCase,
      match: [exactly(fieldCalled('conj_id'), id)],
      actions: drawActions(random, [], table, around),
    },
  ];
}

/**
 * What is met first, and then all the other flows of its table: for them the packet comes in
 * elsewhere.
 */
function continueElsewhere(random: Random, actions: readonly Action[]): readonly Action[] {
  const isLast = actions.some(({ kind }) => kind === 'write_actions');
  const seen: readonly Action[] = chance(random, 50)
    ? [
        {
          kind: 'output',
          port: pick(
            random,
            portNumbers.filter((port) => port !== patchPort),
          ),
        },
      ]
    : [];
  const on: Action = {
    kind: 'resubmit',
    port: pick(
      random,
      portNumbers.filter((port) => !frontPorts.includes(port)),
    ),
    table: 0,
    original: false,
  };
  return isLast ? [...seen, ...actions] : [...actions, ...seen, on];
}

function drawField(
  random: Random,
  { field, use }: Extract<CoverageTarget, { kind: 'field' }>,
  priority: number,
  around: ActionContext,
): readonly DrawnFlow[] {
  const context = contextOf(random, field);
  if (use === 'written')
    return [{ table: 0, priority, match: context, actions: [setOf(random, field, around.pool)] }];
  if (use === 'read')
    return [{ table: 0, priority, match: context, actions: drawRead(random, field) }];
  const match = inOrder([
    ...context,
    matchOn(field, drawMaskedAs(random, around.pool, field, use)),
  ]);
  const isThere =
    field.word >= word.ethSrc || field.writable !== 'anywhere' || field.name === 'in_port';
  if (isThere) return [{ table: 0, priority, match, actions: [] }];
  const [value] = match.filter((entry) => entry.field.name === field.name);
  const table = random.integer(1, lastTable);
  return [
    {
      table: 0,
      priority,
      match: context,
      actions: [
        { kind: 'set', notation: 'set_field', field: asTabled(field), value: value!.value },
        { kind: 'resubmit', table, original: false },
      ],
    },
    { table, priority, match, actions: drawActions(random, match, table, around) },
  ];
}

/** Packets that have the field, of one kind of those that there are. */
function contextOf(random: Random, field: Field): Match {
  const kinds = protocolContexts.filter(
    (kind) => allowsField(kind, field) && !kind.some((entry) => entry.field === field),
  );
  const tagged: Match =
    field.name === 'vlan_vid' || field.name === 'vlan_pcp'
      ? [{ field: fieldCalled('vlan_tci'), value: 0x1000n, mask: 0x1000n }]
      : [];
  return inOrder([
    ...(field.prerequisite === 'none' || field.prerequisite === 'ethernet'
      ? []
      : pick(random, kinds)),
    ...tagged,
  ]);
}

/** Its lowest bits go into a register, or choose a port. */
function drawRead(random: Random, field: Field): readonly Action[] {
  const source = { field: asTabled(field), offset: 0, bits: Math.min(field.bits, 32) };
  return chance(random, 70)
    ? [
        {
          kind: 'move',
          source,
          destination: { field: fieldCalled('reg0'), offset: 0, bits: source.bits },
        },
      ]
    : [{ kind: 'output-field', source }];
}
