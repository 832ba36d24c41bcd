/** A link between a node and the network between nodes, as its topology says it carries frames. */
import { randomFor } from '../base/random.js';
import type { LinkProperties } from '../domain/link.js';

const ethernetHeader = 14;
const percentGrain = 1_000_000;

/** When a frame that is sent at `nowUs` is through; undefined where it is lost. */
export type Link = (frame: Uint8Array, nowUs: number) => number | undefined;

/**
 * A link that is not used yet. What is chance is drawn from `seed`, in the order of frames. A frame
 * waits for those before it where there is a rate, as in a queue that is long enough.
 */
export function openLink(
  { delayMs = 0, jitterMs = 0, lossPercent = 0, reorderPercent = 0, ...link }: LinkProperties,
  seed: number,
  name: string,
): Link {
  const random = randomFor(seed, `link ${name}`);
  const happens = (percent: number) =>
    percent > 0 && random.integer(1, 100 * percentGrain) <= percent * percentGrain;
  const jitterUs = Math.round(jitterMs * 1000);
  let freeUs = 0;
  return (frame, nowUs) => {
    if (link.state === 'down') return undefined;
    if (link.mtu !== undefined && frame.length > link.mtu + ethernetHeader) return undefined;
    if (happens(lossPercent)) return undefined;
    if (link.rateMbit !== undefined)
      freeUs = Math.max(freeUs, nowUs) + (frame.length * 8) / link.rateMbit;
    const sentUs = Math.max(nowUs, Math.ceil(freeUs));
    if (happens(reorderPercent)) return sentUs - nowUs;
    const drawnUs = jitterUs === 0 ? 0 : random.integer(-jitterUs, jitterUs);
    return sentUs - nowUs + Math.round(delayMs * 1000) + drawnUs;
  };
}

/** The links of nodes, by name, from the first frame of a vector on. */
export function linksInUse(
  links: ReadonlyMap<string, LinkProperties>,
  seed: number,
  clock: { readonly nowUs: number },
) {
  const opened = new Map<string, Link>();
  const linkOf = (node: string, properties: LinkProperties): Link => {
    const link = opened.get(node) ?? openLink(properties, seed, node);
    opened.set(node, link);
    return link;
  };
  return {
    /** How long it takes on the link of the node that it leaves; undefined where it is lost. */
    onLinkOf(node: string | undefined, frame: Uint8Array): number | undefined {
      const properties = links.get(node ?? '');
      return node === undefined || properties === undefined
        ? 0
        : linkOf(node, properties)(frame, clock.nowUs);
    },
    isUp: (node: string | undefined) => links.get(node ?? '')?.state !== 'down',
  };
}
