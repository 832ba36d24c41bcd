/** A link's properties as the kernel's queueing disciplines have them (tc-netem(8)). */
import { InputError } from '../base/errors/errors.js';
import { linkProblem, type LinkProperties } from '../domain/link.js';

/** Packets that wait for their turn, at most: enough that none is lost for want of room. */
const queueLimit = 20_000;

/**
 * Words of tc(8) behind `tc qdisc replace dev DEVICE root`; undefined for a link that needs none.
 * @throws InputError for properties that contradict each other.
 */
export function netemWords(link: LinkProperties, where: string): readonly string[] | undefined {
  const { delayMs, jitterMs, lossPercent, reorderPercent, rateMbit } = link;
  const wrong = linkProblem(link);
  if (wrong !== undefined) throw new InputError(`${where}: ${wrong}`);
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
