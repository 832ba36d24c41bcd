/**
 * What a capture file has of one packet, and how complaints about such files name their place.
 */
import { InputError } from '../../base/errors/errors.js';

export interface FilePacket {
  /** Where the packet's record begins, in bytes from the beginning of the file. */
  readonly at: number;
  /** Of the interface it was captured at; missing where the file names none. */
  readonly interface?: string;
  /** As the interface's owner saw it; missing where the file does not say. */
  readonly direction?: 'inbound' | 'outbound';
  readonly frame: Uint8Array;
}

/** The shortest frame that can be sent: an Ethernet header. */
export const shortestFrame = 14;

/** Ethernet (LINKTYPE_ETHERNET of the registry at tcpdump.org). */
export const ethernet = 1;

/** Numbers in it, in either byte order. */
export function viewOfFile(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function complainAt(file: string, at: number, message: string): InputError {
  return new InputError(`byte ${at}: ${message}`, { file });
}

/**
 * @throws InputError for a frame that is not there in full, or that no Ethernet frame is as short
 *   as.
 */
export function checkWhole(file: string, at: number, captured: number, original: number): void {
  if (captured < original)
    throw complainAt(
      file,
      at,
      `of a packet of ${original} bytes only ${captured} were captured; capture whole packets ` +
        '(tcpdump -s 0)',
    );
  if (captured < shortestFrame)
    throw complainAt(
      file,
      at,
      `expected a frame of at least ${shortestFrame} bytes, got ${captured}`,
    );
}

export function checkLinkType(file: string, at: number, linkType: number): void {
  if (linkType !== ethernet)
    throw complainAt(
      file,
      at,
      `expected packets with Ethernet headers (link type ${ethernet}), got link type ${linkType}`,
    );
}
