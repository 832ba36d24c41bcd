/**
 * What the datapath's packet carries of connections while a translation's actions are carried out
 * on it: the translation itself knows nothing of it.
 */
import { Unsupported } from '../../base/errors.js';
import { copyKey, isIp, tupleWords, word, type FlowKey } from '../../packet/flow-key.js';
import type { Behaviour } from '../behaviour.js';
import { translate, type Bytes } from '../conntrack/translate.js';
import type { Translation as Change } from '../conntrack/tracked.js';
import type { Packet } from '../packet.js';

export interface Carried {
  /** What the tracker said of it last. */
  readonly tracked: Packet['tracked'];
  /** What became of its addresses and ports, one translation behind the other. */
  readonly changes: readonly CarriedChange[];
  /** Of what a tunnel carries; undefined where that is what the translation takes it for. */
  readonly inside: Inside | undefined;
}

interface CarriedChange {
  readonly change: Change;
  /**
   * The words that were written since, also with what they had before: they stay as they were
   * written.
   */
  readonly written: readonly number[];
}

const unchanged: Carried['changes'] = [];

/** What is around a packet that was translated before it entered a tunnel. */
interface Inside {
  /**
   * Both as they were put around it: what was inside as the translation took it, and as the
   * datapath had it.
   */
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

/** What it carries when a translation begins. */
export function carriedBy({ tracked }: Packet): Carried {
  return { changes: unchanged, tracked, inside: undefined };
}

/** What the tracker translates the packet to behind all that was done with it before. */
export function translated(carried: Carried, change: Change): Carried {
  return { ...carried, changes: [...carried.changes, { change, written: [] }] };
}

/**
 * What was pending was put into the packet's bytes: of what it was translated to, that is written
 * over.
 */
export function writtenOver(carried: Carried, before: FlowKey, after: FlowKey): Carried {
  if (carried.changes.length === 0) return carried;
  const fresh = tupleWords.filter((field) => before[field] !== after[field]);
  return fresh.length === 0
    ? carried
    : {
        ...carried,
        changes: carried.changes.map(({ change, written }) => ({
          change,
          written: [...written, ...fresh],
        })),
      };
}

/**
 * The packet's bytes as the datapath has them, where `packet` is what the translation takes it for.
 */
export function bytesOf(
  { frame, layout, arrived }: Pick<Packet, 'frame' | 'layout' | 'arrived'>,
  { changes, inside }: Carried,
  behaviour: Behaviour,
): Bytes {
  if (inside !== undefined)
    return bytesOf(
      { frame: withInside(frame, inside), layout, arrived },
      { changes, tracked: undefined, inside: undefined },
      behaviour,
    );
  if (changes.length === 0) return { frame, layout, key: arrived };
  if (!isIp(arrived[word.ethType] ?? 0))
    throw new Unsupported('the model does not look for a translated packet behind labels');
  return changes.reduce<Bytes>(
    (bytes, { change, written }) => translate(bytes, change, behaviour, written),
    { frame, layout, key: arrived },
  );
}

/** The frame around the other packet; what was done to the frame itself stays. */
function withInside(frame: Uint8Array, { before, after }: Inside): Uint8Array {
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
 * @throws Unsupported where the packet was translated, and goes on in the same translation to what
 *   does not look at its bytes again.
 */
export function refuseChanged({ carried }: { readonly carried: Carried }, place: string): void {
  if (carried.changes.length > 0 || carried.inside !== undefined)
    throw new Unsupported(
      `the model does not take a packet that ct(nat) without a table translated to ${place}`,
    );
}

/**
 * The packet as the datapath has it, to go on with in another translation: `packet` itself where it
 * is the same.
 */
export function asCarried(packet: Packet, carried: Carried, behaviour: Behaviour): Packet {
  if (
    carried.changes.length === 0 &&
    carried.inside === undefined &&
    carried.tracked === packet.tracked
  )
    return packet;
  const { frame, key: arrived } = bytesOf(packet, carried, behaviour);
  const key = copyKey(packet.key);
  key.set(arrived.subarray(word.ethSrc), word.ethSrc);
  return {
    ...packet,
    frame,
    arrived,
    key,
    isAsRead: packet.isAsRead && carried.changes.length === 0,
    isRewritten: packet.isRewritten || carried.changes.length > 0,
    tracked: carried.tracked,
  };
}
