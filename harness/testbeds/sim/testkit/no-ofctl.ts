/** In the place of a switch's OpenFlow connection, for what must not ask for anything. */
import type { Ofctl } from '../../../ovs/openflow/ofctl.js';

const unused = () => Promise.reject(new Error('nothing is asked of a switch'));

export const noOfctl: Ofctl = {
  bundle: unused,
  install: unused,
  addOpenflow10: unused,
  dump: unused,
  dumpTlvMap: unused,
  run: unused,
  send: unused,
};
