/** What is done wrong on purpose while a cluster changes, so that it is seen to be found. */
export const changeFaults = {
  'connections-forgotten': 'the tracker forgets all connections once the change is made',
  'flows-gone': 'all flows go first, and come back one round later, in place of one bundle',
  'change-forgotten': 'agents do not get the change, or a restarted switch is left empty',
  'captures-too-small': 'buffers of captures have room for one frame, so that they lose others',
} as const;
export type ChangeFault = keyof typeof changeFaults;
