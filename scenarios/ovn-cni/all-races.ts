import { defineTimeline, ovnCni } from '../../harness/index.js';
import { allRacesOf, beginnings } from '../../topologies/ovn-cni/races.js';

export default defineTimeline({
  name: 'ovn-cni/all-races',
  title: 'All orders of six events that begin alike, one after the other on one cluster',
  axes: { beginning: { values: beginnings, default: ['rps'] } },
  controlPlane: ovnCni(),
  timeline: ({ beginning }) => allRacesOf(beginning),
});
