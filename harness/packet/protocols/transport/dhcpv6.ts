/** Messages of DHCPv6 between client and server (RFC 8415, section 8), and their options. */
import { concatBytes, viewOf } from '../../bytes/header-layout.js';

export const dhcpv6Ports = { client: 546, server: 547 } as const;
export const dhcpv6Types = {
  solicit: 1,
  advertise: 2,
  request: 3,
  confirm: 4,
  reply: 7,
  release: 8,
  decline: 9,
  informationRequest: 11,
} as const;
export const dhcpv6Options = {
  clientId: 1,
  serverId: 2,
  iaNa: 3,
  iaAddress: 5,
  optionRequest: 6,
  elapsedTime: 8,
  status: 13,
  dnsServers: 23,
  domainSearch: 24,
} as const;

export interface Dhcpv6Option {
  readonly code: number;
  readonly value: Uint8Array;
}

export interface Dhcpv6Message {
  readonly type: number;
  /** 24 bits. */
  readonly transaction: number;
  readonly options: readonly Dhcpv6Option[];
}

export function encodeDhcpv6({ type, transaction, options }: Dhcpv6Message): Uint8Array {
  const header = new Uint8Array(4);
  viewOf(header).setUint32(0, ((type << 24) | transaction) >>> 0);
  return concatBytes(header, ...options.map(encodeDhcpv6Option));
}

/** Undefined for less than a header. */
export function decodeDhcpv6(bytes: Uint8Array): Dhcpv6Message | undefined {
  if (bytes.length < 4) return undefined;
  const start = viewOf(bytes).getUint32(0);
  return {
    type: start >>> 24,
    transaction: start & 0xffffff,
    options: readDhcpv6Options(bytes.subarray(4)),
  };
}

export function encodeDhcpv6Option({ code, value }: Dhcpv6Option): Uint8Array {
  const header = new Uint8Array(4);
  viewOf(header).setUint16(0, code);
  viewOf(header).setUint16(2, value.length);
  return concatBytes(header, value);
}

/** Up to the first that is cut off. */
export function readDhcpv6Options(bytes: Uint8Array): readonly Dhcpv6Option[] {
  const view = viewOf(bytes);
  const found: Dhcpv6Option[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + view.getUint16(at + 2);
    if (end > bytes.length) break;
    found.push({ code: view.getUint16(at), value: bytes.subarray(at + 4, end) });
    at = end;
  }
  return found;
}

/** Of several, the last. */
export function dhcpv6Option(
  options: readonly Dhcpv6Option[],
  code: number,
): Uint8Array | undefined {
  return options.findLast((option) => option.code === code)?.value;
}
