// Goal: what is wrong in the source of Contrail's plugin is found by the scenarios that run it, and
// none of them has a verdict without the plugin. Method: each fault into the program of a scenario;
// then each of its modules throws as it is loaded.
import t from 'tap';
import { openImage } from '../../images/images.js';
import containers from '../../scenarios/contrail/containers.js';
import crashes from '../../scenarios/contrail/crashes.js';
import isolation from '../../scenarios/contrail/isolation.js';
import missedCalls from '../../scenarios/contrail/missed-calls.js';
import networks from '../../scenarios/contrail/networks.js';
import overlay from '../../scenarios/contrail/overlay.js';
import races from '../../scenarios/contrail/races.js';
import { contrail } from '../control/contrail/index.js';
import { courseProgram } from '../control/contrail/course.js';
import type { Scenario } from '../domain/scenario.js';
import {
  contrailCrashFaults,
  contrailMissedFaults,
  contrailRemovalFaults,
} from './contrail-program-faults.js';
import type { Fault } from './fault.js';
import { mutatingOptions } from './mutated-source.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));

const tried: readonly (readonly [Scenario, readonly Fault[]])[] = [
  [containers, contrailRemovalFaults],
  [missedCalls, contrailMissedFaults],
  [crashes, contrailCrashFaults],
];
for (const [scenario, faults] of tried)
  for (const fault of faults)
    void t.test(fault.name, { timeout: 300_000 }, async (t) => {
      const options = { image, sim: {}, nowMs: () => 0 };
      const result = await tryFault(scenario, { overlay: 'vxlan' }, fault, options);
      t.equal(result.kind, 'caught', JSON.stringify({ ...result, fault: undefined }));
    });

const points: readonly (readonly [Scenario, Readonly<Record<string, string>>])[] = [
  [containers, {}],
  [crashes, {}],
  [isolation, { hypervisors: '2' }],
  [missedCalls, {}],
  [networks, {}],
  [overlay, { hypervisors: '3' }],
  [races, { first: 'interface' }],
  [races, { first: 'add-port' }],
];
for (const module of ['plugin', 'endpoint', 'journal'])
  void t.test(`no scenario goes without ${module}.js`, { timeout: 300_000 }, (t) => {
    const mutation = {
      module: `/contrail-cnm/plugin/${module}.js`,
      from: '^',
      to: "throw new Error('it is gone');\n",
    };
    const { plan } = contrail(courseProgram(mutatingOptions(mutation)));
    for (const [scenario, axes] of points) {
      const cluster = scenario.topology({ overlay: 'vxlan', ...axes });
      t.throws(
        () => plan(cluster as Parameters<typeof plan>[0]),
        { name: 'Unavailable', message: /Contrail's plugin cannot be played/ },
        scenario.name,
      );
    }
    t.end();
  });
