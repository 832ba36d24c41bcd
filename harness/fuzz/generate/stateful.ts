/** Flows that remember: connections in several zones, translated and marked, flows that are learned and that expire. As texts. */
import type { Random } from '../../base/random.js';
import { chance, pick, times } from './draw.js';
import { addressOf, clientPorts, translatedHost, type Family } from './traffic.js';

/** Zones that flows name; from reg0 the same come. */
export const zones: readonly number[] = [1, 2];
const tables = { entry: 0, tracked: 1, again: 2, last: 3, learned: 4 } as const;

const word = (family: Family) => (family === 'ipv4' ? 'ip' : 'ipv6');
const families: readonly Family[] = ['ipv4', 'ipv6'];
const joined = (...parts: readonly (string | undefined)[]) => parts.filter((part) => part !== undefined && part !== '').join(',');

export function drawStatefulFlows(random: Random): readonly string[] {
  return [
    ...families.map((family) => `table=${tables.entry},priority=10,${word(family)} actions=${joined(beforeTracking(random, family), track(random, tables.tracked), chance(random, 15) ? output(random) : '')}`),
    ...(chance(random, 40) ? [drawStatefulFlow(random, tables.entry)] : []),
    `table=${tables.entry},priority=0 actions=${pick(random, ['NORMAL', 'output:2', 'drop'])}`,
    ...times(random.integer(3, 7), () => drawStatefulFlow(random, tables.tracked)),
    ...times(random.integer(1, 4), () => drawStatefulFlow(random, tables.again)),
    `table=${tables.again},priority=0 actions=${output(random)}`,
    ...(chance(random, 30) ? [`table=${tables.last},priority=5,ip actions=dec_ttl,${output(random)}`] : []),
    `table=${tables.last},priority=0 actions=${output(random)}`,
    ...(chance(random, 50) ? [`table=${tables.learned},priority=0 actions=${output(random)}`] : []),
  ];
}

/** One flow of `table`, which a switch may have or not. */
export function drawStatefulFlow(random: Random, table: number): string {
  const family = pick(random, families);
  const attributes = chance(random, 8) ? `${pick(random, ['idle_timeout', 'hard_timeout'])}=${pick(random, [5, 30])},` : '';
  const state = table === tables.entry ? '' : pick(random, ['+trk+new', '+trk+new', '+trk+est', '+trk+est-rpl', '+est+rpl', '+inv+trk', '+trk+rel', '+trk', '+trk+snat', '+trk+dnat', '-new+est']);
  const more = pick(random, ['', '', '', 'tcp', 'udp', 'ct_mark=0x5', 'ct_mark=0x1/0x1', 'ct_zone=1', `ct_${family === 'ipv4' ? 'nw' : 'ipv6'}_src=${addressOf(family, 1)}`, 'in_port=1', 'ct_label=0x7/0xf']);
  const kind = more === 'tcp' || more === 'udp' ? `${more}${family === 'ipv4' ? '' : '6'}` : word(family);
  const match = joined(state === '' || (table === tables.entry && more.startsWith('ct_')) ? '' : `ct_state=${state}`, kind, more === kind || more === 'tcp' || more === 'udp' || (table === tables.entry && more.startsWith('ct_')) ? '' : more);
  return `${attributes}table=${table},priority=${random.integer(11, 0xfffe)},${match} actions=${thenDo(random, table, family, state.includes('+inv'))}`;
}

/** The zone of entries is chosen by the port, or a number. */
function beforeTracking(random: Random, family: Family): string {
  return joined(chance(random, 30) ? `set_field:${pick(random, zones)}->reg0` : '', chance(random, 12) ? `clone(${commitIn(random, family, undefined)})` : '', chance(random, 15) ? learn(random, family) : '');
}

function zone(random: Random): string {
  return chance(random, 12) ? 'NXM_NX_REG0[0..15]' : String(pick(random, zones));
}

function track(random: Random, table: number): string {
  return `ct(${joined(`table=${table}`, `zone=${zone(random)}`, chance(random, 50) ? 'nat' : '')})`;
}

function commitIn(random: Random, family: Family, table: number | undefined): string {
  const marks = [`set_field:${pick(random, ['0x5', '0x1/0x1', '0x4/0xc'])}->ct_mark`, 'set_field:0x7->ct_label', `move:NXM_OF_${family === 'ipv4' ? 'IP_SRC[0..15]' : 'IN_PORT[]'}->NXM_NX_CT_MARK[0..15]`];
  const exec = chance(random, 35) ? `exec(${joined(...marks.filter(() => chance(random, 50)))})`.replace('exec()', '') : '';
  return `ct(${joined('commit', chance(random, 10) ? 'force' : '', `zone=${zone(random)}`, table === undefined ? '' : `table=${table}`, chance(random, 45) ? translation(random, family) : '', exec)})`;
}

/** To one address, with or without a port, as a rule; sometimes to one of several. */
function translation(random: Random, family: Family): string {
  const [first, last] = [addressOf(family, translatedHost), addressOf(family, translatedHost + 1)].map((address) => (family === 'ipv4' ? address : `[${address}]`));
  const to = pick(random, [first, first, `${first}:${clientPorts[0]}`, `${first}:5000-5002`, `${first}-${last}`, `${first}-${last}:6000`]);
  const bare = (text = '') => (text.includes(']:') ? text : text.replace(/[[\]]/g, ''));
  return `nat(${pick(random, ['src', 'src', 'dst'])}=${bare(to)}${chance(random, 10) ? ',random' : chance(random, 10) ? ',persistent' : ''})`;
}

/** Into the next table, or out: a connection that is invalid is not committed. */
function thenDo(random: Random, table: number, family: Family, isInvalid: boolean): string {
  const next = table + 1;
  const choices = [
    () => output(random), () => output(random), () => `${commitIn(random, family, tables.last)}`, () => joined(commitIn(random, family, undefined), output(random)), () => joined(`clone(${commitIn(random, family, undefined)},${output(random)})`, output(random)),
    () => (table < tables.again ? track(random, next) : output(random)), () => joined('ct_clear', output(random)), () => joined(learn(random, family), output(random)), () => `resubmit(,${tables.learned})`,
    () => joined('output:5', output(random)), () => joined('dec_ttl', output(random)), () => (family === 'ipv4' ? joined(commitIn(random, family, undefined), 'set_field:10.0.0.3->ip_dst', track(random, tables.last)) : output(random)),
  ];
  const drawn = pick(random, choices)();
  return isInvalid && drawn.includes('commit') ? output(random) : drawn;
}

function output(random: Random): string {
  return `output:${pick(random, [1, 2, 3, 4, 'in_port', 5])}`.replace('output:in_port', 'in_port');
}

/** A flow for answers, or one that counts what is like the packet at hand. */
function learn(random: Random, family: Family): string {
  const type = family === 'ipv4' ? 'eth_type=0x800' : 'eth_type=0x86dd';
  const fields = family === 'ipv4' ? 'NXM_OF_IP_SRC[]=NXM_OF_IP_DST[]' : 'NXM_NX_IPV6_SRC[]=NXM_NX_IPV6_DST[]';
  const options = joined(chance(random, 40) ? `idle_timeout=${pick(random, [1, 10, 60])}` : '', chance(random, 30) ? `hard_timeout=${pick(random, [2, 30])}` : '', chance(random, 15) ? 'delete_learned' : '', chance(random, 15) ? 'limit=2' : '');
  return `learn(${joined(`table=${tables.learned}`, options, `priority=${pick(random, [100, 200])}`, type, pick(random, [fields, `${fields},NXM_OF_ETH_SRC[]=NXM_OF_ETH_DST[]`, 'NXM_OF_ETH_DST[]=NXM_OF_ETH_SRC[]']), 'output:NXM_OF_IN_PORT[]')})`;
}

/** The bridge beyond tracks on its own, or not. */
export function drawStatefulBeyond(random: Random): readonly string[] {
  if (chance(random, 40)) return ['priority=0 actions=output:2'];
  return [
    `ip actions=ct(table=1,zone=${pick(random, zones)})`, 'priority=0 actions=output:3',
    `table=1,priority=10,ct_state=+trk+new,ip actions=ct(commit,zone=${pick(random, zones)}),output:${pick(random, [2, 3])}`, `table=1,priority=5,ip actions=${pick(random, ['output:2', 'in_port', 'output:3'])}`,
  ];
}
