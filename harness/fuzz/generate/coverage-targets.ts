/** What drawn flows seldom hit by chance, and are therefore aimed at. */
import type { Random } from '../../base/random.js';
import type { Action } from '../../openflow/actions/action.js';
import { fieldCalled, type Field } from '../../openflow/match/fields.js';
import { exactly, type Match } from '../../openflow/match/match.js';
import type { Use } from '../coverage/coverage.js';
import { pick } from './weighted.js';
import { drawSetPort } from './draw-set.js';
import { drawMeter } from './draw-output.js';
import { portNumbers } from '../fuzz-network.js';
import { requiredFields } from '../coverage/required.js';
import { tunnelFields } from '../fuzz-case.js';

export type CoverageTarget =
  | { readonly kind: 'field'; readonly field: Field; readonly use: Use }
  | {
      readonly kind: 'actions';
      readonly match: Match;
      readonly draw: (random: Random) => readonly Action[];
    }
  | { readonly kind: 'conjunction' };

const typed = (type: number, protocol?: number): Match => [
  exactly(fieldCalled('eth_type'), type),
  ...(protocol === undefined ? [] : [exactly(fieldCalled('nw_proto'), protocol)]),
];

/** Actions that are rare otherwise. */
const rareActions: readonly CoverageTarget[] = [
  {
    kind: 'actions',
    match: [],
    draw: (random) => [
      { kind: 'set_vlan', part: 'vid', value: random.integer(0, 6), tagged: false },
    ],
  },
  {
    kind: 'actions',
    match: [],
    draw: (random) => [
      { kind: 'set_vlan', part: 'pcp', value: random.integer(0, 7), tagged: false },
    ],
  },
  {
    kind: 'actions',
    match: typed(0x0800, 6),
    draw: () => [{ kind: 'fin_timeout', idle: 0, hard: 0 }],
  },
  {
    kind: 'actions',
    match: typed(0x86dd, 6),
    draw: (random) => [
      { kind: 'fin_timeout', idle: random.integer(0, 20), hard: random.integer(0, 20) },
    ],
  },
  { kind: 'actions', match: typed(0x8847), draw: () => [{ kind: 'dec_mpls_ttl' }] },
  {
    kind: 'actions',
    match: typed(0x8847),
    draw: (random) => [{ kind: 'pop_mpls', type: pick(random, [0x0800, 0x86dd, 0x8847]) }],
  },
  { kind: 'actions', match: [], draw: (random) => [drawMeter(random)] },
  {
    kind: 'actions',
    match: typed(0x0800, 17),
    draw: (random) => [
      {
        kind: 'write_actions',
        actions: [drawSetPort(random), { kind: 'output', port: pick(random, portNumbers) }],
      },
    ],
  },
];

/** The field rows have the widths that the bridges give them. */
export const coverageTargets: readonly CoverageTarget[] = [
  ...requiredFields.flatMap(({ field, uses }) =>
    uses.map(
      (use): CoverageTarget => ({
        kind: 'field',
        field: tunnelFields.find(({ name }) => name === field.name) ?? field,
        use,
      }),
    ),
  ),
  ...rareActions,
  { kind: 'conjunction' },
];
