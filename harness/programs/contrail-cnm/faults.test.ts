// Goal: a service that does something else than it was asked is found out by comparing the four
// places; and an agent that ends comes back with its ports and flows. Method: what the plugin asks
// of one service is changed on its way, a fault a deployment; containers come and go.
import t from 'tap';
import type { Request } from './http/json-server.js';
import { deploy, type DeploymentOptions, type Hypervisor } from './testkit/deployment.js';
import type { PlayedEndpoint } from './testkit/network-body.js';
import type { Played } from './testkit/played-engine.js';

const front = { tenant: 'blue', network: 'front', cidr: '10.1.1.0/24' };

function done<T>(played: Played<T>): T {
  if (played.kind === 'refused') throw new Error(played.why);
  return played.value;
}

/** Two containers of blue and one of red; then the first goes. @returns what is wrong then. */
async function problemsWith(tamper: NonNullable<DeploymentOptions['tamper']>): Promise<string> {
  const { hypervisors, problems, close } = await deploy(1, { tamper });
  try {
    const [h1] = hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    const first = await threeContainers(h1);
    await h1.engine.remove(first);
    return (await problems()).join('\n');
  } finally {
    await close();
  }
}

async function threeContainers({ engine }: Hypervisor): Promise<PlayedEndpoint> {
  const blue = done(await engine.createNetwork(front));
  const red = done(await engine.createNetwork({ ...front, tenant: 'red' }));
  const first = done(await engine.run(blue));
  done(await engine.run(blue));
  done(await engine.run(red));
  return first;
}

const asks = ({ method, path }: Request, what: string) => `${method} ${path}`.startsWith(what);
const ignored = { status: 200, body: {} };
/** With one field of its body as it was in the first request of that kind. */
function likeTheFirst(what: string, field: string): (request: Request) => Request {
  let first: unknown;
  return (request) => {
    if (!asks(request, what)) return request;
    const body = request.body as Readonly<Record<string, unknown>>;
    first ??= body[field];
    return { ...request, body: { ...body, [field]: first } };
  };
}

void t.test('no fault, no problem', async (t) => {
  t.equal(await problemsWith({ agent: (request) => request }), '');
});

void t.test('a port left after delete', async (t) => {
  const found = await problemsWith({
    agent: (request) => (asks(request, 'DELETE /port') ? ignored : request),
  });
  t.match(found, /^the agent on h1: .* is left over$/m);
});

void t.test('an instance-ip not released', async (t) => {
  const found = await problemsWith({
    controller: (request) => (asks(request, 'DELETE /instance-ip') ? ignored : request),
  });
  t.match(found, /3 instance-ips at the controller for 2 endpoints: 10\.1\.1\.2/);
});

const withGateway = (gateway: string) => (request: Request) =>
  asks(request, 'POST /networks')
    ? { ...request, body: { ...(request.body as object), gateway } }
    : request;

void t.test('a gateway from another subnet, and another one of the subnet', async (t) => {
  const { hypervisors, problems, close } = await deploy(1, {
    tamper: { hns: withGateway('10.1.2.1') },
  });
  try {
    const refused = await hypervisors[0]?.engine.createNetwork(front);
    t.match(refused, { kind: 'refused', why: /gateway 10\.1\.2\.1 is not in 10\.1\.1\.0\/24/ });
    t.strictSame(await problems(), []);
  } finally {
    await close();
  }
  const found = await problemsWith({ hns: withGateway('10.1.1.254') });
  t.match(found, /the gateway of Contrail:blue:front:.* on h1 is 10\.1\.1\.254, not 10\.1\.1\.1/);
});

void t.test('a FriendlyName of another endpoint', async (t) => {
  const found = await problemsWith({ agent: likeTheFirst('POST /port', 'system-name') });
  t.match(found, /the agent's FriendlyName of .* is Container NIC .*, not Container NIC/);
});

void t.test('two tenants bridged', async (t) => {
  const found = await problemsWith({ agent: likeTheFirst('POST /port', 'vn-id') });
  t.match(found, /the agent's network of h1--.* is .*, not /);
});

void t.test('an agent that ends comes back with its ports and flows', async (t) => {
  const { hypervisors, problems, close } = await deploy(2);
  try {
    const [h1, h2] = hypervisors;
    if (h1 === undefined || h2 === undefined) throw new Error('there are two hypervisors');
    const first = await threeContainers(h1);
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
