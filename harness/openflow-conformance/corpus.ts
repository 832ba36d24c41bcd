/**
 * The corpus as it is: files of cases, each a program for a switch, one packet or stream, and what
 * is expected of it.
 */
import { readFileSync } from 'node:fs';

export interface Case {
  /** `match/06_VLAN_VID 3`: the file, and the case's number in it from 1. */
  readonly name: string;
  readonly description: string;
  readonly prerequisite: readonly Message[];
  readonly test: Test;
}

/**
 * A message of OpenFlow 1.3 with the names of Ryu's classes; what is left out has Ryu's default.
 */
export type Message =
  | { readonly OFPFlowMod: FlowMod }
  | { readonly OFPGroupMod: GroupMod }
  | { readonly OFPMeterMod: MeterMod };

export interface FlowMod {
  readonly table_id?: number;
  readonly match?: MatchOf;
  readonly instructions: readonly OneOf<InstructionOf>[];
}

export interface GroupMod {
  readonly group_id: number;
  readonly type?: number;
  readonly buckets: readonly {
    readonly OFPBucket: { readonly weight?: number; readonly actions: readonly OneOf<ActionOf>[] };
  }[];
}

export interface MeterMod {
  readonly meter_id: number;
  /** Bits of OFPMF_*: kbps where it is missing. */
  readonly flags?: number;
  readonly bands: readonly OneOf<{
    readonly OFPMeterBandDrop: { readonly rate: number };
    readonly OFPMeterBandDscpRemark: { readonly rate: number; readonly prec_level: number };
  }>[];
}

export interface MatchOf {
  readonly OFPMatch: { readonly oxm_fields: readonly { readonly OXMTlv: Tlv }[] };
}

export interface Tlv {
  readonly field: string;
  readonly value: number | string;
  readonly mask?: number | string | null;
}

export interface InstructionOf {
  readonly OFPInstructionActions: {
    readonly actions: readonly OneOf<ActionOf>[];
    readonly type: number;
  };
  readonly OFPInstructionGotoTable: { readonly table_id: number };
  readonly OFPInstructionMeter: { readonly meter_id: number };
  readonly OFPInstructionWriteMetadata: {
    readonly metadata: number;
    readonly metadata_mask: number;
  };
}

export interface ActionOf {
  readonly OFPActionOutput: { readonly port: number; readonly max_len?: number };
  readonly OFPActionSetField: { readonly field: { readonly OXMTlv: Tlv } };
  readonly OFPActionGroup: { readonly group_id: number };
  readonly OFPActionPushVlan: { readonly ethertype: number };
  readonly OFPActionPushMpls: { readonly ethertype: number };
  readonly OFPActionPushPbb: { readonly ethertype: number };
  readonly OFPActionPopMpls: { readonly ethertype: number };
  readonly OFPActionSetMplsTtl: { readonly mpls_ttl: number };
  readonly OFPActionSetNwTtl: { readonly nw_ttl: number };
  readonly OFPActionPopVlan: object;
  readonly OFPActionPopPbb: object;
  readonly OFPActionDecMplsTtl: object;
  readonly OFPActionDecNwTtl: object;
  readonly OFPActionCopyTtlIn: object;
  readonly OFPActionCopyTtlOut: object;
}

/** An object with one of the keys, as JSON has what is a union elsewhere. */
export type OneOf<Kinds> = {
  readonly [Kind in keyof Kinds]: { readonly [Key in Kind]: Kinds[Kind] };
}[keyof Kinds];

/** Expressions of headers, outermost first. */
type Packet = readonly string[];

export type Test =
  | { readonly ingress: Packet; readonly egress: Packet }
  | { readonly ingress: Packet; readonly PACKET_IN: Packet }
  | { readonly ingress: Packet; readonly 'table-miss': readonly number[] }
  | {
      readonly ingress: { readonly packets: Stream };
      readonly egress: { readonly throughput: readonly Throughput[] };
    };

export interface Stream {
  readonly data: Packet;
  /** Packets a second. */
  readonly pktps: number;
  /** In seconds. */
  readonly duration_time: number;
}

/**
 * How much of a stream arrives; `in_port` is that of the switch behind the tested one: port 2 of
 * the tested one leads there to 2, 3 to 3.
 */
export type Throughput = MatchOf & ({ readonly kbps: number } | { readonly pktps: number });

/** All cases, in the order of the files. */
export function readCorpus(): readonly Case[] {
  const text = readFileSync(
    new URL('../../../harness/openflow-conformance/openflow13/cases.jsonl', import.meta.url),
    'utf8',
  );
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const { file, cases } = JSON.parse(line) as {
        readonly file: string;
        readonly cases: readonly (string | Written)[];
      };
      return cases
        .filter((written) => typeof written !== 'string')
        .map(({ description, prerequisite, tests: [test] }, index) => ({
          name: `${file} ${index + 1}`,
          description,
          prerequisite,
          test,
        }));
    });
}

/** A case as its file has it; every one has one test. */
interface Written extends Omit<Case, 'name' | 'test'> {
  readonly tests: readonly [Test];
}
