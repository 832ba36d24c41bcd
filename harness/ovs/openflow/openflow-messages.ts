/**
 * Messages of OpenFlow as bytes, as far as a controller that listens needs them. Sections are those
 * of the OpenFlow 1.4 specification.
 */
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { readFields } from '../../openflow/match/oxm.js';
import type { Match } from '../../openflow/match/match.js';
import { packetInReasons } from '../../openflow/actions/action.js';

export interface Message {
  readonly type: number;
  /** Subtype, where the message is one of Nicira's (openflow/nicira-ext.h). */
  readonly subtype: number | undefined;
  readonly xid: number;
  readonly body: Buffer;
  /** All of it. */
  readonly bytes: Buffer;
}

/** By the name that ovs-ofctl's option -O has for them, as headers number them. */
export const versions = { OpenFlow13: 0x04, OpenFlow14: 0x05, OpenFlow15: 0x06 } as const;
export type Version = keyof typeof versions;

/**
 * The last in which a match holds registers one by one, and the first to distinguish why a packet
 * was sent (section 7.4.1).
 */
const listening = 'OpenFlow14';
const headerBytes = 8;
const nicira = 0x2320;

/** Section 7.1, and the subtypes of Nicira's extensions from `resume` on. */
export const types = {
  hello: 0,
  error: 1,
  echoRequest: 2,
  echoReply: 3,
  experimenter: 4,
  setConfig: 9,
  packetOut: 13,
  multipartRequest: 18,
  multipartReply: 19,
  barrierRequest: 20,
  barrierReply: 21,
  setAsync: 28,
  bundleControl: 33,
  bundleAdd: 34,
} as const;
export const subtypes = {
  setPacketInFormat: 16,
  setControllerId: 20,
  tlvTableRequest: 25,
  tlvTableReply: 26,
  resume: 28,
  packetIn2: 30,
} as const;

export function encodeMessage(
  type: number,
  xid: number,
  body: Uint8Array = Buffer.alloc(0),
  version: Version = listening,
): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(versions[version], 0);
  header.writeUInt8(type, 1);
  header.writeUInt16BE(headerBytes + body.length, 2);
  header.writeUInt32BE(xid, 4);
  return Buffer.concat([header, body]);
}

export function encodeExtension(subtype: number, xid: number, body: Uint8Array): Buffer {
  return encodeMessage(types.experimenter, xid, Buffer.concat([numbers(4, nicira, subtype), body]));
}

/** OFPC_FRAG_… of OpenFlow, and what Open vSwitch has beside (OFPC_FRAG_NX_MATCH). */
const fragmentFlags = { normal: 0, drop: 1, 'nx-match': 3 } as const;

/**
 * What makes a connection one of a controller with that id, which receives every packet-in, with
 * the whole packet and all of its metadata.
 * @param fragments how the bridge handles them: the message sets that for all connections.
 */
export function encodeListening(
  id: number,
  fragments: keyof typeof fragmentFlags = 'normal',
): Buffer {
  const everyReason = 2 ** packetInReasons.length - 1;
  return Buffer.concat([
    encodeExtension(subtypes.setPacketInFormat, 0, numbers(4, 2)),
    encodeExtension(subtypes.setControllerId, 0, Buffer.concat([Buffer.alloc(6), numbers(2, id)])),
    // A connection to the management socket receives no packet-ins as long as it wants no bytes of
    // a packet (section 7.3.2).
    encodeMessage(types.setConfig, 0, numbers(2, fragmentFlags[fragments], 0xffff)),
    // As a slave and as a master (section 7.3.10).
    encodeMessage(
      types.setAsync,
      0,
      Buffer.concat(
        [0, 1].map((role) => Buffer.concat([numbers(2, role, 8), numbers(4, everyReason)])),
      ),
    ),
  ]);
}

function numbers(bytes: 2 | 4, ...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [index, value] of values.entries()) buffer.writeUIntBE(value, index * bytes, bytes);
  return buffer;
}

/**
 * Cuts a byte stream into messages: a function of its next chunk that returns those it completes.
 */
export function messageSplitter(): (chunk: Uint8Array) => readonly Message[] {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    const messages: Message[] = [];
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= headerBytes && rest.length >= rest.readUInt16BE(2)) {
      const length = rest.readUInt16BE(2);
      if (length < headerBytes)
        throw new InputError(`a message of OpenFlow cannot be ${length} bytes long`);
      messages.push(readMessage(rest.subarray(0, length)));
      rest = rest.subarray(length);
    }
    return messages;
  };
}

/**
 * The packet-in of a packet that waits grows with what it waits for, and the length of a message
 * has 16 bits (Open vSwitch lib/ofp-msgs.c, ofpmsg_update_length).
 */
export const tooLong =
  'reports a packet that waits in more than the 65,535 bytes that a message of OpenFlow has';

/** @throws Unavailable for one that is cut off by its own length. */
function readMessage(bytes: Buffer): Message {
  const type = bytes.readUInt8(1);
  if (type === types.experimenter && bytes.length < headerBytes + 8)
    throw new Unavailable(`Open vSwitch ${tooLong}`);
  const extends_ = type === types.experimenter && bytes.readUInt32BE(headerBytes) === nicira;
  return {
    type,
    subtype: extends_ ? bytes.readUInt32BE(headerBytes + 4) : undefined,
    xid: bytes.readUInt32BE(4),
    body: bytes.subarray(headerBytes + (extends_ ? 8 : 0)),
    bytes,
  };
}

/** One packet-in (NXT_PACKET_IN2). */
export interface DecodedPacketIn {
  readonly reason: (typeof packetInReasons)[number];
  readonly table: number;
  readonly cookie: bigint;
  readonly length: number;
  readonly frame: Uint8Array;
  readonly metadata: Match;
  readonly userdata: readonly number[];
  /** The body of the message that makes it go on, if it waits. */
  readonly resume: Buffer | undefined;
}

/**
 * A packet, and what a controller is asked to do with it: all that is read of one in OpenFlow 1.5.
 */
export type HandedOver = Pick<DecodedPacketIn, 'frame' | 'userdata'> & {
  /** What is known of the packet beside its bytes, as `readFields` reads it. */
  readonly metadata: Uint8Array;
};

/** Reads these of the body of NXT_PACKET_IN2. @throws InputError for one that is cut off. */
export function readHandedOver(body: Buffer): HandedOver {
  const found = readProperties(body);
  return {
    frame: Uint8Array.from(found.get(properties.packet)?.value ?? []),
    metadata: Uint8Array.from(found.get(properties.metadata)?.value ?? []),
    userdata: [...(found.get(properties.userdata)?.value ?? [])],
  };
}

const properties = {
  packet: 0,
  length: 1,
  table: 3,
  cookie: 4,
  reason: 5,
  metadata: 6,
  userdata: 7,
  continuation: 8,
} as const;
/** Stands for none: a switch leaves it out. */
const noCookie = 0xffff_ffff_ffff_ffffn;

/** Reads the body of NXT_PACKET_IN2. @throws InputError for one that says something unknown. */
export function readPacketIn(body: Buffer): DecodedPacketIn {
  const found = readProperties(body);
  const value = (type: number) => found.get(type)?.value;
  const frame = Uint8Array.from(value(properties.packet) ?? []);
  const reason = packetInReasons[value(properties.reason)?.readUInt8(0) ?? -1];
  if (reason === undefined)
    throw new InputError(`a packet-in has a reason that is not known: ${body.toString('hex')}`);
  const resumed = [...found]
    .filter(([type]) => type !== properties.userdata)
    .map(([, { padded }]) => padded);
  return {
    reason,
    frame,
    table: value(properties.table)?.readUInt8(0) ?? 0,
    cookie: value(properties.cookie)?.readBigUInt64BE(4) ?? noCookie,
    length: value(properties.length)?.readUInt32BE(0) ?? frame.length,
    metadata: readFields(value(properties.metadata) ?? Buffer.alloc(0)),
    userdata: [...(value(properties.userdata) ?? [])],
    resume: found.has(properties.continuation) ? Buffer.concat(resumed) : undefined,
  };
}

/**
 * By type: the value behind type and length, and the whole with the zeros that fill it up to a
 * multiple of 8 bytes.
 */
function readProperties(
  body: Buffer,
): ReadonlyMap<number, { readonly value: Buffer; readonly padded: Buffer }> {
  const found = new Map<number, { readonly value: Buffer; readonly padded: Buffer }>();
  for (let at = 0; at < body.length; ) {
    const length = at + 4 <= body.length ? body.readUInt16BE(at + 2) : 0;
    const end = at + Math.ceil(length / 8) * 8;
    if (length < 4 || end > body.length)
      throw new InputError(`a packet-in is cut off: ${body.toString('hex')}`);
    found.set(body.readUInt16BE(at), {
      value: body.subarray(at + 4, at + length),
      padded: body.subarray(at, end),
    });
    at = end;
  }
  return found;
}
