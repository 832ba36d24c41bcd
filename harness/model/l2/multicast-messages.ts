/**
 * Reports of IGMP and MLD, by which hosts join and leave multicast groups, as Open vSwitch reads
 * them (ofproto/ofproto-dpif-xlate.c, update_mcast_snooping_table4__; lib/mcast-snooping.c,
 * mcast_snooping_add_report, mcast_snooping_add_mld).
 */
import { Unpredictable } from '../../base/errors/errors.js';
import type { ByteView } from '../../packet/bytes/byte-view.js';
import { sumWords, finishChecksum } from '../../packet/bytes/checksum.js';
import { etherTypes } from '../../packet/protocols/link/ethernet.js';
import type { Layout } from '../../packet/flow-key/extract/extract.js';
import { fragment, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { viewOf } from '../../packet/bytes/header-layout.js';
import { igmpLength, igmpTypes, recordTypes } from '../../packet/protocols/ip/igmp.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { mldLength, mldTypes } from '../../packet/protocols/ip/mld.js';
import type { Behaviour } from '../behaviour.js';
import type { Membership } from './multicast-snooping.js';

/** A packet as it came up from the datapath, whatever actions have done to it since. */
export interface IngressPacket {
  readonly frame: Uint8Array;
  readonly layout: Layout;
  readonly padding: number;
}

/** What NORMAL takes a packet for. */
export type Multicast =
  | { readonly kind: 'report' | 'query'; readonly memberships: readonly Membership[] }
  | { readonly kind: 'local' }
  | { readonly kind: 'data' };

/** @throws Unsupported for what may end the switch. */
export function readMulticast(
  key: FlowKey,
  received: IngressPacket,
  behaviour: Behaviour,
): Multicast {
  const type = typeOf(key, received);
  const isIgmp = key[word.ethType] === etherTypes.ipv4 && key[word.nwProto] === ipProtocols.igmp;
  if (isIgmp)
    return {
      kind: igmpReports.includes(type) ? 'report' : 'query',
      memberships: hasChecksum(received, 0) ? readIgmp(type, key, received) : [],
    };
  const isMld =
    key[word.ethType] === etherTypes.ipv6 &&
    key[word.nwProto] === ipProtocols.icmp6 &&
    mldMessages.includes(type);
  if (isMld)
    return {
      kind: type === mldTypes.query ? 'query' : 'report',
      memberships: hasChecksum(received, pseudoHeader(received))
        ? readMld(type, key, received, behaviour)
        : [],
    };
  return { kind: isLocal(key) ? 'local' : 'data' };
}

const igmpReports: readonly number[] = [
  igmpTypes.reportV1,
  igmpTypes.reportV2,
  igmpTypes.reportV3,
  igmpTypes.leave,
];
const mldMessages: readonly number[] = Object.values(mldTypes);
const firstMapped = 0xffff_0000_0000n;
const allHosts = (0xff02n << 112n) | 1n;

/** Zero for fragments other than the first, and for what is cut off. */
function typeOf(key: FlowKey, received: IngressPacket): number {
  if (((key[word.nwFrag] ?? 0) & fragment.later) !== 0) return 0;
  if (key[word.ethType] === etherTypes.ipv6) return key[word.tpSrc] ?? 0;
  const message = messageOf(received);
  return message.byteLength - received.padding >= igmpLength ? message.getUint8(0) : 0;
}

/** The address that the packet goes to, of either family. */
export function groupOf(key: FlowKey): bigint {
  return key[word.ethType] === etherTypes.ipv4
    ? mapped(key[word.nwDst] ?? 0)
    : ipv6At(key, word.ipv6Dst);
}

/** What every port gets, whoever asked for it (RFC 4541, section 2.1.2). */
function isLocal(key: FlowKey): boolean {
  return key[word.ethType] === etherTypes.ipv4
    ? (key[word.nwDst] ?? 0) >>> 8 === 0xe00000
    : ipv6At(key, word.ipv6Dst) === allHosts;
}

function readIgmp(type: number, key: FlowKey, received: IngressPacket): readonly Membership[] {
  const message = messageOf(received);
  switch (type) {
    case igmpTypes.reportV1:
    case igmpTypes.reportV2:
      return [{ kind: 'join', group: mapped(message.getUint32(4)) }];
    case igmpTypes.leave:
      return [{ kind: 'leave', group: mapped(message.getUint32(4)) }];
    case igmpTypes.query:
      return key[word.nwSrc] === 0 ? [] : [{ kind: 'router' }];
    case igmpTypes.reportV3:
      return recordsOf(message, igmpLength, 4, 'ends the report');
    default:
      return [];
  }
}

/**
 * @param type as actions have left it: it decides whether the message is parsed; its content
 *   decides the rest.
 */
function readMld(
  type: number,
  key: FlowKey,
  received: IngressPacket,
  { shortMld }: Behaviour,
): readonly Membership[] {
  if (type === mldTypes.query) return ipv6At(key, word.ipv6Src) === 0n ? [] : [{ kind: 'router' }];
  const message = messageOf(received);
  const kind = message.getUint8(0);
  if (kind === mldTypes.reportV2) return recordsOf(message, mldLength, 16, 'is passed over');
  if (kind !== mldTypes.report && kind !== mldTypes.done) return [];
  if (message.byteLength >= mldLength + 16)
    return [
      {
        kind: kind === mldTypes.report ? 'join' : 'leave',
        group: addressAt(message, mldLength, 16),
      },
    ];
  if (shortMld === 'may end the switch')
    throw new Unpredictable(
      'Open vSwitch before 3.6 may end itself at a message of MLD that is cut off',
    );
  return [];
}

/**
 * The records of a report, read up to the end of the frame. Auxiliary data is taken for as many
 * bytes as it has words.
 * @param onUnknownRecord what happens to a record of no known type.
 */
function recordsOf(
  message: ByteView,
  start: number,
  addressLength: 4 | 16,
  onUnknownRecord: 'ends the report' | 'is passed over',
): readonly Membership[] {
  const said: Membership[] = [];
  let at = start;
  for (
    let left = message.getUint16(6);
    left > 0 && at + 4 + addressLength <= message.byteLength;
    left--
  ) {
    const [type, sources] = [message.getUint8(at), message.getUint16(at + 2)];
    const isKnown = type >= recordTypes.isInclude && type <= recordTypes.blockSources;
    if (!isKnown && onUnknownRecord === 'ends the report') break;
    const isLeave =
      sources === 0 && (type === recordTypes.isInclude || type === recordTypes.toInclude);
    if (isKnown)
      said.push({
        kind: isLeave ? 'leave' : 'join',
        group: addressAt(message, at + 4, addressLength),
      });
    at += 4 + addressLength + sources * addressLength + message.getUint8(at + 1);
  }
  return said;
}

/** From its header to the end of the frame, what is behind the packet included. */
function messageOf({ frame, layout: { l4 } }: IngressPacket): ByteView {
  return viewOf(l4 < 0 ? new Uint8Array() : frame.subarray(l4));
}

function hasChecksum({ frame, layout: { l4 }, padding }: IngressPacket, initial: number): boolean {
  return (
    l4 >= 0 && finishChecksum(sumWords(frame.subarray(l4, frame.length - padding), initial)) === 0
  );
}

function pseudoHeader({ frame, layout: { l3, l4 }, padding }: IngressPacket): number {
  return sumWords(frame.subarray(l3 + 8, l3 + 40), ipProtocols.icmp6 + frame.length - padding - l4);
}

function addressAt(message: ByteView, at: number, length: 4 | 16): bigint {
  return length === 4
    ? mapped(message.getUint32(at))
    : [0, 4, 8, 12].reduce(
        (value, offset) => (value << 32n) | BigInt(message.getUint32(at + offset)),
        0n,
      );
}

function mapped(address: number): bigint {
  return firstMapped | BigInt(address);
}

function ipv6At(key: FlowKey, at: number): bigint {
  return [0, 1, 2, 3].reduce(
    (address, index) => (address << 32n) | BigInt(key[at + index] ?? 0),
    0n,
  );
}
