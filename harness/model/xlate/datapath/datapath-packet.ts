/**
 * What the datapath's packet carries of connections while a translation's actions are executed
 * on it: the translation itself knows nothing of it.
 */
import { Unsupported } from '../../../base/errors/errors.js';
import {
  copyKey,
  isIp,
  tupleWords,
  word,
  type FlowKey,
} from '../../../packet/flow-key/flow-key.js';
import type { Behaviour } from '../../behaviour.js';
import { applyNat, type ParsedFrame } from '../../nat/apply-nat.js';
import type { NatMapping as Change } from '../../conntrack/tracked.js';
import type { Packet } from '../../packet/packet.js';

export interface DatapathPacket {
  /** What the tracker said of it last. */
  readonly tracked: Packet['tracked'];
  /** How NAT changed its addresses and ports, one translation after the other. */
  readonly changes: readonly AppliedNat[];
  /** Of what a tunnel carries; undefined where that is what the translation takes it for. */
  readonly tunnelPayload: TunnelPayload | undefined;
  /** So many bytes were cut off from its end. */
  readonly cutOff: number;
}

interface AppliedNat {
  readonly change: Change;
  /**
   * The words that were written since, also with what they had before: they stay as they were
   * written.
   */
  readonly written: readonly number[];
}

const unchanged: DatapathPacket['changes'] = [];

/** What is around a packet that was translated before it entered a tunnel. */
interface TunnelPayload {
  /**
   * The packet as it was encapsulated: the inner one as the translation had it, and as the datapath
   * had it.
   */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** What it carries when a translation begins. */
export function datapathPacketOf({ tracked }: Packet): DatapathPacket {
  return { changes: unchanged, tracked, tunnelPayload: undefined, cutOff: 0 };
}

/** What the tracker translates the packet to behind all that was done with it before. */
export function withNat(packet: DatapathPacket, change: Change): DatapathPacket {
  return { ...packet, changes: [...packet.changes, { change, written: [] }] };
}

/**
 * What was pending was put into the packet's bytes: of what it was translated to, that is written
 * over.
 */
export function withCommit(
  packet: DatapathPacket,
  before: FlowKey,
  after: FlowKey,
): DatapathPacket {
  if (packet.changes.length === 0) return packet;
  const fresh = tupleWords.filter((field) => before[field] !== after[field]);
  return fresh.length === 0
    ? packet
    : {
        ...packet,
        changes: packet.changes.map(({ change, written }) => ({
          change,
          written: [...written, ...fresh],
        })),
      };
}

/**
 * The packet's bytes as the datapath has them, where `packet` is what the translation takes it for.
 */
export function datapathBytes(
  { frame: whole, layout, baseKey }: Pick<Packet, 'frame' | 'layout' | 'baseKey'>,
  { changes, tunnelPayload, cutOff }: DatapathPacket,
  behaviour: Behaviour,
): ParsedFrame {
  const frame = cutOff === 0 ? whole : whole.subarray(0, whole.length - cutOff);
  if (tunnelPayload !== undefined)
    return datapathBytes(
      { frame: withTunnelPayload(frame, tunnelPayload), layout, baseKey },
      { changes, tracked: undefined, tunnelPayload: undefined, cutOff: 0 },
      behaviour,
    );
  if (changes.length === 0) return { frame, layout, key: baseKey };
  if (!isIp(baseKey[word.ethType] ?? 0))
    throw new Unsupported('the model does not look for a translated packet behind labels');
  return changes.reduce<ParsedFrame>(
    (bytes, { change, written }) => applyNat(bytes, change, behaviour, written),
    { frame, layout, key: baseKey },
  );
}

/** The frame around the other packet; what was done to the frame itself stays. */
function withTunnelPayload(frame: Uint8Array, { before, after }: TunnelPayload): Uint8Array {
  const isOutOfReach =
    frame.length !== before.length ||
    before.some((byte, at) => byte !== after[at] && byte !== frame[at]);
  if (isOutOfReach)
    throw new Unsupported(
      'the model does not know what the underlay makes of a tunnel whose packet ct(nat) ' +
        'without a table has translated',
    );
  return frame.map((byte, at) => (before[at] === after[at] ? byte : (after[at] ?? 0)));
}

/**
 * @throws Unsupported where the packet was translated, and continues in the same translation with
 *   what does not parse its bytes again.
 */
export function refuseNatted(
  { packetState }: { readonly packetState: DatapathPacket },
  place: string,
): void {
  if (packetState.changes.length > 0 || packetState.tunnelPayload !== undefined)
    throw new Unsupported(
      `the model does not take a packet that ct(nat) without a table translated to ${place}`,
    );
}

/**
 * The packet as the datapath has it, to go on with in another translation: `packet` itself where it
 * is the same.
 */
export function asDatapathPacket(
  packet: Packet,
  datapathPacket: DatapathPacket,
  behaviour: Behaviour,
): Packet {
  if (
    datapathPacket.changes.length === 0 &&
    datapathPacket.tunnelPayload === undefined &&
    datapathPacket.cutOff === 0 &&
    datapathPacket.tracked === packet.tracked
  )
    return packet;
  const { frame, key: arrived } = datapathBytes(packet, datapathPacket, behaviour);
  const key = copyKey(packet.key);
  key.set(arrived.subarray(word.ethSrc), word.ethSrc);
  return {
    ...packet,
    frame,
    baseKey: arrived,
    key,
    isParsed: packet.isParsed && datapathPacket.changes.length === 0,
    isRewritten: packet.isRewritten || datapathPacket.changes.length > 0,
    tracked: datapathPacket.tracked,
    padding: packet.padding - Math.min(packet.padding, datapathPacket.cutOff),
  };
}
