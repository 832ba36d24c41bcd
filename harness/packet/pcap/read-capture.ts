/** Packets out of capture files, whichever of the two formats they are in. */
import { InputError } from '../../base/errors/errors.js';
import type { FilePacket } from './file-packet.js';
import { pcapByteOrder, readPcap } from './pcap.js';
import { isPcapng, readPcapng } from './read-pcapng.js';

/**
 * The packets of a pcap or pcapng file, in its order.
 * @param name of the file, for complaints.
 * @throws InputError naming the file and the byte of what is malformed, cut off, not Ethernet, or
 *   neither format.
 */
export function readCapture(file: Uint8Array, name: string): readonly FilePacket[] {
  if (isPcapng(file)) return readPcapng(file, name);
  const littleEndian = pcapByteOrder(file);
  if (littleEndian !== undefined) return readPcap(file, name, littleEndian);
  throw new InputError(
    'expected a pcap or pcapng file, got one that begins with ' +
      (file.length === 0 ? 'nothing' : Buffer.from(file.subarray(0, 4)).toString('hex')),
    { file: name },
  );
}
