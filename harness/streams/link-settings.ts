/** A link's properties as the kernel's queueing disciplines have them (tc-netem(8)). */
import { InputError } from '../base/errors/errors.js';
import type { LinkProperties } from '../domain/link.js';

/** Packets that wait for their turn, at most: enough that none is lost for want of room. */
const queueLimit = 20_000;

/**
 * Words of tc(8) behind `tc qdisc replace dev DEVICE root`; undefined for a link that needs none.
 * @throws InputError for properties that contradict each other.
 */
export function netemWords(link: LinkProperties, where: string): readonly string[] | undefined {
  const { delayMs, jitterMs, lossPercent, reorderPercent, rateMbit } = link;
  checkLink(link, where);
  const words = [
    ...(delayMs === undefined
      ? []
      : ['delay', `${delayMs}ms`, ...(jitterMs === undefined ? [] : [`${jitterMs}ms`])]),
    ...(lossPercent === undefined ? [] : ['loss', `${lossPercent}%`]),
    ...(reorderPercent === undefined ? [] : ['reorder', `${reorderPercent}%`]),
    ...(rateMbit === undefined ? [] : ['rate', `${rateMbit}mbit`]),
  ];
  return words.length === 0 ? undefined : ['netem', 'limit', String(queueLimit), ...words];
}

/** @throws InputError naming the property, its value, and what would be right. */
export function checkLink(link: LinkProperties, where: string): void {
  const wrong = (name: keyof LinkProperties, expected: string) =>
    new InputError(`${where}: ${name}: expected ${expected}, got ${String(link[name])}`);
  for (const name of ['delayMs', 'jitterMs', 'rateMbit'] as const)
    if (link[name] !== undefined && !(Number(link[name]) > 0))
      throw wrong(name, 'a number above 0');
  for (const name of ['lossPercent', 'reorderPercent'] as const) {
    const value = link[name];
    if (value !== undefined && !(value > 0 && value <= 100))
      throw wrong(name, 'a number above 0, and 100 at most');
  }
  for (const name of ['jitterMs', 'reorderPercent'] as const)
    if (link[name] !== undefined && link.delayMs === undefined)
      throw new InputError(`${where}: ${name}: needs a delay: name delayMs, too`);
  if (link.jitterMs !== undefined && link.jitterMs > (link.delayMs ?? 0))
    throw wrong('jitterMs', `${link.delayMs} at most, as delayMs is`);
  if (link.mtu !== undefined && !(Number.isInteger(link.mtu) && link.mtu >= 68))
    throw wrong('mtu', 'a whole number of bytes, 68 or more');
}
