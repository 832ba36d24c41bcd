/**
 * Packets that wait in ovn-controller until it has learned who is asked for (arp, nd_ns), and the
 * neighbours that are announced to it (put_arp, put_nd): OVN controller/pinctrl.c,
 * pinctrl_handle_buffered_packets, and controller/mac-cache.c, buffered_packets_ctx_run.
 */
import { Unsupported } from '../../base/errors/errors.js';
import { copyFields, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { requestIn } from '../ovn-controller/operations.js';
import type { Packet } from '../packet/packet.js';
import { parsePacket } from '../packet/parse-packet.js';
import type { Frozen } from './frozen.js';

/** A packet that a flow hands over. */
export interface Handed {
  readonly userdata: readonly number[];
  readonly packet: Pick<Packet, 'frame' | 'tagsMax'>;
  /** What is known of it beside its bytes. */
  readonly key: FlowKey;
}

interface WaitingPacket {
  readonly handed: Handed;
  /** Where it continues; undefined where the flow does not let it wait. */
  readonly frozen: Frozen | undefined;
}

/** By datapath, port and address of the neighbour. */
export interface NeighbourLearning {
  /** The oldest first. */
  readonly waiting: Map<string, readonly WaitingPacket[]>;
  /** Source MAC addresses: they are learned at the next event of the cluster. */
  readonly announced: Map<string, Uint8Array>;
  /** How often it has said each thing by itself. */
  readonly said: Map<string, number>;
}

export function noLearning(): NeighbourLearning {
  return { waiting: new Map(), announced: new Map(), said: new Map() };
}

/** As of an ovn-controller that has just started. */
export function forgetLearning({ waiting, announced, said }: NeighbourLearning): void {
  for (const memory of [waiting, announced, said]) memory.clear();
}

/** BUFFER_QUEUE_DEPTH: one more, and the oldest is dropped. */
const queueMax = 4;

const inport = 14;
const outport = 15;

/** @param frozen where it continues, if it waits. */
export function noticeNeighbour(
  { waiting, announced }: NeighbourLearning,
  handed: Handed,
  frozen: Frozen | undefined,
): void {
  const operation = requestIn(handed.userdata)?.operation;
  if (operation === 'arp' || operation === 'nd_ns') {
    const who = neighbourOf(handed, outport);
    waiting.set(who, [...(waiting.get(who) ?? []), { handed, frozen }].slice(-queueMax));
  }
  if (operation === 'put_arp' || operation === 'put_nd')
    announced.set(neighbourOf(handed, inport), handed.packet.frame.slice(6, 12));
}

/** The flow has put the address into reg0, or into all of xxreg0 (OVN lib/actions.c). */
function neighbourOf({ userdata, key }: Handed, port: number): string {
  const operation = requestIn(userdata)?.operation;
  const words = operation === 'arp' || operation === 'put_arp' ? 1 : 4;
  return [
    ...key.subarray(word.metadata, word.metadata + 2),
    key[word.reg + port],
    ...key.subarray(word.reg, word.reg + words),
  ].join(' ');
}

/**
 * Who is announced is learned now: the packets that have waited for that continue, to the MAC
 * address.
 * @throws Unsupported where their order is ovn-controller's own.
 */
export function takeLearned({ waiting, announced }: NeighbourLearning): readonly Frozen[] {
  const found = [...announced].filter(([who]) => waiting.has(who));
  if (found.length > 1)
    throw new Unsupported(
      `in which order packets continue that wait for ${found.length} neighbours is not modelled`,
    );
  const ready = found.flatMap(([who, mac]) =>
    (waiting.get(who) ?? []).map((packet) => continued(packet, mac)),
  );
  for (const [who] of found) waiting.delete(who);
  announced.clear();
  return ready;
}

function continued({ handed, frozen }: WaitingPacket, mac: Uint8Array): Frozen {
  if (frozen === undefined)
    throw new Unsupported('a packet that waits for a MAC binding without a continuation');
  const { packet, key } = handed;
  const frame = packet.frame.slice();
  frame.set(mac, 0);
  return { ...frozen, packet: withMetadata(parsePacket(frame, 0, packet.tagsMax), key) };
}

/** What is known of a packet beside its bytes: port, registers, metadata, tunnel, connection. */
export function withMetadata(packet: Packet, key: FlowKey): Packet {
  packet.key = copyFields(packet.key);
  packet.key.set(key.subarray(0, word.ethSrc));
  return packet;
}
