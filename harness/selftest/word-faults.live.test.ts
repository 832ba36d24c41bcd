// Goal: what a reader of FLOW gets wrong is caught, though the packet that it makes goes the same
// way in model and switch. Method: each misreading, and the same words without one.
import t from 'tap';
import { openImage } from '../../images/images.js';
import { tryWordFault, wordFaults } from './word-faults.js';

const image = await openImage('trixie', (line) => t.comment(line));

for (const fault of wordFaults)
  void t.test(fault.name, async (t) => {
    const caught = await tryWordFault(fault, image);
    t.not(caught.differences.length, 0, 'caught');
    const right = await tryWordFault({ ...fault, readAs: fault.flow }, image);
    t.match(right, { differences: [], compared: 3 }, right.left ?? fault.name);
  });
