import type { Campaign } from './campaign.js';
import { networkOf } from './fuzz-network.js';

/** So many cases may be passed over for one. */
const casesInReach = 1000;

/**
 * Cases of one node alone: on a real kernel there is no second one, for tunnels between the two go
 * over IPv6, which backend netns has no underlay of.
 */
export function withinOneNode(draw: Campaign['draw']): Campaign['draw'] {
  return (seed, index, behaviour) => {
    for (let at = index * casesInReach; ; at++) {
      const drawn = draw(seed, at, behaviour);
      if (networkOf(drawn) === 'one node') return drawn;
    }
  };
}
