import { defineTimeline, ovn } from '../../harness/index.js';
import { announcements, firsts, moving, strategies } from '../../topologies/ovn/moves.js';

export default defineTimeline({
  name: 'ovn/moves',
  title: 'How many datagrams are lost while a machine moves, by the way that OVN has for it',
  axes: {
    strategy: { values: strategies, default: strategies },
    order: { values: firsts, default: ['ovn-first'] },
    rarp: { values: announcements, default: ['at-once'] },
  },
  controlPlane: ovn(),
  timeline: ({ strategy, order, rarp }) => moving(strategy, order, rarp),
});
