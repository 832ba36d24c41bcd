/**
 * How a link carries packets: what a topology says of the link between a node and the network
 * between nodes. A link is perfect where nothing is said.
 */
export interface LinkProperties {
  /** One way, of every packet; added to it at random, evenly on both sides, `jitterMs`. */
  readonly delayMs?: number;
  readonly jitterMs?: number;
  /** Of packets that are lost, and of those that overtake others, by chance, in per cent. */
  readonly lossPercent?: number;
  readonly reorderPercent?: number;
  /** Megabits a second of frames, with Ethernet's header. */
  readonly rateMbit?: number;
  /** The longest packet, without Ethernet's header: 1500 where it is missing. */
  readonly mtu?: number;
  readonly state?: 'up' | 'down';
}
