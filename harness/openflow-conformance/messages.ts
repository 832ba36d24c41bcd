/**
 * A case's program as the messages of OpenFlow 1.3 that it stands for. Sections are those of the
 * OpenFlow 1.3 specification.
 */
import { ipv4Number, macBytes } from '../base/addresses/mac-and-ipv4.js';
import { assert, assertNever } from '../base/errors/errors.js';
import { ipv6Number } from '../base/addresses/ipv6.js';
import { encodeMessage } from '../ovs/openflow/openflow-messages.js';
import type {
  ActionOf,
  FlowMod,
  GroupMod,
  InstructionOf,
  MatchOf,
  Message,
  MeterMod,
  OneOf,
  Tlv,
} from './corpus.js';
import { fieldsOf } from './program.js';

/** Message types (section A.1). */
const flowMod = 14,
  groupMod = 15,
  meterMod = 29;
/**
 * Stands for all of them: OFPTT_ALL, OFPG_ALL, OFPM_ALL; and for none: OFP_NO_BUFFER, OFPP_ANY,
 * OFPG_ANY.
 */
const allTables = 0xff,
  allGroups = 0xffff_fffc,
  all = 0xffff_ffff,
  none = 0xffff_ffff;
/** Commands (sections A.3.4.1 to A.3.4.4). */
const add = 0,
  deleteGroupOrMeter = 2,
  deleteFlow = 3;
const defaultPriority = 0x8000;

/** Messages that take away all flows, groups and meters, and then put the case's there. */
export function messagesOf(prerequisite: readonly Message[]): readonly Uint8Array[] {
  return [
    message(flowMod, flowBody({ table_id: allTables, instructions: [] }, deleteFlow)),
    message(groupMod, u16(deleteGroupOrMeter), u8(0, 0), u32(allGroups)),
    message(meterMod, u16(deleteGroupOrMeter, 0), u32(all)),
    ...prerequisite.map((part) => {
      if ('OFPFlowMod' in part) return message(flowMod, flowBody(part.OFPFlowMod, add));
      return 'OFPGroupMod' in part
        ? message(groupMod, groupBody(part.OFPGroupMod))
        : message(meterMod, meterBody(part.OFPMeterMod));
    }),
  ];
}

function message(type: number, ...parts: readonly Buffer[]): Buffer {
  return encodeMessage(type, 0, Buffer.concat(parts), 'OpenFlow13');
}

/**
 * Cookie and its mask, table, command, two timeouts, priority, buffer, where it outputs to, flags;
 * then what it matches and does.
 */
function flowBody({ table_id: table = 0, match, instructions }: FlowMod, command: number): Buffer {
  return Buffer.concat([
    Buffer.alloc(16),
    u8(table, command),
    u16(0, 0, defaultPriority),
    u32(none, none, none),
    u16(0, 0),
    matchBytes(match),
    ...instructions.map(instructionBytes),
  ]);
}

function groupBody({ group_id: id, type = 0, buckets }: GroupMod): Buffer {
  const encoded = buckets.map(({ OFPBucket: { weight = 0, actions } }) => {
    const rest = Buffer.concat([u16(weight), u32(none, none, 0), ...actions.map(actionBytes)]);
    return Buffer.concat([u16(2 + rest.length), rest]);
  });
  return Buffer.concat([u16(add), u8(type, 0), u32(id), ...encoded]);
}

/**
 * Flags: 1 is kbps. Bands have a type, their length, a rate, a burst and four bytes of their own.
 */
function meterBody({ meter_id: id, flags = 1, bands }: MeterMod): Buffer {
  const encoded = bands.map((band) =>
    'OFPMeterBandDrop' in band
      ? Buffer.concat([u16(1, 16), u32(band.OFPMeterBandDrop.rate, 0, 0)])
      : Buffer.concat([
          u16(2, 16),
          u32(band.OFPMeterBandDscpRemark.rate, 0),
          u8(band.OFPMeterBandDscpRemark.prec_level, 0, 0, 0),
        ]),
  );
  return Buffer.concat([u16(add, flags), u32(id), ...encoded]);
}

/** Section A.2.3: type 1, its length without the zeros that fill it up, fields. */
function matchBytes(match: MatchOf | undefined): Buffer {
  const fields = Buffer.concat(fieldsOf(match).map(fieldBytes));
  return filled(Buffer.concat([u16(1, 4 + fields.length), fields]));
}

/** Number and bytes of the fields (section A.2.3.7), and how the corpus writes their values. */
const fields: Readonly<
  Record<string, readonly [number: number, bytes: number, written?: 'mac' | 'ipv4' | 'ipv6']>
> = {
  in_port: [0, 4],
  metadata: [2, 8],
  eth_dst: [3, 6, 'mac'],
  eth_src: [4, 6, 'mac'],
  eth_type: [5, 2],
  vlan_vid: [6, 2],
  vlan_pcp: [7, 1],
  ip_dscp: [8, 1],
  ip_ecn: [9, 1],
  ip_proto: [10, 1],
  ipv4_src: [11, 4, 'ipv4'],
  ipv4_dst: [12, 4, 'ipv4'],
  tcp_src: [13, 2],
  tcp_dst: [14, 2],
  udp_src: [15, 2],
  udp_dst: [16, 2],
  sctp_src: [17, 2],
  sctp_dst: [18, 2],
  icmpv4_type: [19, 1],
  icmpv4_code: [20, 1],
  arp_op: [21, 2],
  arp_spa: [22, 4, 'ipv4'],
  arp_tpa: [23, 4, 'ipv4'],
  arp_sha: [24, 6, 'mac'],
  arp_tha: [25, 6, 'mac'],
  ipv6_src: [26, 16, 'ipv6'],
  ipv6_dst: [27, 16, 'ipv6'],
  ipv6_flabel: [28, 4],
  icmpv6_type: [29, 1],
  icmpv6_code: [30, 1],
  ipv6_nd_target: [31, 16, 'ipv6'],
  ipv6_nd_sll: [32, 6, 'mac'],
  ipv6_nd_tll: [33, 6, 'mac'],
  mpls_label: [34, 4],
  mpls_tc: [35, 1],
  mpls_bos: [36, 1],
  pbb_isid: [37, 3],
  tunnel_id: [38, 8],
  ipv6_exthdr: [39, 2],
};
/** The class of all of them (section A.2.3.3). */
const basicClass = 0x8000;

function fieldBytes({ field, value, mask }: Tlv): Buffer {
  const [number, bytes, written] = fields[field] ?? [];
  assert(
    number !== undefined && bytes !== undefined,
    `the corpus has a field that is not known: ${field}`,
  );
  const values = [value, ...(mask === undefined || mask === null ? [] : [mask])].map((text) =>
    valueBytes(text, bytes, written),
  );
  return Buffer.concat([
    u16(basicClass),
    u8((number << 1) | (values.length - 1), values.length * bytes),
    ...values,
  ]);
}

function valueBytes(
  value: number | string,
  bytes: number,
  written: 'mac' | 'ipv4' | 'ipv6' | undefined,
): Buffer {
  if (written === 'mac') return Buffer.from(macBytes(String(value)));
  const number =
    written === 'ipv4'
      ? BigInt(ipv4Number(String(value)))
      : written === 'ipv6'
        ? ipv6Number(String(value))
        : BigInt(value);
  return Buffer.from(number.toString(16).padStart(bytes * 2, '0'), 'hex');
}

/** Section A.2.4. */
function instructionBytes(instruction: OneOf<InstructionOf>): Buffer {
  if ('OFPInstructionGotoTable' in instruction)
    return Buffer.concat([u16(1, 8), u8(instruction.OFPInstructionGotoTable.table_id, 0, 0, 0)]);
  if ('OFPInstructionMeter' in instruction)
    return Buffer.concat([u16(6, 8), u32(instruction.OFPInstructionMeter.meter_id)]);
  if ('OFPInstructionWriteMetadata' in instruction) {
    const { metadata, metadata_mask: mask } = instruction.OFPInstructionWriteMetadata;
    return Buffer.concat([
      u16(2, 24),
      u32(0),
      valueBytes(metadata, 8, undefined),
      valueBytes(mask, 8, undefined),
    ]);
  }
  const actions = Buffer.concat(instruction.OFPInstructionActions.actions.map(actionBytes));
  return Buffer.concat([
    u16(instruction.OFPInstructionActions.type, 8 + actions.length),
    u32(0),
    actions,
  ]);
}

/** Section A.2.5. */
function actionBytes(action: OneOf<ActionOf>): Buffer {
  if ('OFPActionOutput' in action)
    return Buffer.concat([
      u16(0, 16),
      u32(action.OFPActionOutput.port),
      u16(action.OFPActionOutput.max_len ?? 0, 0, 0, 0),
    ]);
  if ('OFPActionGroup' in action)
    return Buffer.concat([u16(22, 8), u32(action.OFPActionGroup.group_id)]);
  if ('OFPActionSetMplsTtl' in action)
    return Buffer.concat([u16(15, 8), u8(action.OFPActionSetMplsTtl.mpls_ttl, 0, 0, 0)]);
  if ('OFPActionSetNwTtl' in action)
    return Buffer.concat([u16(23, 8), u8(action.OFPActionSetNwTtl.nw_ttl, 0, 0, 0)]);
  if ('OFPActionSetField' in action) {
    const field = fieldBytes(action.OFPActionSetField.field.OXMTlv);
    return filled(Buffer.concat([u16(25, Math.ceil((4 + field.length) / 8) * 8), field]));
  }
  for (const [name, type] of Object.entries(plainActions)) {
    if (!(name in action)) continue;
    const { ethertype = 0 } =
      (action as Readonly<Record<string, { readonly ethertype?: number }>>)[name] ?? {};
    return u16(type, 8, ethertype, 0);
  }
  return assertNever(action as never);
}

/** Those that have nothing, or an Ethernet type. */
const plainActions = {
  OFPActionCopyTtlOut: 11,
  OFPActionCopyTtlIn: 12,
  OFPActionDecMplsTtl: 16,
  OFPActionPushVlan: 17,
  OFPActionPopVlan: 18,
  OFPActionPushMpls: 19,
  OFPActionPopMpls: 20,
  OFPActionDecNwTtl: 24,
  OFPActionPushPbb: 26,
  OFPActionPopPbb: 27,
};

/** With zeros up to a multiple of 8 bytes. */
function filled(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc((8 - (bytes.length % 8)) % 8)]);
}

function u8(...values: readonly number[]): Buffer {
  return Buffer.from(values);
}

function u16(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value, index * 2);
  return buffer;
}

function u32(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value, index * 4);
  return buffer;
}
