/** Captures in pcapng, of any program's making (draft-ietf-opsawg-pcapng, sections 3 and 4). */
import {
  checkLinkType,
  checkWhole,
  complainAt,
  viewOfFile,
  type FilePacket,
} from './file-packet.js';

const blockTypes = {
  section: 0x0a0d0d0a,
  interface: 1,
  obsoletePacket: 2,
  simplePacket: 3,
  enhancedPacket: 6,
} as const;
/** The same bytes in either order. */
const sectionMark = blockTypes.section;
const byteOrderMagic = 0x1a2b3c4d;
const smallestBlock = 12;
const optionCodes = { end: 0, interfaceName: 2, packetFlags: 2 } as const;
const directions: ReadonlyMap<number, 'inbound' | 'outbound'> = new Map([
  [1, 'inbound'],
  [2, 'outbound'],
]);

export function isPcapng(file: Uint8Array): boolean {
  return file.length >= 4 && viewOfFile(file).getUint32(0) === sectionMark;
}

interface Interface {
  readonly linkType: number;
  /** 0 for no limit. */
  readonly snapLength: number;
  readonly name?: string;
}

interface Block {
  readonly type: number;
  /** Where it begins in the file, and what is between its lengths. */
  readonly at: number;
  readonly body: DataView;
  readonly littleEndian: boolean;
}

/**
 * @throws InputError with `name` and the byte where something is wrong. Blocks that are not about
 *   packets are passed over.
 */
export function readPcapng(file: Uint8Array, name: string): readonly FilePacket[] {
  const packets: FilePacket[] = [];
  let interfaces: Interface[] = [];
  let littleEndian = true;
  for (let at = 0; at < file.length; ) {
    const { block, next } = readBlock(file, name, at, littleEndian);
    littleEndian = block.littleEndian;
    if (block.type === blockTypes.section) interfaces = [];
    else if (block.type === blockTypes.interface) interfaces.push(readInterface(block, name));
    else if (block.type === blockTypes.enhancedPacket)
      packets.push(enhancedPacket(block, name, interfaces));
    else if (block.type === blockTypes.simplePacket)
      packets.push(simplePacket(block, name, interfaces));
    else if (block.type === blockTypes.obsoletePacket)
      throw complainAt(
        name,
        at,
        'packet blocks of the obsolete type 2 are not read; write the file again (editcap)',
      );
    at = next;
  }
  return packets;
}

/**
 * Type and length precede a block, the length follows it again; a section sets the byte order of
 * all up to the next.
 */
function readBlock(
  file: Uint8Array,
  name: string,
  at: number,
  before: boolean,
): { readonly block: Block; readonly next: number } {
  if (at + smallestBlock > file.length)
    throw complainAt(
      name,
      at,
      `the file ends within a block: ${file.length - at} bytes are left of at least ` +
        smallestBlock,
    );
  const view = viewOfFile(file);
  const isSection = view.getUint32(at) === sectionMark;
  const littleEndian = isSection ? sectionByteOrder(view, name, at) : before;
  const length = view.getUint32(at + 4, littleEndian);
  if (length < smallestBlock || length % 4 !== 0)
    throw complainAt(
      name,
      at + 4,
      `a block has at least ${smallestBlock} bytes, by fours, not ${length}`,
    );
  if (at + length > file.length)
    throw complainAt(
      name,
      at,
      `a block of ${length} bytes, but the file ends after ${file.length - at} of them`,
    );
  const again = view.getUint32(at + length - 4, littleEndian);
  if (again !== length)
    throw complainAt(
      name,
      at + length - 4,
      `a block that begins with length ${length} ends with length ${again}`,
    );
  return {
    block: {
      type: view.getUint32(at, littleEndian),
      at,
      body: viewOfFile(file.subarray(at + 8, at + length - 4)),
      littleEndian,
    },
    next: at + length,
  };
}

function sectionByteOrder(view: DataView, name: string, at: number): boolean {
  const order = [true, false].find(
    (littleEndian) => view.getUint32(at + 8, littleEndian) === byteOrderMagic,
  );
  if (order === undefined)
    throw complainAt(
      name,
      at + 8,
      `expected the byte-order magic 0x1a2b3c4d, got 0x${view.getUint32(at + 8).toString(16)}`,
    );
  return order;
}

/** @throws InputError where the block is shorter than what is always in it. */
function needBytes({ body, at }: Block, name: string, what: string, bytes: number): void {
  if (body.byteLength < bytes)
    throw complainAt(name, at, `${what} has at least ${bytes} bytes, not ${body.byteLength}`);
}

function readInterface(block: Block, name: string): Interface {
  needBytes(block, name, 'the description of an interface', 8);
  const { body, littleEndian } = block;
  const option = optionIn(block, name, 8, optionCodes.interfaceName);
  return {
    linkType: body.getUint16(0, littleEndian),
    snapLength: body.getUint32(4, littleEndian),
    ...(option === undefined || option.length === 0
      ? {}
      : { name: new TextDecoder().decode(option) }),
  };
}

function enhancedPacket(block: Block, name: string, interfaces: readonly Interface[]): FilePacket {
  needBytes(block, name, 'a packet', 20);
  const { body, at, littleEndian } = block;
  const from = knownInterface(block, name, interfaces, body.getUint32(0, littleEndian));
  const [captured, original] = [body.getUint32(12, littleEndian), body.getUint32(16, littleEndian)];
  const frame = frameOf(block, name, 20, captured, original);
  const flags = optionIn(block, name, 20 + Math.ceil(captured / 4) * 4, optionCodes.packetFlags);
  const direction =
    flags === undefined || flags.length !== 4
      ? undefined
      : directions.get(viewOfFile(flags).getUint32(0, littleEndian) & 3);
  return {
    at,
    frame,
    ...(from.name === undefined ? {} : { interface: from.name }),
    ...(direction === undefined ? {} : { direction }),
  };
}

/** Of the first interface, and cut off where that interface cuts. */
function simplePacket(block: Block, name: string, interfaces: readonly Interface[]): FilePacket {
  needBytes(block, name, 'a packet', 4);
  const { body, at, littleEndian } = block;
  const from = knownInterface(block, name, interfaces, 0);
  const original = body.getUint32(0, littleEndian);
  const captured = from.snapLength === 0 ? original : Math.min(original, from.snapLength);
  return {
    at,
    frame: frameOf(block, name, 4, captured, original),
    ...(from.name === undefined ? {} : { interface: from.name }),
  };
}

function knownInterface(
  { at }: Block,
  name: string,
  interfaces: readonly Interface[],
  index: number,
): Interface {
  const known = interfaces[index];
  if (known === undefined)
    throw complainAt(
      name,
      at,
      `a packet of interface ${index}, but the file describes ${interfaces.length} interfaces ` +
        'before it',
    );
  checkLinkType(name, at, known.linkType);
  return known;
}

function frameOf(
  { body, at }: Block,
  name: string,
  from: number,
  captured: number,
  original: number,
): Uint8Array {
  if (from + captured > body.byteLength)
    throw complainAt(
      name,
      at,
      `a packet of ${captured} bytes in a block that has room for ${body.byteLength - from}`,
    );
  checkWhole(name, at, captured, original);
  return new Uint8Array(body.buffer, body.byteOffset + from, captured).slice();
}

/** The value of an option among those from byte `from` of the block on. */
function optionIn(
  { body, at, littleEndian }: Block,
  name: string,
  from: number,
  code: number,
): Uint8Array | undefined {
  for (let place = from; place + 4 <= body.byteLength; ) {
    const [found, length] = [
      body.getUint16(place, littleEndian),
      body.getUint16(place + 2, littleEndian),
    ];
    if (found === optionCodes.end) return undefined;
    if (place + 4 + length > body.byteLength)
      throw complainAt(
        name,
        at + 8 + place,
        `an option of ${length} bytes goes past the end of its block`,
      );
    if (found === code) return new Uint8Array(body.buffer, body.byteOffset + place + 4, length);
    place += 4 + Math.ceil(length / 4) * 4;
  }
  return undefined;
}
