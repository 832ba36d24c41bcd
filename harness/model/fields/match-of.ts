/** A packet as a match of all its fields: how it is printed for people. */
import { fields, type Field } from '../../openflow/match/fields.js';
import { noNames, type Form } from '../../openflow/syntax/form.js';
import type { Match } from '../../openflow/match/match.js';
import { printMatch } from '../../openflow/match/print-match.js';
import { countLabels, countTags, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { hasField } from './has-field.js';
import { readField } from './field-values.js';
import { isPresent, type OptionFields } from './tunnel-options.js';

/**
 * Fields that the pipeline knows of every packet, and that say nothing about it; and those that
 * share a word with another or read as zero.
 */
const neverPrinted: ReadonlySet<string> = new Set([
  'conj_id',
  'actset_output',
  'packet_type',
  'nd_options_type',
]);
/** Fields of packets that are printed only where they are not zero. */
const printedIfNonzero: ReadonlySet<string> = new Set(['nd_reserved']);

/**
 * Every field that the packet has in its bytes, and what the pipeline knows of it beside them where
 * that is not zero (Open vSwitch lib/flow.c, flow_format). Tags and labels below the first are not
 * among them; options of tunnels are, as far as the bridge has `options`.
 */
export function matchOf(key: FlowKey, options: OptionFields = []): Match {
  const match: Match[number][] = [];
  for (const field of everPrinted) {
    if (field.notation === 'option') {
      if (options.length > 0) match.push(...optionIn(key, field.name, options));
      continue;
    }
    const value = readField(key, field);
    if (isPrinted(key, field, value)) match.push({ field, value, mask: field.ones });
  }
  return match;
}

const everPrinted = fields.filter((field) => !field.isView && !neverPrinted.has(field.name));

/** The option that `name` stands for, where the packet has it. */
function optionIn(key: FlowKey, name: string, options: OptionFields): Match {
  const own = options.find(({ field }) => field.name === name)?.field;
  return own === undefined || !isPresent(key, own)
    ? []
    : [{ field: own, value: readField(key, own), mask: own.ones }];
}

function isPrinted(key: FlowKey, field: Field, value: bigint): boolean {
  return value !== 0n || (field.word >= word.ethSrc && !printedIfNonzero.has(field.name))
    ? field.word < word.ethSrc || hasField(key, field)
    : false;
}

/**
 * The whole tag control information, as OpenFlow 1.0 has it: `vlan_tci=0x0000` of a packet without
 * a tag.
 */
const wholeTags: Form = { ...noNames, protocol: 'OpenFlow10' };

/**
 * `tcp,reg0=0x3,in_port=1,vlan_tci=0x0000,dl_src=…,tp_dst=80,tcp_flags=0`: as ofproto/trace prints
 * it, an inner tag and inner labels included.
 */
export function printKey(key: FlowKey, options: OptionFields = []): string {
  const text = withLabels(key, printMatch(matchOf(key, options), wholeTags));
  if (countTags(key) < 2) return text;
  const inner = key[word.vlanTci + 1] ?? 0;
  return text.replace(/dl_vlan_pcp=\d/, `$&,dl_vlan1=${inner & 0xfff},dl_vlan_pcp1=${inner >> 13}`);
}

/** Behind the first label, the others as they stand in the packet. */
function withLabels(key: FlowKey, text: string): string {
  const labels = countLabels(key);
  const inner = Array.from({ length: Math.max(0, labels - 1) }, (_, index) => index + 1);
  if (inner.length === 0) return text;
  const printed = inner.map((index) => `,mpls_lse${index}=${key[word.mplsLse + index] ?? 0}`);
  return text.replace(/mpls_bos=\d/, `$&${printed.join('')}`);
}
