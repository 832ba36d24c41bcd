/** The controller as the plugin and the agent ask it. */
import { z } from 'zod';
import { InputError, Unavailable } from '../../../base/errors/errors.js';
import { askJson, type Service } from '../http/json-client.js';
import type { Answer } from '../http/json-server.js';
import type { ResourceType } from './config-database.js';

const domain = 'default-domain';

export interface ContrailSubnet {
  readonly networkUuid: string;
  readonly uuid: string;
  readonly cidr: string;
  readonly gateway: string;
}

export interface Interface {
  readonly uuid: string;
  readonly name: string;
  readonly mac: string;
}

export interface Address {
  readonly uuid: string;
  readonly name: string;
  readonly ip: string;
  readonly networkUuid: string;
  /** The virtual-machine-interface that has it; missing where none has. */
  readonly interface?: string;
}

export interface Controller {
  /** @throws InputError naming what is not there, and what is. */
  subnet(tenant: string, network: string, cidr: string): Promise<ContrailSubnet>;
  createMachine(name: string): Promise<string>;
  createInterface(
    name: string,
    tenant: string,
    networkUuid: string,
    machine: string,
  ): Promise<Interface>;
  /** The lowest free address where none is asked for. */
  createAddress(name: string, subnet: ContrailSubnet, ip?: string): Promise<Address>;
  /** Binds the address to the interface, or unbinds it. */
  bind(operation: 'ADD' | 'DELETE', address: string, interfaceUuid: string): Promise<void>;
  machines(): Promise<readonly { readonly uuid: string; readonly name: string }[]>;
  interfaces(): Promise<readonly Interface[]>;
  addresses(): Promise<readonly Address[]>;
  /** Nothing where it is not there any more. */
  delete(type: ResourceType, uuid: string): Promise<void>;
}

const created = z.looseObject({ uuid: z.string(), fq_name: z.array(z.string()) });
const withMac = created.extend({
  virtual_machine_interface_mac_addresses: z.object({ mac_address: z.array(z.string()).min(1) }),
});
const refs = z.array(z.object({ uuid: z.string() }));
const withIp = created.extend({
  instance_ip_address: z.string(),
  virtual_network_refs: refs,
  virtual_machine_interface_refs: refs.optional(),
});
const ipamSubnets = z.array(
  z.object({
    attr: z.object({
      ipam_subnets: z.array(
        z.object({
          subnet_uuid: z.string(),
          subnet: z.object({ ip_prefix: z.string(), ip_prefix_len: z.number() }),
          default_gateway: z.string(),
        }),
      ),
    }),
  }),
);
const network = created.extend({ network_ipam_refs: ipamSubnets.optional() });

export function controllerAt(address: string, limitMs?: number): Controller {
  const service: Service = {
    name: 'the Contrail controller',
    address,
    ...(limitMs === undefined ? {} : { limitMs }),
  };
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await askJson(service, method, path, body);
    if (answer.status !== 200) throw refusalOf(answer, method, path);
    return answer.body;
  };
  const listed = async <T>(type: ResourceType, shape: z.ZodType<T>): Promise<readonly T[]> => {
    const body = z
      .record(z.string(), z.array(z.record(z.string(), z.unknown())))
      .parse(await ask('GET', `/${type}s?detail=true`));
    return (body[`${type}s`] ?? []).map((one) => shape.parse(one[type]));
  };
  const make = async <T>(type: ResourceType, shape: z.ZodType<T>, body: object): Promise<T> =>
    shape.parse(
      z.record(z.string(), z.unknown()).parse(await ask('POST', `/${type}s`, { [type]: body }))[
        type
      ],
    );
  return {
    subnet: (tenant, name, cidr) => subnetNamed(listed, tenant, name, cidr),
    createMachine: async (name) =>
      (await make('virtual-machine', created, { fq_name: [name] })).uuid,
    createInterface: async (name, tenant, networkUuid, machine) =>
      interfaceOf(
        await make('virtual-machine-interface', withMac, {
          fq_name: [domain, tenant, name],
          virtual_network_refs: [{ uuid: networkUuid }],
          virtual_machine_refs: [{ uuid: machine }],
        }),
      ),
    createAddress: async (name, subnet, ip) =>
      addressOf(
        await make('instance-ip', withIp, {
          fq_name: [name],
          subnet_uuid: subnet.uuid,
          virtual_network_refs: [{ uuid: subnet.networkUuid }],
          ...(ip === undefined ? {} : { instance_ip_address: ip }),
        }),
      ),
    bind: async (operation, address, interfaceUuid) => {
      await ask('POST', '/ref-update', {
        type: 'instance-ip',
        uuid: address,
        'ref-type': 'virtual-machine-interface',
        'ref-uuid': interfaceUuid,
        operation,
      });
    },
    machines: async () =>
      (await listed('virtual-machine', created)).map(({ uuid, fq_name }) => ({
        uuid,
        name: fq_name.at(-1) ?? '',
      })),
    interfaces: async () => (await listed('virtual-machine-interface', withMac)).map(interfaceOf),
    addresses: async () => (await listed('instance-ip', withIp)).map(addressOf),
    delete: async (type, uuid) => {
      const answer = await askJson(service, 'DELETE', `/${type}/${uuid}`);
      if (answer.status !== 200 && answer.status !== 404)
        throw refusalOf(answer, 'DELETE', `/${type}/${uuid}`);
    },
  };
}

/** @throws InputError naming what is not there, and what is. */
async function subnetNamed(
  listed: <T>(type: ResourceType, shape: z.ZodType<T>) => Promise<readonly T[]>,
  tenant: string,
  name: string,
  cidr: string,
): Promise<ContrailSubnet> {
  const [projects, networks] = await Promise.all([
    listed('project', created),
    listed('virtual-network', network),
  ]);
  if (!projects.some(({ fq_name }) => fq_name.at(-1) === tenant))
    throw missing('tenant', tenant, projects);
  const ofTenant = networks.filter(({ fq_name }) => fq_name.at(-2) === tenant);
  const found = ofTenant.find(({ fq_name }) => fq_name.at(-1) === name);
  if (found === undefined) throw missing(`network in tenant ${tenant}`, name, ofTenant);
  const subnets = (found.network_ipam_refs ?? []).flatMap(({ attr }) => attr.ipam_subnets);
  const cidrOf = ({ subnet }: (typeof subnets)[number]) =>
    `${subnet.ip_prefix}/${subnet.ip_prefix_len}`;
  const subnet = subnets.find((each) => cidrOf(each) === cidr);
  if (subnet === undefined)
    throw new InputError(
      `Contrail has no subnet ${cidr} in ${tenant}:${name}; it has ` +
        (subnets.map(cidrOf).join(', ') || 'none'),
    );
  return {
    networkUuid: found.uuid,
    uuid: subnet.subnet_uuid,
    cidr,
    gateway: subnet.default_gateway,
  };
}

function interfaceOf(body: z.infer<typeof withMac>): Interface {
  const [mac = ''] = body.virtual_machine_interface_mac_addresses.mac_address;
  return { uuid: body.uuid, name: body.fq_name.at(-1) ?? '', mac };
}

function addressOf(body: z.infer<typeof withIp>): Address {
  const [bound] = body.virtual_machine_interface_refs ?? [];
  return {
    uuid: body.uuid,
    name: body.fq_name.at(-1) ?? '',
    ip: body.instance_ip_address,
    networkUuid: body.virtual_network_refs[0]?.uuid ?? '',
    ...(bound === undefined ? {} : { interface: bound.uuid }),
  };
}

/** 404 and 409 are about the request, all else about the controller. */
function refusalOf({ status, body }: Answer, method: string, path: string): Error {
  const why = typeof body === 'string' ? body : JSON.stringify(body);
  const text = `the Contrail controller answers ${method} ${path} with ${status}: ${why}`;
  return status === 404 || status === 409 || status === 400
    ? new InputError(text)
    : new Unavailable(text);
}

function missing(
  kind: string,
  name: string,
  known: readonly { readonly fq_name: readonly string[] }[],
): InputError {
  return new InputError(
    `Contrail has no ${kind} called "${name}"; known are ` +
      (known.map(({ fq_name }) => fq_name.at(-1)).join(', ') || 'none'),
  );
}
