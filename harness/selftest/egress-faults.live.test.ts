// Goal: an EgressIP whose policy stands in the wrong zone, or leads to the wrong gateway, is
// caught, so is a default route that is forgotten or leads nowhere, and so is a load balancer with
// the wrong endpoints, and a gateway router that leaves clients their address. Method: each fault
// into a cluster of its own, with a vector or two.
import t from 'tap';
import { openImage } from '../../images/images.js';
import services from '../../scenarios/ovn-kubernetes/services.js';
import snat from '../../scenarios/ovn-kubernetes/snat.js';
import { egressIpFaults } from './egress-faults.js';
import { ovnServiceFaults } from './ovn-service-faults.js';
import { isPlayed } from './suites.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));

const planted = [
  ...egressIpFaults.map((fault) => [snat, { zones: 'a-node', gateway: 'shared' }, fault] as const),
  ...ovnServiceFaults.map((fault) => [services, { zones: 'one' }, fault] as const),
];

for (const [scenario, axes, fault] of planted)
  void t.test(fault.name, async (t) => {
    const result = await tryFault(scenario, axes, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) => isPlayed(scenario.name, vector),
    });
    t.equal(
      result.kind,
      'caught',
      JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
    );
  });
