/**
 * Services that do something else than they are asked: what the plugin asks of one is changed on
 * its way. The four places have to show it, at the place that it is planted in.
 */
import type { Request } from '../http/json-server.js';
import { deploy, type DeploymentOptions, type Hypervisor } from './deployment.js';
import type { PlayedEndpoint } from './network-body.js';
import type { Played } from './played-engine.js';

export interface ServiceFault {
  readonly name: string;
  readonly tamper: NonNullable<DeploymentOptions['tamper']>;
  /** Every problem that is found; where it is refused, the refusal. */
  readonly found: RegExp;
}

/** What is wrong at the four places, or the words in which Docker's call was refused. */
export type ServiceFaultResult =
  | { readonly kind: 'caught' | 'misplaced'; readonly problems: readonly string[] }
  | { readonly kind: 'unnoticed' };

const asks = ({ method, path }: Request, what: string) => `${method} ${path}`.startsWith(what);
const ignored = { status: 200, body: {} };
const ignoring = (what: string) => (request: Request) => (asks(request, what) ? ignored : request);
const withField = (what: string, field: string, value: string) => (request: Request) =>
  asks(request, what)
    ? { ...request, body: { ...(request.body as object), [field]: value } }
    : request;

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

/** Each makes a fault for one deployment: some keep what was asked first. */
export const serviceFaults: readonly (() => ServiceFault)[] = [
  () => ({
    name: 'a port left after delete: the agent keeps it',
    tamper: { agent: ignoring('DELETE /port') },
    found: /^the agent on h1: .* is left over$/,
  }),
  () => ({
    name: 'an instance-ip not released: the controller keeps it',
    tamper: { controller: ignoring('DELETE /instance-ip') },
    found: /^3 instance-ips at the controller for 2 endpoints: 10\.1\.1\.2/,
  }),
  () => ({
    name: 'a gateway from another subnet: an endpoint of HNS gets it',
    tamper: { hns: withField('POST /endpoints', 'gateway', '10.1.2.1') },
    found: /^HNS answers POST \/endpoints with 409: .*10\.1\.2\.1 is not in 10\.1\.1\.0\/24/,
  }),
  () => ({
    name: 'another gateway of the subnet: a network of HNS gets it',
    tamper: { hns: withField('POST /networks', 'gateway', '10.1.1.254') },
    found: /^(the gateway of Contrail:|HNS's gateway of ).* 10\.1\.1\.254/,
  }),
  () => ({
    name: 'the FriendlyName of another endpoint: the agent adds a port under it',
    tamper: { agent: likeTheFirst('POST /port', 'system-name') },
    found: /^the agent's FriendlyName of .* is Container NIC .*, not Container NIC/,
  }),
  () => ({
    name: 'two tenants bridged: the agent adds a port of red to the network of blue',
    tamper: { agent: likeTheFirst('POST /port', 'vn-id') },
    found: /^the agent's network of h1--.* is .*, not /,
  }),
];

/** Two containers of blue and one of red; then the first goes. */
export async function tryServiceFault({
  tamper,
  found,
}: Omit<ServiceFault, 'name'>): Promise<ServiceFaultResult> {
  const problems = await problemsWith(tamper);
  if (problems.length === 0) return { kind: 'unnoticed' };
  const isThere = problems.every((problem) => found.test(problem));
  return { kind: isThere ? 'caught' : 'misplaced', problems };
}

async function problemsWith(tamper: ServiceFault['tamper']): Promise<readonly string[]> {
  const { hypervisors, problems, close } = await deploy(1, { tamper });
  try {
    const [h1] = hypervisors;
    if (h1 === undefined) throw new Error('there is a hypervisor');
    const up = await threeContainers(h1);
    if (up.kind === 'refused') return [up.why, ...(await problems())];
    await h1.engine.remove(up.value);
    return await problems();
  } finally {
    await close();
  }
}

/** Two of blue, of which the first is returned, and one of red; or what is refused first. */
export async function threeContainers({ engine }: Hypervisor): Promise<Played<PlayedEndpoint>> {
  const front = { tenant: 'blue', network: 'front', cidr: '10.1.1.0/24' };
  const blue = await engine.createNetwork(front);
  const red = await engine.createNetwork({ ...front, tenant: 'red' });
  if (blue.kind === 'refused') return blue;
  if (red.kind === 'refused') return red;
  const up: Played<PlayedEndpoint>[] = [];
  for (const network of [blue, blue, red]) up.push(await engine.run(network.value));
  const [first] = up;
  if (first === undefined) throw new Error('three were made');
  return up.find(({ kind }) => kind === 'refused') ?? first;
}
