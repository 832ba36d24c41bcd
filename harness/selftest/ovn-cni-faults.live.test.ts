// Goal: what the plugin or its watcher could do wrong is caught by what is promised. Method: each
// fault into a cluster of its own, with the vectors that the self-test plays.
import t from 'tap';
import { openImage } from '../../images/images.js';
import lifecycle from '../../scenarios/ovn-cni/lifecycle.js';
import policies from '../../scenarios/ovn-cni/policies.js';
import races from '../../scenarios/ovn-cni/races.js';
import type { Scenario } from '../domain/scenario.js';
import type { Fault } from './fault.js';
import { ovnCniDeletionFaults, ovnCniPolicyFaults, ovnCniPortFaults } from './ovn-cni-faults.js';
import { isPlayed } from './suites.js';
import { tryFault } from './try-fault.js';

const image = await openImage('trixie', (line) => t.comment(line));

const tried: readonly (readonly [Scenario, Readonly<Record<string, string>>, Fault])[] = [
  ...ovnCniPortFaults.map((fault) => [lifecycle, { nodes: '2' }, fault] as const),
  ...ovnCniPolicyFaults.map((fault) => [policies, {}, fault] as const),
  ...ovnCniDeletionFaults.map((fault) => [races, { order: 'prabns' }, fault] as const),
];
for (const [scenario, axes, fault] of tried)
  void t.test(fault.name, { timeout: 300_000 }, async (t) => {
    const result = await tryFault(scenario, axes, fault, {
      image,
      sim: {},
      nowMs: () => 0,
      only: (vector) => isPlayed(scenario.name, vector),
    });
    t.equal(result.kind, 'caught', JSON.stringify({ ...result, fault: undefined }));
  });
