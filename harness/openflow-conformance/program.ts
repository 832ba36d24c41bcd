/** What a case programs a switch with, as ovs-ofctl(8) reads it. */
import { assert } from '../base/errors/errors.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type {
  ActionOf,
  Case,
  FlowMod,
  GroupMod,
  InstructionOf,
  MatchOf,
  MeterMod,
  OneOf,
  Tlv,
} from './corpus.js';

export interface Program {
  readonly flows: readonly string[];
  readonly groups: readonly string[];
  readonly meters: readonly string[];
}

/** Where cases are played: one switch with three ports, and a controller. */
export const node = 'switch',
  bridge = 'br0';

/** The switch with a program. */
export function planOf(program: Program): NodePlan {
  const ports = [1, 2, 3].map(
    (ofport) => ({ kind: 'endpoint', name: `p${ofport}`, ofport }) as const,
  );
  return {
    node,
    hosts: [],
    bridges: [
      {
        name: bridge,
        mac: '02:00:00:00:00:01',
        ports,
        controllers: [{ id: 0, paused: 'kept' }],
        ...program,
      },
    ],
  };
}

/** That of a switch before any case. */
export const emptyProgram: Program = { flows: [], groups: [], meters: [] };

export function programOf({ prerequisite }: Case): Program {
  return {
    flows: prerequisite.flatMap((message) =>
      'OFPFlowMod' in message ? [flowText(message.OFPFlowMod)] : [],
    ),
    groups: prerequisite.flatMap((message) =>
      'OFPGroupMod' in message ? [groupText(message.OFPGroupMod)] : [],
    ),
    meters: prerequisite.flatMap((message) =>
      'OFPMeterMod' in message ? [meterText(message.OFPMeterMod)] : [],
    ),
  };
}

function flowText({ table_id: table = 0, match, instructions }: FlowMod): string {
  return [
    `table=${table}`,
    ...fieldsOf(match).map(fieldText),
    `actions=${instructions.map(instructionText).join(',')}`,
  ].join(',');
}

/** Those of a match; none where everything matches. */
export function fieldsOf(match: MatchOf | undefined): readonly Tlv[] {
  return (match?.OFPMatch.oxm_fields ?? []).map(({ OXMTlv }) => OXMTlv);
}

/**
 * Fields that ovs-ofctl calls otherwise; it knows those of OpenFlow 1.3 that are missing here by
 * their own names, or not at all.
 */
const names: Readonly<Record<string, string>> = {
  ipv4_src: 'ip_src',
  ipv4_dst: 'ip_dst',
  icmpv4_type: 'icmp_type',
  icmpv4_code: 'icmp_code',
  ipv6_flabel: 'ipv6_label',
  ipv6_nd_target: 'nd_target',
  ipv6_nd_sll: 'nd_sll',
  ipv6_nd_tll: 'nd_tll',
  tunnel_id: 'tun_id',
};

function fieldText(tlv: Tlv): string {
  return `${names[tlv.field] ?? tlv.field}=${valueText(tlv)}`;
}

/** ovs-ofctl takes a mask that begins with `0:` for the length of a prefix. */
function valueText({ value, mask }: Tlv): string {
  return mask === undefined || mask === null
    ? String(value)
    : `${value}/${String(mask).replace(/^0:(?!:)/, '::')}`;
}

function instructionText(instruction: OneOf<InstructionOf>): string {
  if ('OFPInstructionGotoTable' in instruction)
    return `goto_table:${instruction.OFPInstructionGotoTable.table_id}`;
  if ('OFPInstructionMeter' in instruction)
    return `meter:${instruction.OFPInstructionMeter.meter_id}`;
  if ('OFPInstructionWriteMetadata' in instruction)
    return (
      `write_metadata:${instruction.OFPInstructionWriteMetadata.metadata}` +
      `/${instruction.OFPInstructionWriteMetadata.metadata_mask}`
    );
  const { actions, type } = instruction.OFPInstructionActions;
  assert(type === applyActions, 'the corpus applies its actions and writes none');
  return actions.map(actionText).join(',');
}

/** OFPIT_APPLY_ACTIONS (OpenFlow 1.3, section A.2.4), and OFPP_CONTROLLER (section A.2.1). */
const applyActions = 4,
  controller = 0xffff_fffd;

function actionText(action: OneOf<ActionOf>): string {
  if ('OFPActionOutput' in action) {
    const { port, max_len: length } = action.OFPActionOutput;
    return port === controller ? `CONTROLLER:${length ?? 0xffff}` : `output:${port}`;
  }
  if ('OFPActionSetField' in action) {
    const { OXMTlv: tlv } = action.OFPActionSetField.field;
    return `set_field:${valueText(tlv)}->${names[tlv.field] ?? tlv.field}`;
  }
  if ('OFPActionGroup' in action) return `group:${action.OFPActionGroup.group_id}`;
  if ('OFPActionPushVlan' in action) return `push_vlan:${typeText(action.OFPActionPushVlan)}`;
  if ('OFPActionPushMpls' in action) return `push_mpls:${typeText(action.OFPActionPushMpls)}`;
  if ('OFPActionPushPbb' in action) return `push_pbb:${typeText(action.OFPActionPushPbb)}`;
  if ('OFPActionPopMpls' in action) return `pop_mpls:${typeText(action.OFPActionPopMpls)}`;
  if ('OFPActionSetMplsTtl' in action) return `set_mpls_ttl:${action.OFPActionSetMplsTtl.mpls_ttl}`;
  if ('OFPActionSetNwTtl' in action) return `mod_nw_ttl:${action.OFPActionSetNwTtl.nw_ttl}`;
  const [name] = Object.keys(action) as (keyof typeof bareActions)[];
  assert(
    name !== undefined && Object.hasOwn(bareActions, name),
    `the corpus has an action that is not known: ${name}`,
  );
  return bareActions[name];
}

const bareActions = {
  OFPActionPopVlan: 'pop_vlan',
  OFPActionPopPbb: 'pop_pbb',
  OFPActionDecMplsTtl: 'dec_mpls_ttl',
  OFPActionDecNwTtl: 'dec_ttl',
  OFPActionCopyTtlIn: 'copy_ttl_in',
  OFPActionCopyTtlOut: 'copy_ttl_out',
} as const;

function typeText({ ethertype }: { readonly ethertype: number }): string {
  return `0x${ethertype.toString(16).padStart(4, '0')}`;
}

function groupText({ group_id: id, type = 0, buckets }: GroupMod): string {
  const bucketTexts = buckets.map(
    ({ OFPBucket: { weight, actions } }) =>
      `bucket=${weight === undefined ? '' : `weight:${weight},`}` +
      `actions=${actions.map(actionText).join(',')}`,
  );
  return [
    `group_id=${id}`,
    `type=${['all', 'select', 'indirect', 'ff'][type]}`,
    ...bucketTexts,
  ].join(',');
}

function meterText({ meter_id: id, flags = 1, bands }: MeterMod): string {
  const bandTexts = bands.map((band) =>
    'OFPMeterBandDrop' in band
      ? `type=drop rate=${band.OFPMeterBandDrop.rate}`
      : `type=dscp_remark rate=${band.OFPMeterBandDscpRemark.rate} ` +
        `prec_level=${band.OFPMeterBandDscpRemark.prec_level}`,
  );
  return `meter=${id} ${flags === 2 ? 'pktps' : 'kbps'} bands=${bandTexts.join(' ')}`;
}
