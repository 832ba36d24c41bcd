// Goal: faults in what the agent makes of a Windows node are caught, though model and switch carry
// them out alike. Method: each fault into switches of its own, with the vectors that it concerns.
import t from 'tap';
import { openImage } from '../../images/images.js';
import external from '../../scenarios/antrea/windows-external-traffic.js';
import hybrid from '../../scenarios/antrea/windows-hybrid.js';
import nodePorts from '../../scenarios/antrea/windows-node-ports.js';
import podToPod from '../../scenarios/antrea/windows-pod-to-pod.js';
import services from '../../scenarios/antrea/windows-service-traffic.js';
import type { Scenario } from '../domain/scenario.js';
import type { Fault } from './fault.js';
import { tryFault } from './try-fault.js';
import { isPlayed } from './suites.js';
import {
  endpointFaults,
  leftoverRouteFaults,
  netNatFaults,
  nodePortFaults,
  windowsFlowFaults,
  windowsHostFaults,
  withOnePort,
} from './windows-faults.js';

const image = await openImage('trixie', (line) => t.comment(line));

function plant(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  faults: readonly Fault[],
  ids: readonly string[],
): void {
  for (const fault of faults) {
    void t.test(fault.name, async (t) => {
      const result = await tryFault(scenario, axes, fault, {
        image,
        sim: {},
        nowMs: () => 0,
        only: (vector) => ids.includes(vector.id) && isPlayed(scenario.name, vector),
      });
      t.equal(
        result.kind,
        'caught',
        JSON.stringify(result.kind === 'unnoticed' ? result.why : result),
      );
    });
  }
}

void t.test('one port is no fault by itself', async (t) => {
  const result = await tryFault(
    external,
    { mode: 'encap', nodes: 'WL' },
    { kind: 'host', name: 'one port', aspect: 'intent', host: withOnePort },
    {
      image,
      sim: {},
      nowMs: () => 0,
      only: ({ id }) => ['ping/p1/x1', 'later/p1/x1'].includes(id),
    },
  );
  t.same(result.kind === 'unnoticed' ? result.why : result, 'the run conforms');
});

plant(services, { mode: 'encap', other: 'linux' }, windowsHostFaults, [
  'udp/n1/host-network',
  'udp/client/outside',
]);
plant(
  podToPod,
  { mode: 'noEncap', nodes: 'WW', tunnel: 'geneve' },
  [...windowsFlowFaults, ...endpointFaults],
  ['ping/n2/p1'],
);
plant(external, { mode: 'encap', nodes: 'WL' }, netNatFaults, ['ping/p1/x1', 'later/p1/x1']);
plant(nodePorts, { mode: 'encap' }, nodePortFaults, ['tcp/x1/same-node', 'udp/x1/same-node']);
plant(hybrid, { mode: 'hybrid', nodes: 'W/W', tunnel: 'geneve' }, leftoverRouteFaults, ['gone/n1']);
