/**
 * Flows that remember: connections in several zones, translated and marked, flows that are learned
 * and that expire. As texts.
 */
import type { Random } from '../../base/random.js';
import { meterIds, type Network } from '../fuzz-network.js';
import { chance, pick, times, weighted } from './weighted.js';
import { clientPorts, translatedHost, addressOf, type Family } from './conversation.js';
import { intoTunnel } from './draw-underlay.js';

/** A group, for packets of one family. */
export interface KnownGroup {
  readonly id: number;
  readonly family: Family;
}

/** What flows may name. */
export interface StatefulContext {
  readonly network: Network;
  readonly groups: readonly KnownGroup[];
}

/** Zones that flows name; from reg0 the same come. */
export const zones: readonly number[] = [1, 2];
export const tables = { entry: 0, tracked: 1, again: 2, last: 3, learned: 4 } as const;

const word = (family: Family) => (family === 'ipv4' ? 'ip' : 'ipv6');
const families: readonly Family[] = ['ipv4', 'ipv6'];
const joined = (...parts: readonly (string | undefined)[]) =>
  parts.filter((part) => part !== undefined && part !== '').join(',');

export function drawStatefulFlows(random: Random, around: StatefulContext): readonly string[] {
  return [
    ...families.map(
      (family) =>
        `table=${tables.entry},priority=10,${word(family)} ` +
        `actions=${joined(beforeTracking(random, family), track(random, tables.tracked), chance(random, 15) ? output(random, around) : '')}`,
    ),
    ...(chance(random, 40) ? [drawStatefulFlow(random, tables.entry, around)] : []),
    // In which order a flood's copies go into several tunnels differs from one process of Open
    // vSwitch to the next: bundles are kept by the hashes of their addresses in memory
    // (ofproto-dpif.c, bundle_set).
    `table=${tables.entry},priority=0 ` +
      `actions=${pick(random, [around.network === 'two nodes' ? 'output:4' : 'NORMAL', 'output:2', 'drop'])}`,
    ...times(random.integer(3, 7), () => drawStatefulFlow(random, tables.tracked, around)),
    ...(chance(random, 80)
      ? [`table=${tables.tracked},priority=0 actions=${output(random, around)}`]
      : []),
    ...times(random.integer(1, 4), () => drawStatefulFlow(random, tables.again, around)),
    `table=${tables.again},priority=0 actions=${output(random, around)}`,
    ...(chance(random, 30)
      ? [`table=${tables.last},priority=5,ip actions=dec_ttl,${output(random, around)}`]
      : []),
    `table=${tables.last},priority=0 actions=${output(random, around)}`,
    ...(chance(random, 50)
      ? [`table=${tables.learned},priority=0 actions=${output(random, around)}`]
      : []),
  ];
}

/** One flow of `table`, which a switch may have or not. */
export function drawStatefulFlow(random: Random, table: number, around: StatefulContext): string {
  const family = pick(random, families);
  const attributes = chance(random, 8)
    ? `${pick(random, ['idle_timeout', 'hard_timeout'])}=${pick(random, [5, 30])},`
    : '';
  const [state, kind, more] =
    table === tables.entry
      ? ['', pick(random, [word(family), kindOf(random, family)]), pick(random, ['', 'in_port=1'])]
      : drawConnectionMatch(random, family);
  const actions = thenDo(random, table, family, around, state.includes('+inv') ? 'invalid' : 'any');
  const closing =
    kind.startsWith('tcp') && !actions.startsWith('meter') && chance(random, 25)
      ? 'fin_timeout(idle_timeout=5,hard_timeout=20)'
      : '';
  const match = joined(state === '' ? '' : `ct_state=${state}`, kind, more);
  return (
    `${attributes}table=${table},priority=${random.integer(11, 0xfffe)},${match} ` +
    `actions=${joined(closing, actions)}`
  );
}

/**
 * What is known of a connection, what the packet is of, and more of either. What a connection began
 * with is known only of what is valid.
 */
function drawConnectionMatch(
  random: Random,
  family: Family,
): readonly [state: string, kind: string, more: string] {
  if (chance(random, 10))
    return [
      pick(random, ['+trk-inv', '+trk+est-inv']),
      word(family),
      `ct_${family === 'ipv4' ? 'nw' : 'ipv6'}_src=${addressOf(family, 1)}`,
    ];
  const kind = pick(random, [word(family), word(family), kindOf(random, family)]);
  if (chance(random, 35))
    return [
      pick(random, ['+trk', '+trk+est', '-new+est']),
      kind,
      pick(random, ['ct_mark=0x5', 'ct_mark=0x5', 'ct_mark=0x1/0x1', 'ct_label=0x7/0xf']),
    ];
  const state = pick(random, [
    '+trk+new',
    '+trk+new',
    '+trk+est',
    '+trk+est-rpl',
    '+est+rpl',
    '+inv+trk',
    '+trk+rel',
    '+trk',
    '+trk',
    '+trk+snat',
    '+trk+dnat',
    '-new+est',
  ]);
  return [state, kind, pick(random, ['', '', '', 'ct_zone=1', 'in_port=1'])];
}

function kindOf(random: Random, family: Family): string {
  return `${pick(random, ['tcp', 'udp'])}${family === 'ipv4' ? '' : '6'}`;
}

/** The zone of entries is chosen by the port, or a number. */
function beforeTracking(random: Random, family: Family): string {
  return joined(
    chance(random, 30) ? `set_field:${pick(random, zones)}->reg0` : '',
    chance(random, 12) ? `clone(${commitIn(random, family, undefined)})` : '',
    chance(random, 15) ? learn(random, family) : '',
  );
}

function zone(random: Random): string {
  return chance(random, 12) ? 'NXM_NX_REG0[0..15]' : String(pick(random, [...zones, 1, 1]));
}

function track(random: Random, table: number): string {
  return `ct(${joined(`table=${table}`, `zone=${zone(random)}`, chance(random, 50) ? 'nat' : '')})`;
}

export function commitIn(random: Random, family: Family, table: number | undefined): string {
  const marks = [
    `set_field:${pick(random, ['0x5', '0x5', '0x1/0x1', '0x4/0xc'])}->ct_mark`,
    'set_field:0x7->ct_label',
    'move:NXM_OF_IN_PORT[]->NXM_NX_CT_MARK[0..15]',
  ];
  const some = (): string =>
    joined(...marks.filter((_, index) => chance(random, index === 0 ? 80 : 40)));
  const exec = chance(random, 65) ? `exec(${some()})`.replace('exec()', '') : '';
  return `ct(${joined('commit', chance(random, 10) ? 'force' : '', `zone=${zone(random)}`, table === undefined ? '' : `table=${table}`, chance(random, 45) ? drawNat(random, family) : '', exec)})`;
}

/** To one address, with or without a port, as a rule; sometimes to one of several. */
function drawNat(random: Random, family: Family): string {
  const [first, last] = [
    addressOf(family, translatedHost),
    addressOf(family, translatedHost + 1),
  ].map((address) => (family === 'ipv4' ? address : `[${address}]`));
  const to = pick(random, [
    first,
    first,
    `${first}:${clientPorts[0]}`,
    `${first}:5000-5002`,
    `${first}-${last}`,
    `${first}-${last}:6000`,
  ]);
  const bare = (text = '') => (text.includes(']:') ? text : text.replace(/[[\]]/g, ''));
  return (
    `nat(${pick(random, ['src', 'src', 'dst'])}` +
    `=${bare(to)}${chance(random, 10) ? ',random' : chance(random, 10) ? ',persistent' : ''}` +
    ')'
  );
}

/** Into the next table, or out: a connection that is invalid is not committed. */
function thenDo(
  random: Random,
  table: number,
  family: Family,
  around: StatefulContext,
  packets: 'invalid' | 'any',
): string {
  const [out, commits] = [() => output(random, around), () => commitIn(random, family, undefined)];
  const drawn = weighted<() => string>(random, [
    [2, out],
    [1, () => commitIn(random, family, tables.last)],
    [1, () => joined(commits(), out())],
    [1, () => joined(`clone(${commits()},${out()})`, out())],
    [1, () => (table < tables.again ? track(random, table + 1) : out())],
    [1, () => joined('ct_clear', out())],
    [1, () => joined(learn(random, family), out())],
    [1, () => `resubmit(,${tables.learned})`],
    [1, () => joined('output:5', out())],
    [1, () => joined('dec_ttl', out())],
    [1, () => joined(`meter:${pick(random, meterIds)}`, out())],
    [4, () => joined(throughGroup(random, family, around), chance(random, 10) ? out() : '')],
    [
      1,
      () =>
        family === 'ipv4'
          ? joined(commits(), 'set_field:10.0.0.3->ip_dst', track(random, tables.last))
          : out(),
    ],
  ])();
  return packets === 'invalid' && drawn.includes('commit') ? output(random, around) : drawn;
}

export function output(random: Random, { network }: StatefulContext): string {
  if (network === 'two nodes' && chance(random, 35)) return intoTunnel(random, 'near');
  return `output:${pick(random, [1, 2, 3, 4, 'in_port', 5])}`.replace('output:in_port', 'in_port');
}

/** A group for packets of this family, where there is one. */
function throughGroup(random: Random, family: Family, around: StatefulContext): string {
  const fitting = around.groups.filter((group) => group.family === family);
  return fitting.length === 0 ? output(random, around) : `group:${pick(random, fitting).id}`;
}

/** A flow for answers, or one that counts what is like the packet at hand. */
function learn(random: Random, family: Family): string {
  const type = family === 'ipv4' ? 'eth_type=0x800' : 'eth_type=0x86dd';
  const fields =
    family === 'ipv4' ? 'NXM_OF_IP_SRC[]=NXM_OF_IP_DST[]' : 'NXM_NX_IPV6_SRC[]=NXM_NX_IPV6_DST[]';
  const options = joined(
    chance(random, 40) ? `idle_timeout=${pick(random, [1, 10, 60])}` : '',
    chance(random, 30) ? `hard_timeout=${pick(random, [2, 30])}` : '',
    chance(random, 15) ? 'delete_learned' : '',
    chance(random, 15) ? 'limit=2' : '',
  );
  return `learn(${joined(`table=${tables.learned}`, options, `priority=${pick(random, [100, 200])}`, type, pick(random, [fields, `${fields},NXM_OF_ETH_SRC[]=NXM_OF_ETH_DST[]`, 'NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[]']), 'output:NXM_OF_IN_PORT[]')})`;
}

/** The bridge beyond tracks on its own, or not. */
export function drawStatefulBeyond(random: Random): readonly string[] {
  if (chance(random, 40)) return ['priority=0 actions=output:2'];
  return [
    `ip actions=ct(table=1,zone=${pick(random, zones)})`,
    'priority=0 actions=output:3',
    `table=1,priority=10,ct_state=+trk+new,ip actions=ct(commit,zone=${pick(random, zones)}),` +
      `output:${pick(random, [2, 3])}`,
    `table=1,priority=5,ip actions=${pick(random, ['output:2', 'in_port', 'output:3'])}`,
  ];
}
