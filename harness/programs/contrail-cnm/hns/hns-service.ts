/**
 * The Host Networking Service of one hypervisor over HTTP: the model of `control/windows`, and what
 * makes a container's adapter out of an endpoint. Windows has this as a service of its own, which
 * outlives the plugin.
 */
import { z } from 'zod';
import {
  connectEndpoint,
  createSubnet,
  deleteSubnet,
  disconnectEndpoint,
} from '../../../control/windows/hns-subnet.js';
import { createHnsNetwork, enableOvsExtension } from '../../../control/windows/hns-network.js';
import { freshHost, type HostChange, type WindowsHost } from '../../../control/windows/host.js';
import { rootNetwork } from '../../../control/contrail/hns-names.js';
import { InputError } from '../../../base/errors/errors.js';
import { uuidFrom } from '../controller/config-database.js';
import { serveJson, type Answer, type JsonServer, type Request } from '../http/json-server.js';

/** What is behind an endpoint: a container's adapter, and the extension's knowledge of it. */
export interface Compartments {
  connect(endpoint: WindowsHost['endpoints'][number]): Promise<void>;
  disconnect(endpoint: WindowsHost['endpoints'][number]): Promise<void>;
}

export interface HnsSpec {
  readonly hypervisor: string;
  readonly underlay: { readonly ip: string; readonly prefixLength: number; readonly mac: string };
  readonly compartments: Compartments;
  /** Something was done: for who wants to know, and may hold it back. */
  readonly done?: (what: HnsStep) => Promise<void>;
}

export type HnsStep = 'endpoint asked' | 'compartment made' | 'adapter seen';

export interface HnsService extends JsonServer {
  host(): WindowsHost;
}

const network = z.object({ name: z.string(), subnet: z.string(), gateway: z.string() });
const endpoint = z.object({
  name: z.string(),
  network: z.string(),
  ip: z.string(),
  mac: z.string(),
  gateway: z.string(),
});

export async function serveHns(spec: HnsSpec): Promise<HnsService> {
  const { hypervisor, compartments } = spec;
  let host = hostWithSwitch(spec);
  let made = 0;
  const idFor = (name: string) => uuidFrom(`${hypervisor} ${(made += 1)} ${name}`);
  const after = (change: HostChange): Answer | undefined => {
    if (change.kind === 'refused') return { status: 409, body: change.why };
    host = change.host;
    return undefined;
  };
  const makeEndpoint = async (body: unknown): Promise<Answer> => {
    const asked = endpoint.parse(body);
    await spec.done?.('endpoint asked');
    const id = idFor(asked.name);
    const refusal = after(connectEndpoint(host, { ...asked, id, sandbox: asked.name }));
    if (refusal !== undefined) return refusal;
    await spec.done?.('compartment made');
    const connected = host.endpoints.find(({ name }) => name === id);
    try {
      if (connected !== undefined) await compartments.connect(connected);
    } catch (error) {
      await removeEndpoint(id);
      throw error;
    }
    await spec.done?.('adapter seen');
    return { status: 200, body: { ...asked, id } };
  };
  const removeEndpoint = async (id: string): Promise<Answer> => {
    const connected = host.endpoints.find(({ name }) => name === id);
    if (connected !== undefined) await compartments.disconnect(connected);
    return after(disconnectEndpoint(host, id)) ?? { status: 200, body: {} };
  };
  const server = await serveJson('loopback', async ({ method, path, body }: Request) => {
    const [, what = '', id = ''] = path.split('/');
    switch (`${method} /${what}`) {
      case 'GET /networks':
        return { status: 200, body: host.subnets ?? [] };
      case 'POST /networks': {
        const asked = network.parse(body);
        const created = { ...asked, id: idFor(asked.name) };
        return after(createSubnet(host, created)) ?? { status: 200, body: created };
      }
      case 'DELETE /networks':
        return after(deleteSubnet(host, id)) ?? { status: 200, body: {} };
      case 'GET /endpoints':
        return { status: 200, body: host.endpoints.map(endpointBody) };
      case 'POST /endpoints':
        return await makeEndpoint(body);
      case 'DELETE /endpoints':
        return await removeEndpoint(id);
      default:
        return { status: 404, body: `no ${method} ${path}` };
    }
  });
  return { ...server, host: () => host };
}

/** The switch is there from the start, and stays. */
function hostWithSwitch({ hypervisor, underlay }: HnsSpec): WindowsHost {
  const { ip, prefixLength, mac } = underlay;
  const fresh = freshHost(hypervisor, [
    { name: 'uplink', kind: 'physical', mac, address: { ip, prefixLength } },
  ]);
  const subnet = `${ip}/${prefixLength}`;
  const made = createHnsNetwork(fresh, { name: rootNetwork, internalIp: ip, subnet });
  const enabled = made.kind === 'done' ? enableOvsExtension(made.host) : made;
  if (enabled.kind === 'refused') throw new InputError(enabled.why);
  return enabled.host;
}

function endpointBody(one: WindowsHost['endpoints'][number]): Readonly<Record<string, unknown>> {
  const { name: id, sandbox: name, network: on, ip, mac, gateway } = one;
  return { id, name, network: on, ip, mac, gateway };
}
