// Goal: tenants that are bridged and an extension that opens too early are caught by L0, though
// model and switch agree. Method: each fault into a cluster of its own, with the vectors that it is
// about.
import t from 'tap';
import { openImage } from '../../images/images.js';
import isolation from '../../scenarios/contrail/isolation.js';
import { contrailFaults } from './contrail-faults.js';
import { isPlayed } from './suites.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));

for (const fault of contrailFaults)
  void t.test(fault.name, async (t) => {
    const result = await tryFault(isolation, { hypervisors: '1', overlay: 'vxlan' }, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) => isPlayed(isolation.name, vector),
    });
    t.equal(
      result.kind,
      'caught',
      JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
    );
  });
