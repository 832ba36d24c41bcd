/** Addresses of a pool, which is a subnet of Contrail: they come from the controller. */
import { parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { InputError } from '../../../base/errors/errors.js';
import type { ContrailSubnet } from '../controller/controller.js';
import { ownPrefix, type PluginContext } from './context.js';
import { rightCommand } from './network.js';

/** `tenant:network:10.1.1.0/24`: all that is to know about a pool is in its name. */
export async function requestPool(
  { controller }: PluginContext,
  cidr: string,
  options: Readonly<Record<string, string>>,
): Promise<string> {
  const { tenant, network } = options;
  if (tenant === undefined || network === undefined)
    throw new InputError(
      'the IPAM driver needs the tenant and the network as well, by --ipam-opt: ' +
        rightCommand({ tenant, network, cidr: cidr === '' ? undefined : cidr }),
    );
  if (cidr === '')
    throw new InputError(
      "the subnet is missing, which has to be one of Contrail's: " +
        rightCommand({ tenant, network }),
    );
  await controller.subnet(tenant, network, cidr);
  return [tenant, network, cidr].join(':');
}

export async function subnetOfPool(
  { controller }: PluginContext,
  poolId: string,
): Promise<ContrailSubnet> {
  const [tenant = '', network = '', cidr = ''] = poolId.split(':');
  return await controller.subnet(tenant, network, cidr);
}

/** The gateway is the subnet's own. @throws InputError for another one. */
export function gatewayAddress({ cidr, gateway }: ContrailSubnet, asked: string): string {
  if (asked !== '' && asked !== gateway)
    throw new InputError(
      `the gateway of ${cidr} is ${gateway} in Contrail, not ${asked}: leave --gateway away`,
    );
  return withPrefix(gateway, cidr);
}

/** An instance-ip of that name: any address where none is asked for. */
export async function requestAddress(
  { controller, reached }: PluginContext,
  name: string,
  subnet: ContrailSubnet,
  asked: string,
): Promise<string> {
  const { ip } = await controller.createAddress(name, subnet, asked === '' ? undefined : asked);
  await reached('instance-ip created');
  return withPrefix(ip, subnet.cidr);
}

/** Nothing where this hypervisor does not hold it. */
export async function releaseAddress(
  context: PluginContext,
  poolId: string,
  ip: string,
): Promise<void> {
  const { controller, reached } = context;
  const { networkUuid } = await subnetOfPool(context, poolId);
  for (const address of await controller.addresses())
    if (
      address.ip === ip &&
      address.networkUuid === networkUuid &&
      address.name.startsWith(ownPrefix(context))
    )
      await controller.delete('instance-ip', address.uuid);
  await reached('instance-ip deleted');
}

/** By the name that it was asked for under. */
export async function deleteAddressNamed(
  { controller }: PluginContext,
  name: string,
): Promise<void> {
  for (const address of await controller.addresses())
    if (address.name === name) await controller.delete('instance-ip', address.uuid);
}

export function withPrefix(ip: string, cidr: string): string {
  return `${ip}/${parseCidr(cidr).prefixLength}`;
}
