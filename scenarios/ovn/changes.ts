import { defineTimeline, ovn } from '../../harness/index.js';
import { podsComeAndGo } from '../../topologies/ovn/pods-come-and-go.js';

export default defineTimeline({
  name: 'ovn/changes',
  title: 'Pods come to logical switches and leave them, while others talk',
  axes: {},
  controlPlane: ovn(),
  timeline: () => podsComeAndGo,
});
