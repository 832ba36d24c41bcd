// Goal: a service that does something else than it was asked is found out by comparing the four
// places; and an agent that ends comes back with its ports and flows. Method: what the plugin asks
// of one service is changed on its way, a fault a deployment; containers come and go.
import t from 'tap';
import type { Request } from './http/json-server.js';
import { deploy } from './testkit/deployment.js';
import type { Played } from './testkit/played-engine.js';
import { serviceFaults, threeContainers, tryServiceFault } from './testkit/service-faults.js';

const front = { tenant: 'blue', network: 'front', cidr: '10.1.1.0/24' };

function done<T>(played: Played<T>): T {
  if (played.kind === 'refused') throw new Error(played.why);
  return played.value;
}

void t.test('no fault, no problem', async (t) => {
  const fault = { tamper: { agent: (request: Request) => request }, found: /./ };
  t.strictSame(await tryServiceFault(fault), { kind: 'unnoticed' });
});

for (const plant of serviceFaults) {
  const fault = plant();
  void t.test(fault.name, async (t) => {
    t.match(await tryServiceFault(fault), { kind: 'caught' });
  });
}

void t.test('a fault that is found at another place is misplaced', async (t) => {
  const [first] = serviceFaults;
  if (first === undefined) throw new Error('there are faults');
  t.match(await tryServiceFault({ ...first(), found: /^Docker on h1/ }), { kind: 'misplaced' });
});

void t.test('a network with a gateway from another subnet is refused by HNS', async (t) => {
  const gateway = (request: Request) =>
    request.method === 'POST' && request.path === '/networks'
      ? { ...request, body: { ...(request.body as object), gateway: '10.1.2.1' } }
      : request;
  const { hypervisors, problems, close } = await deploy(1, { tamper: { hns: gateway } });
  try {
    const refused = await hypervisors[0]?.engine.createNetwork(front);
    t.match(refused, { kind: 'refused', why: /gateway 10\.1\.2\.1 is not in 10\.1\.1\.0\/24/ });
    t.strictSame(await problems(), []);
  } finally {
    await close();
  }
});

void t.test('an agent that ends comes back with its ports and flows', async (t) => {
  const { hypervisors, problems, close } = await deploy(2);
  try {
    const [h1, h2] = hypervisors;
    if (h1 === undefined || h2 === undefined) throw new Error('there are two hypervisors');
    const first = done(await threeContainers(h1));
    const far = done(await h2.engine.run(done(await h2.engine.createNetwork(front))));
    const flows = h1.flows().toSorted();
    t.ok(flows.some((flow) => flow.includes('set_field:172.30.0.2->tun_dst')));
    await h1.restartAgent();
    t.strictSame(h1.flows().toSorted(), flows, 'all flows, those to other hypervisors as well');
    t.strictSame(await problems(), []);
    await h1.engine.remove(first);
    await h2.engine.remove(far);
    t.strictSame(await problems(), []);
    t.notOk(
      h1.flows().some((flow) => flow.includes('tun_dst')),
      'it receives routes again',
    );
  } finally {
    await close();
  }
});
