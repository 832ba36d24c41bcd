/**
 * A frame's translations, one after the other: as it enters, and each time that it is taken up
 * again.
 */
import { Unpredictable } from '../../base/errors.js';
import type { ModelBridge } from '../node.js';
import { isFragment } from '../conntrack/fragments.js';
import { reread, type Packet } from '../packet.js';
import { placeOfFragments } from './reassembly.js';
import { translate, type Course } from './translate.js';
import type { Frozen, Passage } from './translation.js';

/** A frame enters `bridge`; its key says at which port. */
export function enter(passage: Passage, bridge: ModelBridge, packet: Packet): void {
  const again = (frozen: Frozen) => {
    recirculate(course, frozen);
  };
  const course: Course = { passage, recirculate: again };
  translate(course, { bridge, table: 0, packet, actions: nothing, stack: nothing, mirrored: 0 });
  for (
    let times = 0, next = passage.resumed.shift();
    next !== undefined;
    times++, next = passage.resumed.shift()
  ) {
    if (times >= mostResumed)
      throw new Unpredictable(
        `the model does not resume one packet more than ${mostResumed} times`,
      );
    again(next);
  }
}

const nothing: readonly never[] = [];

/** A packet that is paused again whenever it is resumed never ends. */
const mostResumed = 64;

/**
 * The packet is read anew and goes on where it was put off; past the datapath's limit it is dropped
 * without a word.
 */
function recirculate(course: Course, frozen: Frozen): void {
  const { passage } = course;
  const { packet } = frozen;
  const { recirculations } = passage.node.behaviour;
  if (passage.recirculations >= recirculations) {
    passage.steps.push({ kind: 'drop', why: `more than ${recirculations} recirculations` });
    return;
  }
  passage.recirculations++;
  const own = isFragment(packet) ? { ...course, thawedAt: placeOfFragments(frozen) } : course;
  reread(packet);
  translate(own, frozen);
  passage.recirculations--;
}
