/**
 * dns_lookup (ovn-sb(5), Logical_Flow, "actions"): a query becomes the answer to it, where a record
 * is known on the packet's logical datapath (OVN controller/pinctrl.c, pinctrl_handle_dns_lookup).
 */
import { colons, ipv6Bytes } from '../../packet/protocols/ip/ipv6.js';
import { ipv4Number } from '../../base/addresses/mac-and-ipv4.js';
import type { DnsRecords } from '../../domain/plan/bridge-plan.js';
import { internetChecksum } from '../../packet/bytes/checksum.js';
import { concatBytes, viewOf } from '../../packet/bytes/header-layout.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { pseudoHeaderSum } from '../../packet/protocols/ip/pseudo-header.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { readField } from '../fields/field-values.js';
import type { Packet } from '../packet/packet.js';
import { resumed, type ControllerAnswer } from './controller-answer.js';
import { isIpv6 } from './made-packet.js';
import { readResultBit } from './result-bit.js';

const udpBytes = 8;
const headerBytes = 12;
const queryTypes = { a: 1, ptr: 12, aaaa: 28, any: 255 } as const;
/** Seconds that a record holds for, and the class "internet" (RFC 1035). */
const ttlSeconds = 3600,
  internet = 1;
const refused = 5;

type Query = Pick<Packet, 'frame' | 'layout' | 'key'>;

export function dnsReply(
  argument: Uint8Array,
  packet: Query,
  known: readonly DnsRecords[],
): ControllerAnswer {
  const { result } = readResultBit(argument, 'dns_lookup');
  return { ...resumed(packet.frame, replyTo(packet, known), result), isMarked: true };
}

function replyTo(packet: Query, known: readonly DnsRecords[]): Uint8Array | undefined {
  const { frame, layout, key } = packet;
  const start = layout.l4 + udpBytes;
  const end = Math.min(frame.length, layout.l4 + viewOf(frame).getUint16(layout.l4 + 4));
  const message = frame.subarray(start, end);
  if (frame.length < start + headerBytes || message.length < headerBytes) return undefined;
  const isQuery = ((message[2] ?? 0) & 0x80) === 0;
  if (!isQuery || viewOf(message).getUint16(4) === 0) return undefined;
  const question = questionIn(message);
  if (question === undefined) return undefined;
  const datapath = Number(readField(key, fieldCalled('metadata')));
  const found = known.find(
    ({ datapaths, records }) => datapaths.includes(datapath) && question.name in records,
  );
  const record = found?.records[question.name];
  if (found === undefined || record === undefined) return undefined;
  const answers = answersTo(question, record);
  const isRefused = answers.length === 0 && found.isOwned === true;
  if (answers.length === 0 && (!isRefused || question.type === queryTypes.any)) return undefined;
  const reply = concatBytes(frame.subarray(0, start + question.end), ...answers);
  const view = viewOf(reply);
  view.setUint8(start + 2, view.getUint8(start + 2) | 0x80);
  if (isRefused) view.setUint8(start + 3, view.getUint8(start + 3) | refused);
  view.setUint16(start + 6, answers.length);
  view.setUint16(start + 10, 0);
  writeHeaders(reply, packet);
  return reply;
}

interface Question {
  /** In lower case, without the dot at its end. */
  readonly name: string;
  readonly encodedName: Uint8Array;
  readonly type: number;
  /** In the message: behind it. */
  readonly end: number;
}

/** Undefined where it is cut off, or of a type that is not looked up. */
function questionIn(message: Uint8Array): Question | undefined {
  const labels: string[] = [];
  let at = headerBytes;
  for (
    let length = message[at] ?? 0;
    at < message.length && length > 0;
    length = message[at] ?? 0
  ) {
    if (at + 1 + length > message.length) return undefined;
    labels.push(Buffer.from(message.subarray(at + 1, at + 1 + length)).toString('latin1'));
    at += 1 + length;
  }
  const end = at + 1 + 4;
  if (end > message.length) return undefined;
  const type = viewOf(message).getUint16(at + 1);
  const isKnown = (Object.values(queryTypes) as readonly number[]).includes(type);
  return isKnown
    ? {
        name: labels.join('.').toLowerCase(),
        encodedName: message.subarray(headerBytes, at + 1),
        type,
        end,
      }
    : undefined;
}

/** @param record addresses with spaces between them, or a name. */
function answersTo({ type, encodedName }: Question, record: string): readonly Uint8Array[] {
  const answer = (of: number, data: Uint8Array) => {
    const header = new Uint8Array(10);
    const view = viewOf(header);
    view.setUint16(0, of);
    view.setUint16(2, internet);
    view.setUint32(4, ttlSeconds);
    view.setUint16(8, data.length);
    return concatBytes(encodedName, header, data);
  };
  if (type === queryTypes.ptr) return [answer(type, encodeName(record))];
  const addresses = record.split(' ').filter((address) => address !== '');
  const of = (wanted: number, version: 'ipv4' | 'ipv6', bytes: (text: string) => Uint8Array) =>
    type === wanted || type === queryTypes.any
      ? addresses
          .filter((address) => address.includes(':') === (version === 'ipv6'))
          .map((address) => answer(wanted, bytes(address)))
      : [];
  return [...of(queryTypes.a, 'ipv4', ipv4Bytes), ...of(queryTypes.aaaa, 'ipv6', ipv6Bytes)];
}

function ipv4Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, ipv4Number(text));
  return bytes;
}

function encodeName(name: string): Uint8Array {
  const labels = name.split('.').map((label) => {
    const text = Buffer.from(label, 'latin1');
    return concatBytes(Uint8Array.of(text.length), text);
  });
  return concatBytes(...labels, Uint8Array.of(0));
}

function writeHeaders(reply: Uint8Array, { layout: { l3, l4 }, key }: Query): void {
  const view = viewOf(reply);
  const length = reply.length - l4;
  view.setUint16(l4 + 4, length);
  view.setUint16(l4 + 6, 0);
  if (!isIpv6(key)) {
    view.setUint16(l3 + 2, reply.length - l3);
    view.setUint16(l3 + 10, 0);
    view.setUint16(l3 + 10, internetChecksum(reply.subarray(l3, l3 + 20)));
    return;
  }
  view.setUint16(l3 + 4, length);
  const [src, dst] = [reply.subarray(l3 + 8, l3 + 24), reply.subarray(l3 + 24, l3 + 40)];
  const sum = pseudoHeaderSum({ src: colons(src), dst: colons(dst) }, ipProtocols.udp, length);
  view.setUint16(l4 + 6, internetChecksum(reply.subarray(l4), sum) || 0xffff);
}
