/** Actions on tags, labels and TTL. */
import type { Random } from '../../base/random.js';
import type { Action } from '../../openflow/actions/action.js';
import type { PacketKnowledge } from '../../openflow/actions/known-packet.js';
import { valueIn, mostTags } from '../../openflow/actions/packet-knowledge.js';
import { fieldCalled } from '../../openflow/match/fields.js';
import { matchesIp } from '../../openflow/match/prerequisites.js';
import { controllerIds } from '../fuzz-network.js';
import { weighted, pick, chance } from './weighted.js';

/** Tags, labels and TTL. */
export function drawHeader(random: Random, { match, tags }: PacketKnowledge): Action {
  const type = valueIn(match, 'dl_type');
  const isMpls = type === 0x8847n || type === 0x8848n;
  const isIp = matchesIp(match);
  return weighted<() => Action>(random, [
    [2, () => ({ kind: 'push_mpls', type: pick(random, [0x8847, 0x8848]) })],
    [2, () => ({ kind: 'set_vlan', part: 'vid', value: random.integer(0, 6), tagged: tags > 0 })],
    [1, () => ({ kind: 'set_vlan', part: 'pcp', value: random.integer(0, 7), tagged: tags > 0 })],
    [tags < mostTags ? 2 : 0, () => ({ kind: 'push_vlan', type: pick(random, [0x8100, 0x88a8]) })],
    [tags > 0 ? 3 : 0, () => ({ kind: 'pop_vlan' })],
    [
      isIp ? 4 : 0,
      () =>
        chance(random, 80) ? { kind: 'dec_ttl' } : { kind: 'dec_ttl', controllers: controllerIds },
    ],
    [
      isIp ? 1 : 0,
      () => ({
        kind: 'set',
        notation: 'own',
        field: fieldCalled('nw_ttl'),
        value: BigInt(random.integer(0, 3)),
      }),
    ],
    [
      isMpls ? 4 : 0,
      () => ({ kind: 'pop_mpls', type: pick(random, [0x0800, 0x86dd, 0x0806, 0x8847]) }),
    ],
    [isMpls ? 3 : 0, () => ({ kind: 'dec_mpls_ttl' })],
  ])();
}
