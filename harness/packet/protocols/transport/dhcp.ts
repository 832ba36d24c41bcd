/** DHCP (RFC 2131, RFC 2132): messages between UDP ports 68 and 67. */
import {
  formatIpv4,
  formatMac,
  ipv4Number,
  macBytes,
} from '../../../base/addresses/mac-and-ipv4.js';
import { concatBytes, viewOf } from '../../bytes/header-layout.js';

export const dhcpPorts = { server: 67, client: 68 } as const;
export const dhcpOperations = { request: 1, reply: 2 } as const;

/** RFC 2132, section 9.6. */
export const dhcpTypes = {
  discover: 1,
  offer: 2,
  request: 3,
  decline: 4,
  ack: 5,
  nak: 6,
  release: 7,
  inform: 8,
} as const;

/** RFC 2132, by number. */
export const dhcpOptions = {
  pad: 0,
  netmask: 1,
  router: 3,
  dnsServer: 6,
  hostname: 12,
  mtu: 26,
  requestedAddress: 50,
  leaseTime: 51,
  messageType: 53,
  serverId: 54,
  parameterList: 55,
  end: 255,
} as const;

/** RFC 2131, section 2: what stands before the options, and the cookie that these begin with. */
export const dhcpHeaderBytes = 236;
export const dhcpCookie = 0x63825363;
/** The leftmost of 16 flags: the answer shall be broadcast. */
export const broadcastFlag = 0x8000;

export interface DhcpOption {
  readonly code: number;
  readonly value: Uint8Array;
}

export interface DhcpMessage {
  readonly operation: number;
  readonly xid: number;
  readonly flags: number;
  readonly ciaddr: string;
  readonly yiaddr: string;
  readonly chaddr: string;
  readonly options: readonly DhcpOption[];
}

export function encodeDhcp(message: DhcpMessage): Uint8Array {
  const { operation, xid, flags, ciaddr, yiaddr, chaddr, options } = message;
  const bytes = new Uint8Array(dhcpHeaderBytes + 4);
  const view = viewOf(bytes);
  view.setUint8(0, operation);
  view.setUint8(1, 1); // Ethernet
  view.setUint8(2, 6);
  view.setUint32(4, xid);
  view.setUint16(10, flags);
  view.setUint32(12, ipv4Number(ciaddr));
  view.setUint32(16, ipv4Number(yiaddr));
  bytes.set(macBytes(chaddr), 28);
  view.setUint32(dhcpHeaderBytes, dhcpCookie);
  return concatBytes(
    bytes,
    ...options.map(({ code, value }) => concatBytes(Uint8Array.of(code, value.length), value)),
    Uint8Array.of(dhcpOptions.end),
  );
}

/** Undefined for what is too short, or has no cookie. Options end where one of them is cut off. */
export function decodeDhcp(bytes: Uint8Array): DhcpMessage | undefined {
  if (bytes.length < dhcpHeaderBytes + 4) return undefined;
  const view = viewOf(bytes);
  if (view.getUint32(dhcpHeaderBytes) !== dhcpCookie) return undefined;
  return {
    operation: view.getUint8(0),
    xid: view.getUint32(4),
    flags: view.getUint16(10),
    ciaddr: formatIpv4(view.getUint32(12)),
    yiaddr: formatIpv4(view.getUint32(16)),
    chaddr: formatMac(bytes.subarray(28, 34)),
    options: readDhcpOptions(bytes.subarray(dhcpHeaderBytes + 4)),
  };
}

/** One after the other, up to the end or to one that is cut off (RFC 2132, section 2). */
export function readDhcpOptions(bytes: Uint8Array): readonly DhcpOption[] {
  const options: DhcpOption[] = [];
  for (let at = 0; at < bytes.length; ) {
    const code = bytes[at] ?? dhcpOptions.end;
    if (code === dhcpOptions.end) break;
    if (code === dhcpOptions.pad) {
      at++;
      continue;
    }
    const end = at + 2 + (bytes[at + 1] ?? bytes.length);
    if (end > bytes.length) break;
    options.push({ code, value: bytes.subarray(at + 2, end) });
    at = end;
  }
  return options;
}

/** The value of the last option of this number; undefined where there is none. */
export function dhcpOption(options: readonly DhcpOption[], code: number): Uint8Array | undefined {
  return options.findLast((option) => option.code === code)?.value;
}
