/**
 * Neighbour discovery (RFC 4861): what solicitations and advertisements hold behind the header of
 * ICMPv6.
 */
import { macBytes } from '../../../base/addresses/mac-and-ipv4.js';
import { assert } from '../../../base/errors/errors.js';
import { concatBytes, viewOf, type HeaderLayout } from '../../bytes/header-layout.js';
import { icmp6Types } from './icmp6.js';
import { colons, ipv6Bytes } from './ipv6.js';

export const neighbourTypes = {
  solicitation: icmp6Types.neighbourSolicitation,
  advertisement: icmp6Types.neighbourAdvertisement,
} as const;

/** Types of options that hold a link-layer address (section 4.6.1). */
export const optionTypes = { source: 1, target: 2 } as const;

/** Bytes up to the options, those of ICMPv6's header included. */
export const neighbourLength = 24;
const targetLength = 16;
const optionUnit = 8;

export interface NeighbourOption {
  readonly type: number;
  /** Six bytes and a multiple of eight. */
  readonly content: Uint8Array;
}

export const neighbourLayout: HeaderLayout = [
  { name: 'target', length: targetLength, read: colons },
];

/**
 * The option for a link-layer address of Ethernet. @throws InputError for a text that is no
 * address.
 */
export function addressOption(type: keyof typeof optionTypes, mac: string): NeighbourOption {
  return { type: optionTypes[type], content: macBytes(mac) };
}

/** What follows the header of ICMPv6. @throws InputError for a text that is no address. */
export function encodeNeighbour(target: string, options: readonly NeighbourOption[]): Uint8Array {
  return concatBytes(ipv6Bytes(target), ...options.map(encodeOption));
}

function encodeOption({ type, content }: NeighbourOption): Uint8Array {
  assert(
    content.length % optionUnit === optionUnit - 2,
    `a neighbour discovery option of ${content.length + 2} bytes`,
  );
  return concatBytes(Uint8Array.of(type, (content.length + 2) / optionUnit), content);
}

/** Target and options; `rest` is what is no whole option. Undefined for less than a target. */
export function decodeNeighbour(bytes: Uint8Array):
  | {
      readonly target: string;
      readonly options: readonly NeighbourOption[];
      readonly rest: Uint8Array;
    }
  | undefined {
  if (bytes.length < targetLength) return undefined;
  const view = viewOf(bytes);
  const options: NeighbourOption[] = [];
  let at = targetLength;
  while (at + optionUnit <= bytes.length) {
    const end = at + view.getUint8(at + 1) * optionUnit;
    if (end === at || end > bytes.length) break;
    options.push({ type: view.getUint8(at), content: bytes.subarray(at + 2, end) });
    at = end;
  }
  return { target: colons(bytes.subarray(0, targetLength)), options, rest: bytes.subarray(at) };
}
