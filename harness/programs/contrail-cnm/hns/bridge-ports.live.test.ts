// Goal: a container's port never has a number whose flows are another's, and where the physical
// adapter is missing nobody gets one. Method: a real switch with the bridge of a hypervisor; ports
// by its database, several at once, with and without the port `uplink`; the agent beside it.
import t from 'tap';
import { openImage } from '../../../../images/images.js';
import scenario from '../../../../scenarios/contrail/containers.js';
import { overlayPorts } from '../../../control/contrail/overlay.js';
import { nodeFolder } from '../../../testbeds/sim/configure/folders.js';
import { openSim } from '../../../testbeds/sim/sim.js';
import { serveConfigApi } from '../controller/config-api.js';
import { emptyDatabase } from '../controller/config-database.js';
import { servePortApi } from '../agent/port-api.js';
import { askJson } from '../http/json-client.js';
import { bridgePortsOf, firstContainerPort } from './bridge-ports.js';

const image = await openImage('trixie', (line) => t.comment(line));
const [first] = scenario.controlPlane.plan(
  scenario.topology({ overlay: 'vxlan' } as unknown as Parameters<typeof scenario.topology>[0]),
).nodes;
if (first === undefined) throw new Error('the cluster has a hypervisor');
const bridge = first.bridges[0]?.name ?? '';
const switches = await openSim({ nodes: [first] }, image);
t.teardown(() => switches.close());
const database = `${nodeFolder(switches.dir, first.node)}/db.sock`;

void t.test('numbers of containers begin behind those reserved, and are lasting', async (t) => {
  const ports = bridgePortsOf(database, bridge, 'uplink');
  t.equal(await ports.adapter(), 1);
  const given = await Promise.all(['ep-a', 'ep-b', 'ep-c'].map((name) => ports.add(name)));
  t.equal(new Set(given).size, 3, 'one each');
  t.ok(
    given.every((number) => number >= firstContainerPort),
    given.join(' '),
  );
  await t.rejects(ports.add('ep-a'), /has a port ep-a already/);
  await ports.remove('ep-b');
  t.equal(await ports.add('ep-d'), given[1], 'a number that is free again');
  for (const name of ['ep-a', 'ep-c', 'ep-d']) await ports.remove(name);
});

void t.test('a missing adapter is refused, by who adds ports and by the agent', async (t) => {
  const gone = bridgePortsOf(database, bridge, 'uplink9');
  await t.rejects(gone.add('ep-a'), /has no physical adapter "uplink9"/);
  await t.rejects(gone.adapter(), /has no physical adapter "uplink9"/);
  const controller = await serveConfigApi(emptyDatabase);
  const agent = await servePortApi({
    hypervisor: 'h1',
    ip: '172.30.0.1',
    controller: controller.address,
    uplink: 1,
    adapterNow: () => gone.adapter(),
    overlay: overlayPorts.vxlan,
    bridge: { replace: () => Promise.resolve(), close: () => undefined },
  });
  t.teardown(() => Promise.all([agent.close(), controller.close()]));
  const service = { name: 'the agent', address: agent.address };
  const port = {
    id: 'a',
    'instance-id': 'b',
    'vn-id': 'c',
    'display-name': 'd',
    'ip-address': '10.1.1.2',
    'mac-address': '02:00:00:00:00:01',
    'system-name': 'e',
  };
  t.match(await askJson(service, 'POST', '/port', port), { status: 503, body: /uplink9/ });
  t.same(agent.ports(), []);
  for (const ofport of [1, 2, 9])
    t.match(
      await askJson(service, 'PUT', '/adapter/x', { friendlyName: 'x', ofport }),
      { status: 409 },
      `port ${ofport} is no container's`,
    );
  t.equal(
    (await askJson(service, 'PUT', '/adapter/x', { friendlyName: 'x', ofport: 10 })).status,
    200,
  );
});
