/**
 * A case's program as the messages of OpenFlow 1.3 that it stands for. Sections are those of the
 * OpenFlow 1.3 specification.
 */
import { assertNever } from '../base/errors/errors.js';
import { encodeMessage } from '../ovs/openflow/openflow-messages.js';
import type {
  ActionOf,
  FlowMod,
  GroupMod,
  InstructionOf,
  Message,
  MeterMod,
  OneOf,
} from './corpus.js';
import { filled, u16, u32, u8 } from './big-endian.js';
import { fieldBytes, matchBytes, valueBytes } from './match-bytes.js';

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
