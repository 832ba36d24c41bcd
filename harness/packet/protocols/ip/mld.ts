/**
 * MLD: who wants which multicast of IPv6, in messages of ICMPv6 (RFC 2710; version 2: RFC 3810).
 */
import { concatBytes } from '../../bytes/header-layout.js';
import { encodeIcmp6 } from './icmp6.js';
import { encodeRecord, type MembershipRecord } from './igmp.js';
import { ipv6Bytes } from './ipv6.js';
import type { IpAddresses } from './pseudo-header.js';

export const mldTypes = { query: 130, report: 131, done: 132, reportV2: 143 } as const;

/** Bytes up to the address or the records. */
export const mldLength = 8;

/** A query, a report or a done of version 1. @throws InputError for a text that is no address. */
export function encodeMld(type: number, group: string, addresses: IpAddresses): Uint8Array {
  return encodeIcmp6({ type, code: 0, rest: 0 }, ipv6Bytes(group), addresses);
}

/** A report of version 2. @throws InputError for a text that is no address. */
export function encodeMldReport(
  records: readonly MembershipRecord[],
  addresses: IpAddresses,
): Uint8Array {
  return encodeIcmp6(
    { type: mldTypes.reportV2, code: 0, rest: records.length },
    concatBytes(...records.map((record) => encodeRecord(record, ipv6Bytes))),
    addresses,
  );
}
