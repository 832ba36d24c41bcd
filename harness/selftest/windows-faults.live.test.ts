// Goal: faults in what the agent makes of a Windows node are caught, though model and switch carry
// them out alike. Method: each fault into switches of its own, with the vectors that it concerns.
import t from 'tap';
import { openImage } from '../../images/images.js';
import external from '../../scenarios/antrea/windows-external-traffic.js';
import hybrid from '../../scenarios/antrea/windows-hybrid.js';
import nodePorts from '../../scenarios/antrea/windows-node-ports.js';
import podToPod from '../../scenarios/antrea/windows-pod-to-pod.js';
import services from '../../scenarios/antrea/windows-service-traffic.js';
import { tryFault } from './try-fault.js';
import { plantFaults } from './testkit/plant-faults.js';
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

plantFaults(image, services, { mode: 'encap', other: 'linux' }, windowsHostFaults, [
  'udp/n1/host-network',
  'udp/client/outside',
]);
plantFaults(
  image,
  podToPod,
  { mode: 'noEncap', nodes: 'WW', tunnel: 'geneve' },
  [...windowsFlowFaults, ...endpointFaults],
  ['ping/n2/p1'],
);
plantFaults(image, external, { mode: 'encap', nodes: 'WL' }, netNatFaults, [
  'ping/p1/x1',
  'later/p1/x1',
]);
plantFaults(image, nodePorts, { mode: 'encap' }, nodePortFaults, [
  'tcp/x1/same-node',
  'udp/x1/same-node',
]);
plantFaults(
  image,
  hybrid,
  { mode: 'hybrid', nodes: 'W/W', tunnel: 'geneve' },
  leftoverRouteFaults,
  ['gone/n1'],
);
