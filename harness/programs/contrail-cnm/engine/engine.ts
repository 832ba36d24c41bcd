/** The Docker engine as the plugin asks it: of networks, and who is on them. */
import { z } from 'zod';
import { InputError, Unavailable } from '../../../base/errors/errors.js';
import { askJson } from '../http/json-client.js';

export interface EngineNetwork {
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
  readonly network: string;
  readonly cidr: string;
  /** Docker's endpoints on it, those without a container yet as well. */
  readonly endpoints: readonly EngineEndpoint[];
}

export interface EngineEndpoint {
  readonly id: string;
  readonly ip: string;
}

export interface Engine {
  /** "CNM plugin queries docker daemon about metadata associated with docker's network resource" */
  network(id: string): Promise<EngineNetwork>;
  /** Those of this driver. */
  networks(): Promise<readonly EngineNetwork[]>;
}

export const driverName = 'contrail';

const inspected = z.object({
  Id: z.string(),
  Name: z.string(),
  Driver: z.string(),
  Options: z.record(z.string(), z.string()).nullable(),
  IPAM: z.object({
    Config: z.array(z.object({ Subnet: z.string() })).nullable(),
  }),
  Containers: z
    .record(z.string(), z.object({ EndpointID: z.string(), IPv4Address: z.string() }))
    .nullish(),
});

export function engineAt(socket: string): Engine {
  const service = { name: 'the Docker engine', address: socket };
  const ask = async (path: string): Promise<unknown> => {
    const { status, body } = await askJson(service, 'GET', path);
    if (status === 200) return body;
    const text = `the Docker engine answers GET ${path} with ${status}: ${JSON.stringify(body)}`;
    throw status === 404 ? new InputError(text) : new Unavailable(text);
  };
  const network = async (id: string) => networkOf(inspected.parse(await ask(`/networks/${id}`)));
  return {
    network,
    networks: async () => {
      const filters = encodeURIComponent(JSON.stringify({ driver: [driverName] }));
      const found = z
        .array(z.object({ Id: z.string() }))
        .parse(await ask(`/networks?filters=${filters}`));
      return await Promise.all(found.map(({ Id }) => network(Id)));
    },
  };
}

function networkOf({
  Id: id,
  Name: name,
  Options: options,
  IPAM: { Config: config },
  Containers: containers,
}: z.infer<typeof inspected>): EngineNetwork {
  const { tenant, network } = options ?? {};
  const cidr = config?.[0]?.Subnet;
  if (tenant === undefined || network === undefined || cidr === undefined)
    throw new InputError(
      `Docker's network ${name} has no tenant, network or subnet: ${JSON.stringify(options)}`,
    );
  return {
    id,
    name,
    tenant,
    network,
    cidr,
    endpoints: Object.values(containers ?? {}).map(({ EndpointID, IPv4Address }) => ({
      id: EndpointID,
      ip: IPv4Address.replace(/\/.*/, ''),
    })),
  };
}
