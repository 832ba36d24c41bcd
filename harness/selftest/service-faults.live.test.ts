// Goal: faults in how Services are compiled are caught by who knows what Kubernetes promises of them.
// Method: each fault into switches of its own, with the vectors that it concerns.
import t from 'tap';
import { openImage } from '../../images/images.js';
import services from '../../scenarios/antrea/services-antrea-proxy.js';
import { serviceFaults } from './service-faults.js';
import { tryFault } from './selftest.js';

const image = await openImage('trixie', (line) => t.comment(line));
const ids = ['service/web1/default/lonely', 'service/asker1/default/lonely', 'service/asker1/default/web:http', 'spread/asker1/default/web:http', 'kept/asker1/default/sticky'];

for (const fault of serviceFaults) {
  void t.test(fault.name, async (t) => {
    const result = await tryFault(services, { tunnel: 'geneve' }, fault, { image, sim: {}, nowMs: () => 0, only: ({ id }) => ids.includes(id) });
    t.equal(result.kind, 'caught', JSON.stringify(result.kind === 'unnoticed' ? result.why : result));
    t.comment(JSON.stringify(result));
  });
}
