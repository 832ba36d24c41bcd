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

/** What is wrong with it: the property, its value, and what would be right. */
export function linkProblem(link: LinkProperties): string | undefined {
  const wrong = (name: keyof LinkProperties, expected: string) =>
    `${name}: expected ${expected}, got ${String(link[name])}`;
  for (const name of ['delayMs', 'jitterMs', 'rateMbit'] as const)
    if (link[name] !== undefined && !(Number(link[name]) > 0))
      return wrong(name, 'a number above 0');
  for (const name of ['lossPercent', 'reorderPercent'] as const) {
    const value = link[name];
    if (value !== undefined && !(value > 0 && value <= 100))
      return wrong(name, 'a number above 0, and 100 at most');
  }
  for (const name of ['jitterMs', 'reorderPercent'] as const)
    if (link[name] !== undefined && link.delayMs === undefined)
      return `${name}: needs a delay: name delayMs, too`;
  if (link.jitterMs !== undefined && link.jitterMs > (link.delayMs ?? 0))
    return wrong('jitterMs', `${link.delayMs} at most, as delayMs is`);
  if (link.mtu !== undefined && !(Number.isInteger(link.mtu) && link.mtu >= 68))
    return wrong('mtu', 'a whole number of bytes, 68 or more');
  if (link.state !== undefined && !['up', 'down'].includes(link.state))
    return wrong('state', 'up or down');
  return undefined;
}
