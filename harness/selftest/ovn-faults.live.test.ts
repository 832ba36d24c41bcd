// Goal: faults in what OVN compiles, in what its switches hold and in what a control plane wants of
// it are caught, and one in a flow is blamed on the logical flow. Method: each fault into a cluster
// of its own, with one ping across chassis.
import t from 'tap';
import { openImage } from '../../images/images.js';
import first from '../../scenarios/ovn/first.js';
import { ovnFaults } from './ovn-faults.js';
import { isPlayed } from './suites.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));

for (const fault of ovnFaults) {
  void t.test(fault.name, async (t) => {
    const result = await tryFault(first, { nodes: '2' }, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) => isPlayed(first.name, vector),
    });
    t.equal(
      result.kind,
      'caught',
      JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
    );
    if (fault.kind === 'switch' && result.kind === 'caught' && 'finding' in result)
      t.match(result.finding.at?.because, /OVN compiled it from: .* (ingress|egress) |port p3/);
  });
}
