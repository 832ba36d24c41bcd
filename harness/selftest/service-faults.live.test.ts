// Goal: faults in how Services are compiled are caught by who knows what Kubernetes promises of
// them. Method: each fault into switches of its own, with the vectors that it concerns.
import t from 'tap';
import { openImage } from '../../images/images.js';
import services from '../../scenarios/antrea/services-antrea-proxy.js';
import servicesOfNodes from '../../scenarios/antrea/services-kube-proxy.js';
import { egressFaults, serviceFaults } from './service-faults.js';
import { tryFault } from './try-fault.js';
import { isPlayed } from './suites.js';

const image = await openImage('trixie', (line) => t.comment(line));
/** The vector that each fault breaks, in the order of the faults; and one that none does. */
const broken = [
  'kept/asker1/default/sticky',
  'spread/asker1/default/web:http',
  'service/asker1/default/lonely',
  'service/web1/default/lonely',
];
const bystander = 'service/asker1/default/dns:dns';

for (const [index, fault] of serviceFaults.entries()) {
  void t.test(fault.name, async (t) => {
    const result = await tryFault(services, { tunnel: 'geneve' }, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) =>
        (vector.id === broken[index] && isPlayed(services.name, vector)) || vector.id === bystander,
    });
    t.equal(
      result.kind,
      'caught',
      JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
    );
    t.match(result, { first: broken[index], vectors: 1 });
  });
}

for (const fault of egressFaults) {
  void t.test(fault.name, async (t) => {
    const only = ['service/picky/default/lonely', bystander];
    const result = await tryFault(servicesOfNodes, { tunnel: 'geneve' }, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) =>
        only.includes(vector.id) &&
        (isPlayed(servicesOfNodes.name, vector) || vector.id === bystander),
    });
    t.match(result, { kind: 'caught', first: 'service/picky/default/lonely', vectors: 1 });
  });
}
