// Goal: what a reader of dumps misses is caught, since the switch is built from the dump itself.
// Method: each misreading with a packet that meets it, and each packet without one.
import t from 'tap';
import { openImage } from '../../images/images.js';
import { readerFaults, tryReaderFault } from './reader-faults.js';

const image = await openImage('trixie', (line) => t.comment(line));

for (const fault of readerFaults)
  void t.test(fault.name, async (t) => {
    t.not((await tryReaderFault(fault, image)).length, 0, 'caught');
    t.strictSame(await tryReaderFault({ ...fault, misread: (bridge) => bridge }, image), []);
  });
