/**
 * Captures that Wireshark, tshark and tcpdump open: the blocks of pcapng as the IETF draft
 * describes them (draft-ietf-opsawg-pcapng, sections 3 and 4), little-endian, one section,
 * Ethernet.
 */
import { concatBytes } from '../bytes/header-layout.js';

export interface Capture {
  /** The program that wrote it, for whoever reads the file's properties. */
  readonly application: string;
  readonly interfaces: readonly CaptureInterface[];
  /** In the order in which they are written; viewers want that of time. */
  readonly packets: readonly CapturedPacket[];
}

export interface CaptureInterface {
  /** What viewers show as the interface: `n1/p1-f64551`. */
  readonly name: string;
  readonly description: string;
}

export interface CapturedPacket {
  /** Index into `interfaces`. */
  readonly interface: number;
  /** Whole microseconds on a time line of the capture's own; viewers take 0 for 1970. */
  readonly timeUs: number;
  /** Seen from the interface's owner. */
  readonly direction: 'inbound' | 'outbound';
  readonly comment: string;
  readonly frame: Uint8Array;
}

const blockTypes = { section: 0x0a0d0d0a, interface: 1, enhancedPacket: 6 } as const;
const optionCodes = {
  comment: 1,
  ifName: 2,
  ifDescription: 3,
  ifTsresol: 9,
  epbFlags: 2,
  shbUserAppl: 4,
} as const;
const byteOrderMagic = 0x1a2b3c4d;
const ethernetLinkType = 1;
/** 10^-6 s, which is the default, said all the same. */
const microseconds = Uint8Array.of(6);
/** Bits 0 and 1 of epb_flags. */
const directions = { inbound: 1, outbound: 2 } as const;
const unlimited = 0;
const word32 = 2 ** 32;

/** The whole file. */
export function encodePcapng({ application, interfaces, packets }: Capture): Uint8Array {
  return Buffer.concat([
    block(
      blockTypes.section,
      words([byteOrderMagic]),
      Uint8Array.of(1, 0, 0, 0),
      new Uint8Array(8).fill(0xff),
      options([[optionCodes.shbUserAppl, utf8(application)]]),
    ),
    ...interfaces.map(interfaceBlock),
    ...packets.map(packetBlock),
  ]);
}

function interfaceBlock({ name, description }: CaptureInterface): Uint8Array {
  return block(
    blockTypes.interface,
    words([ethernetLinkType, unlimited]),
    options([
      [optionCodes.ifName, utf8(name)],
      [optionCodes.ifDescription, utf8(description)],
      [optionCodes.ifTsresol, microseconds],
    ]),
  );
}

function packetBlock({
  interface: index,
  timeUs,
  direction,
  comment,
  frame,
}: CapturedPacket): Uint8Array {
  return block(
    blockTypes.enhancedPacket,
    words([index, Math.floor(timeUs / word32), timeUs % word32, frame.length, frame.length]),
    padded(frame),
    options([
      [optionCodes.comment, utf8(comment)],
      [optionCodes.epbFlags, words([directions[direction]])],
    ]),
  );
}

/** Type and length stand in front of a block, the length behind it again. */
function block(type: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = concatBytes(...parts);
  const length = body.length + 12;
  return concatBytes(words([type, length]), body, words([length]));
}

/** An empty value is left out: it says nothing. */
function options(entries: readonly (readonly [code: number, value: Uint8Array])[]): Uint8Array {
  const present = entries.filter(([, value]) => value.length > 0);
  return present.length === 0
    ? Uint8Array.of()
    : concatBytes(
        ...present.map(([code, value]) =>
          concatBytes(words16([code, value.length]), padded(value)),
        ),
        words([0]),
      );
}

function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(bytes.length / 4) * 4);
  whole.set(bytes);
  return whole;
}

function words(values: readonly number[]): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(values.length * 4));
  values.forEach((value, index) => bytes.setUint32(index * 4, value, true));
  return new Uint8Array(bytes.buffer);
}

function words16(values: readonly number[]): Uint8Array {
  return Uint8Array.from(values.flatMap((value) => [value & 0xff, value >> 8]));
}

/** An option holds 65,535 bytes at most. */
function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text).subarray(0, 0xffff);
}

/** Reads what `encodePcapng` writes; undefined for anything else. */
export function decodePcapng(file: Uint8Array): Capture | undefined {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const interfaces: CaptureInterface[] = [];
  const packets: CapturedPacket[] = [];
  let application: string | undefined;
  for (let at = 0; at < file.length; ) {
    if (at + 12 > file.length) return undefined;
    const [type, length] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    if (
      length < 12 ||
      length % 4 !== 0 ||
      at + length > file.length ||
      view.getUint32(at + length - 4, true) !== length
    )
      return undefined;
    const body = file.subarray(at + 8, at + length - 4);
    if ((application === undefined) !== (type === blockTypes.section)) return undefined;
    if (type === blockTypes.section)
      application = textOf(readOptions(body.subarray(16)), optionCodes.shbUserAppl);
    else if (type === blockTypes.interface) interfaces.push(readInterface(body));
    else if (type === blockTypes.enhancedPacket) packets.push(readPacket(body));
    else return undefined;
    at += length;
  }
  return application === undefined ? undefined : { application, interfaces, packets };
}

function readInterface(body: Uint8Array): CaptureInterface {
  const options = readOptions(body.subarray(8));
  return {
    name: textOf(options, optionCodes.ifName),
    description: textOf(options, optionCodes.ifDescription),
  };
}

function readPacket(body: Uint8Array): CapturedPacket {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const captured = view.getUint32(12, true);
  const options = readOptions(body.subarray(20 + Math.ceil(captured / 4) * 4));
  return {
    interface: view.getUint32(0, true),
    timeUs: view.getUint32(4, true) * word32 + view.getUint32(8, true),
    direction:
      options.get(optionCodes.epbFlags)?.[0] === directions.inbound ? 'inbound' : 'outbound',
    comment: textOf(options, optionCodes.comment),
    frame: Uint8Array.from(body.subarray(20, 20 + captured)),
  };
}

function readOptions(bytes: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  const word16 = (at: number): number => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);
  for (let at = 0; at < bytes.length && word16(at) !== 0; ) {
    const length = word16(at + 2);
    found.set(word16(at), bytes.subarray(at + 4, at + 4 + length));
    at += 4 + Math.ceil(length / 4) * 4;
  }
  return found;
}

function textOf(options: ReadonlyMap<number, Uint8Array>, code: number): string {
  return new TextDecoder().decode(options.get(code) ?? Uint8Array.of());
}
