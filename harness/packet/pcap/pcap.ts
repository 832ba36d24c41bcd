/** Captures in the classic format of libpcap (pcap-savefile(5)). */
import { concatBytes } from '../bytes/header-layout.js';
import {
  checkLinkType,
  checkWhole,
  complainAt,
  viewOfFile,
  type FilePacket,
} from './file-packet.js';

const headerLength = 24;
const recordLength = 16;
/**
 * As they read in the byte order of the machine that wrote: with times in microseconds, and in
 * nanoseconds.
 */
const magics: readonly number[] = [0xa1b2c3d4, 0xa1b23c4d];
const majorVersion = 2;
/** The upper bits of the word say how long frame check sequences are. */
const linkTypeBits = 0xffff;

/** Whether the numbers are little-endian; undefined for what is no such file. */
export function pcapByteOrder(file: Uint8Array): boolean | undefined {
  if (file.length < 4) return undefined;
  return [true, false].find((littleEndian) =>
    magics.includes(viewOfFile(file).getUint32(0, littleEndian)),
  );
}

/** @throws InputError with `name` and the byte where something is wrong. */
export function readPcap(
  file: Uint8Array,
  name: string,
  littleEndian: boolean,
): readonly FilePacket[] {
  const view = viewOfFile(file);
  if (file.length < headerLength)
    throw complainAt(name, file.length, `the file ends within its header of ${headerLength} bytes`);
  const version = view.getUint16(4, littleEndian);
  if (version !== majorVersion)
    throw complainAt(name, 4, `expected version ${majorVersion} of the format, got ${version}`);
  checkLinkType(name, 20, view.getUint32(20, littleEndian) & linkTypeBits);
  const packets: FilePacket[] = [];
  for (let at = headerLength; at < file.length; ) {
    const left = file.length - at - recordLength;
    if (left < 0)
      throw complainAt(name, at, `the file ends within the header of packet ${packets.length + 1}`);
    const [captured, original] = [
      view.getUint32(at + 8, littleEndian),
      view.getUint32(at + 12, littleEndian),
    ];
    if (captured > left)
      throw complainAt(
        name,
        at,
        `packet ${packets.length + 1} has ${captured} bytes, but the file ends after ${left} ` +
          'of them',
      );
    checkWhole(name, at, captured, original);
    const start = at + recordLength;
    packets.push({ at, frame: file.slice(start, start + captured) });
    at = start + captured;
  }
  return packets;
}

/** Frames as such a file, little-endian, all at time zero. */
export function encodePcap(frames: readonly Uint8Array[]): Uint8Array {
  const words = (...values: readonly number[]) => {
    const view = new DataView(new ArrayBuffer(values.length * 4));
    values.forEach((value, index) => view.setUint32(index * 4, value, true));
    return new Uint8Array(view.buffer);
  };
  const header = words(0xa1b2c3d4, majorVersion | (4 << 16), 0, 0, 0x40000, 1);
  return concatBytes(
    header,
    ...frames.map((frame) => concatBytes(words(0, 0, frame.length, frame.length), frame)),
  );
}
