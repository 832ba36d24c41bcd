/** What the packets of a long run must have met at least once each. */
import { bundleAlgorithms, multipathAlgorithms } from '../../openflow/actions/action.js';
import { fields, type Field } from '../../openflow/match/fields.js';
import { tunnelFields } from '../fuzz-case.js';
import { use, uses, type Coverage, type Use } from './coverage.js';
import { protocols } from './protocols.js';

/** A run of fewer packets may leave something out by chance. */
export const enoughPackets = 20_000;

/** Fields that cases have no use for, and why. */
const leftOut: readonly (readonly [name: RegExp, why: string])[] = [
  [/^(x|xx)?reg/, 'registers are counted together'],
  [/^(recirc_id|dp_hash|skb_priority|tun_tos|tun_ttl)$/, 'flows cannot match them'],
  [
    new RegExp(
      `^tun_metadata(?!(${tunnelFields.map(({ name }) => name.slice('tun_metadata'.length)).join('|')}` +
        ')$)',
    ),
    'the bridges have no such option',
  ],
  [/^tun_(erspan_(idx|dir|hwid)|gtpu_)/, 'no frame comes out of such a tunnel'],
  [/^ct_(nw|ipv6|tp)_/, 'of connections, which cases have none of'],
  [
    /^(packet_type|conj_id|in_port_oxm|dl_vlan|dl_vlan_pcp|actset_output|eth_type|nw_proto)$/,
    'part of other matches, or a second name',
  ],
];

const flowActions: readonly string[] = [
  'output',
  ...['IN_PORT', 'LOCAL', 'ALL', 'FLOOD', 'NORMAL'].map((name) => `output to ${name}`),
  'output-field',
  'output-truncated',
  'controller',
  'controller with userdata',
  'enqueue',
  'set_queue',
  'pop_queue',
  ...['all', 'indirect', 'select', 'ff'].map((type) => `group ${type}`),
  'set_field',
  'set_field with a mask',
  'mod_vlan_vid',
  'mod_vlan_pcp',
  'set_port',
  'delete_field',
  'move',
  'push',
  'pop',
  'push_vlan',
  'pop_vlan',
  'push_mpls',
  'pop_mpls',
  'dec_mpls_ttl',
  'dec_ttl',
  'meter',
  'goto_table',
  'resubmit',
  'clone',
  'exit',
  'write_metadata',
  'write_actions',
  'clear_actions',
  'conjunction',
  ...bundleAlgorithms.flatMap((algorithm) => [`bundle ${algorithm}`, `bundle_load ${algorithm}`]),
  ...multipathAlgorithms.map((algorithm) => `multipath ${algorithm}`),
  'check_pkt_larger',
  'sample',
  'note',
  'ct_clear',
  'fin_timeout',
];

/** The fields that are asked for, and in which uses. */
export const requiredFields: readonly { readonly field: Field; readonly uses: readonly Use[] }[] =
  fields
    .filter(({ name }) => !leftOut.some(([pattern]) => pattern.test(name)))
    .map((field) => ({ field, uses: uses.filter((how) => isPossible(field, how)) }));

/** A field of one bit has no part that could be masked. */
function isPossible({ maskable, writable, isView, name, bits }: Field, how: Use): boolean {
  if (how === 'exactly') return !isView && name !== 'ip_frag';
  if (how === 'masked') return !isView && maskable && bits > 1;
  return how === 'read' || writable === 'anywhere';
}

/** The names of what packets never met. */
export function missingFromPackets({
  fields: met,
  actions,
  protocols: seen,
}: Coverage): readonly string[] {
  return [
    ...requiredFields
      .flatMap(({ field, uses: asked }) => asked.map((how) => use(field.name, how)))
      .filter((name) => !met.has(name)),
    ...flowActions.filter((name) => !actions.has(name)),
    ...protocols.filter((name) => !seen.has(name)),
  ];
}

const statefulActions: readonly string[] = [
  'group select',
  'group ff',
  'group all',
  'meter',
  'fin_timeout',
  'ct',
  'ct with commit',
  'ct with force',
  'ct with commit and table',
  'ct in the zone of a field',
  'ct with exec',
  'nat',
  'nat of src',
  'nat of dst',
  'ct_clear',
  'clone',
  'learn',
  'learn with delete_learned',
  'learn with a limit',
];
const operations: readonly string[] = [
  'advance',
  'flow add',
  'flow delete',
  'flow delete_strict',
  'flow modify',
  'flow modify_strict',
  'group modify',
  'group insert_bucket',
  'group remove_bucket',
  'group delete',
  'link up',
  'link down',
  'flush',
  'flush of a zone',
  'flush of a connection',
];
const statefulFields: readonly string[] = [
  'tun_id exactly',
  'tun_id masked',
  'tun_src exactly',
  'tun_ipv6_src exactly',
  'tun_metadata0 exactly',
  'tun_flags exactly',
  'tun_dst written',
  'tun_ipv6_dst written',
  'tun_id written',
  'tun_metadata0 written',
  'ct_state masked',
  'ct_zone exactly',
  'ct_mark exactly',
  'ct_mark masked',
  'ct_mark written',
  'ct_label masked',
  'ct_label written',
  'ct_nw_src exactly',
  'ct_ipv6_src exactly',
];

/** The names of what sequences never met. */
export function missingFromSequences({
  fields: met,
  actions,
  operations: done,
}: Coverage): readonly string[] {
  return [
    ...statefulFields.filter((name) => !met.has(name)),
    ...statefulActions.filter((name) => !actions.has(name)),
    ...operations.filter((name) => !done.has(name)),
  ];
}
