/** IGMP: who wants which multicast of IPv4 (RFC 1112, RFC 2236; version 3: RFC 3376). */
import { ipv4Number } from '../../../base/addresses/mac-and-ipv4.js';
import { internetChecksum } from '../../bytes/checksum.js';
import { concatBytes, viewOf } from '../../bytes/header-layout.js';

export const igmpTypes = {
  query: 0x11,
  reportV1: 0x12,
  reportV2: 0x16,
  leave: 0x17,
  reportV3: 0x22,
} as const;

/**
 * Of a report's record, in version 3 and in version 2 of MLD (RFC 3376, section 4.2.12; RFC 3810,
 * section 5.2.12).
 */
export const recordTypes = {
  isInclude: 1,
  isExclude: 2,
  toInclude: 3,
  toExclude: 4,
  allowSources: 5,
  blockSources: 6,
} as const;

/**
 * What a host reports of one group: those sources alone, or all but them, or that this has changed.
 */
export interface MembershipRecord {
  readonly type: number;
  readonly group: string;
  readonly sources: readonly string[];
}

export const igmpLength = 8;

/**
 * A message of eight bytes, with its checksum. @throws InputError for a text that is no address.
 */
export function encodeIgmp({
  type,
  code,
  group,
}: {
  readonly type: number;
  readonly code: number;
  readonly group: string;
}): Uint8Array {
  return withChecksum(concatBytes(Uint8Array.of(type, code, 0, 0), ipv4Bytes(group)));
}

/** A report of version 3. @throws InputError for a text that is no address. */
export function encodeIgmpReport(records: readonly MembershipRecord[]): Uint8Array {
  const header = Uint8Array.of(
    igmpTypes.reportV3,
    0,
    0,
    0,
    0,
    0,
    records.length >>> 8,
    records.length,
  );
  return withChecksum(
    concatBytes(header, ...records.map((record) => encodeRecord(record, ipv4Bytes))),
  );
}

/** As both IGMP and MLD write it, each with addresses of its own. */
export function encodeRecord(
  { type, group, sources }: MembershipRecord,
  addressBytes: (text: string) => Uint8Array,
): Uint8Array {
  return concatBytes(
    Uint8Array.of(type, 0, sources.length >>> 8, sources.length),
    addressBytes(group),
    ...sources.map(addressBytes),
  );
}

function withChecksum(bytes: Uint8Array): Uint8Array {
  viewOf(bytes).setUint16(2, internetChecksum(bytes));
  return bytes;
}

function ipv4Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, ipv4Number(text));
  return bytes;
}
