// Goal: an EgressIP whose policy stands in the wrong zone, or leads to the wrong gateway, is
// caught. Method: each fault into a cluster of its own, with one ping out of it.
import t from 'tap';
import { openImage } from '../../images/images.js';
import snat from '../../scenarios/ovn-kubernetes/snat.js';
import { egressIpFaults } from './egress-faults.js';
import { isPlayed } from './suites.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));

for (const fault of egressIpFaults)
  void t.test(fault.name, async (t) => {
    const result = await tryFault(snat, { zones: 'a-node' }, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) => isPlayed(snat.name, vector),
    });
    t.equal(
      result.kind,
      'caught',
      JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
    );
  });
