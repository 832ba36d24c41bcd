// Goal: faults in the flows of policies are caught where they were planted. Method: each fault into
// switches of its own, with those of the vectors that it concerns which the self-test plays.
import t from 'tap';
import { openImage } from '../../images/images.js';
import networkPolicy from '../../scenarios/antrea/network-policy.js';
import { policyFaults } from './policy-faults.js';
import { tryFault } from './try-fault.js';
import { isPlayed } from './suites.js';

const image = await openImage('trixie', (line) => t.comment(line));
const ids = [
  'tcp-80/nginx1/nginx2',
  'tcp-80/notclient/server',
  'tcp-9/server/front.shop',
  'tcp-9/batch.shop/front.shop',
  'tcp-80/front.shop/nginx1',
  'tcp-80/batch.shop/nginx1',
  'tcp-8080/notclient/db.shop',
  'tcp-8080/batch.shop/db.shop',
  'wrong-ip/notclient/nginx1',
  'tcp-80/n1/nginx1',
];

for (const fault of policyFaults) {
  void t.test(fault.name, async (t) => {
    const result = await tryFault(networkPolicy, { tunnel: 'geneve' }, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) => ids.includes(vector.id) && isPlayed(networkPolicy.name, vector),
    });
    t.equal(
      result.kind,
      'caught',
      JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
    );
    t.comment(JSON.stringify(result));
  });
}
