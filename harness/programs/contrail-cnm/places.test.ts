// Goal: what is wrong at one of the four places is found and named. Method: two containers of a
// whole deployment, and one fault at a time planted into what the places hold.
import t from 'tap';
import { engineAt } from './engine/engine.js';
import { placeProblems, type HypervisorPlaces } from './places.js';
import { deploy } from './testkit/deployment.js';
import type { ConfigDatabase } from './controller/config-database.js';

const front = { tenant: 'blue', network: 'front', cidr: '10.1.1.0/24' };

void t.test('planted faults', async (t) => {
  const { hypervisors, controller, close } = await deploy(1);
  try {
    const [h1] = hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    const network = await h1.engine.createNetwork(front);
    if (network.kind === 'refused') throw new Error(network.why);
    for (let i = 0; i < 2; i++) await h1.engine.run(network.value);
    const intended = h1.engine
      .endpoints()
      .map(({ id, ip }) => ({ hypervisor: 'h1', endpoint: id, ip }));
    const right: HypervisorPlaces = {
      hypervisor: 'h1',
      docker: await engineAt(h1.engine.server.address).networks(),
      hns: h1.hns.host(),
      agent: h1.agent().ports(),
    };
    const database = controller.database();
    const problems = (change: Partial<HypervisorPlaces>, held: ConfigDatabase = database) =>
      placeProblems(held, [{ ...right, ...change }], intended).join('\n');
    t.equal(problems({}), '');
    const [first, second] = right.agent;
    if (first === undefined || second === undefined) throw new Error('there are two ports');
    t.match(
      problems({ agent: [...right.agent, { ...first, 'display-name': 'h1--gone' }] }),
      /the agent on h1: gone is left over/,
      'a port left after delete',
    );
    t.match(
      problems({ agent: [first, { ...second, 'system-name': first['system-name'] }] }),
      /the agent's FriendlyName of .* is Container NIC .*, not Container NIC/,
      'the FriendlyName of another endpoint',
    );
    const [endpoint, ...others] = right.hns.endpoints;
    if (endpoint === undefined) throw new Error('there is an endpoint');
    t.match(
      problems({
        hns: { ...right.hns, endpoints: [{ ...endpoint, gateway: '10.1.2.1' }, ...others] },
      }),
      /HNS's gateway of .* is 10\.1\.2\.1, not 10\.1\.1\.1/,
      'a gateway from another subnet',
    );
    const address = database.resources.find(({ type }) => type === 'instance-ip');
    if (address === undefined) throw new Error('there is an address');
    const unreleased = { ...address, fqName: ['h1--left'], uuid: 'left' };
    t.match(
      problems({}, { ...database, resources: [...database.resources, unreleased] }),
      /3 instance-ips at the controller for 2 endpoints.*\n.*given out twice/,
      'an instance-ip not released, whose address somebody else has by now',
    );
  } finally {
    await close();
  }
});
