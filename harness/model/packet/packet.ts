/** A packet in the pipeline: its bytes as they arrived, and what is known of it now. */
import type { Layout } from '../../packet/flow-key/extract/extract.js';
import { copyKey, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { TrackedPacket } from '../conntrack/protocols/tracked-packet.js';
import type { Tracked } from '../conntrack/tracked.js';

export interface Packet {
  /**
   * As it arrived, or as it was when its changes last went into the bytes; the same for `layout`.
   */
  frame: Uint8Array;
  layout: Layout;
  /**
   * What is known of `frame`, in the words from `ethSrc` on; as `frame` itself these are never
   * changed, only replaced.
   */
  baseKey: FlowKey;
  /**
   * As the actions left it: `arrived` itself as long as they have written nothing that stands in
   * the frame.
   */
  key: FlowKey;
  /**
   * Whether its last label was popped: what is behind it is known once the frame is parsed again.
   */
  needsReparse: boolean;
  /** Whether `arrived` is just what parsing `frame` gives. */
  isParsed: boolean;
  /** Whether IP or what it carries was written since the packet entered the datapath. */
  isRewritten: boolean;
  /**
   * Whether headers have come or gone since it came to its node, so that the room in its buffer is
   * unknown.
   */
  isResized: boolean;
  /**
   * Whether it is inside a tunnel since it was last read: of the header around it, not all is
   * known.
   */
  isEncapsulated: boolean;
  /** Its Ethernet header is made up: in the datapath it came without one. */
  readonly lacksEthernet?: true;
  /** How many tags are read of it: the next one's type is the packet's. */
  readonly tagsMax: number;
  /** What the tracker takes it for where a tunnel has encapsulated it. */
  readonly trackedAs: 'itself' | 'nothing' | 'what is inside';
  /** The own address that it came to through a tunnel. */
  readonly tunnelDst: bigint | undefined;
  /**
   * Hash of addresses and ports when the packet entered the datapath: a tunnel's UDP source port
   * follows from it.
   */
  readonly hash: number;
  /** Bytes behind the end of the IP packet, as they were when it was last read. */
  padding: number;
  /**
   * What the tracker said of it before it was read, and of which addresses and ports; whether that
   * holds for its zone.
   */
  tracked: { readonly said: Tracked; readonly key: FlowKey; readonly holds: boolean } | undefined;
  /** What the tracker took it for last, and of which bytes. */
  trackerCache:
    | {
        readonly frame: Uint8Array;
        readonly key: FlowKey;
        readonly zone: number;
        readonly as: TrackedPacket | undefined;
      }
    | undefined;
}

/** The same packet, so that what happens to the copy leaves the original alone. */
export function copyOf({
  frame,
  layout,
  baseKey,
  key,
  needsReparse,
  isParsed,
  isRewritten,
  isResized,
  isEncapsulated,
  trackedAs,
  tunnelDst,
  hash,
  padding,
  tracked,
  tagsMax,
  trackerCache,
}: Packet): Packet {
  return {
    frame,
    layout,
    baseKey,
    key: copyKey(key),
    needsReparse,
    isParsed,
    isRewritten,
    isResized,
    isEncapsulated,
    trackedAs,
    tunnelDst,
    hash,
    padding,
    tracked,
    tagsMax,
    trackerCache,
  };
}

/** What stands in the frame is to be written in the key. */
export function unshareKey(packet: Packet): void {
  if (packet.key === packet.baseKey) packet.key = copyKey(packet.key);
}
