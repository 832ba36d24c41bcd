/** The life of a Docker network: the seed's drawing, "Network creation lifecycle". */
import { hnsNetworkName, readHnsNetworkName } from '../../../control/contrail/hns-names.js';
import { InputError } from '../../../base/errors/errors.js';
import type { HnsNetwork } from '../hns/hns.js';
import type { PluginContext } from './context.js';

export interface NewNetwork {
  readonly tenant: string;
  readonly network: string;
  readonly cidr: string;
  readonly gateway: string;
}

/** The whole command, with what is asked for in the place of what is unknown. */
export function rightCommand(known: {
  readonly tenant?: string | undefined;
  readonly network?: string | undefined;
  readonly cidr?: string | undefined;
}): string {
  const { tenant = 'TENANT', network = 'NETWORK', cidr = 'CIDR' } = known;
  return (
    'docker network create --driver contrail --ipam-driver contrail ' +
    `--opt tenant=${tenant} --opt network=${network} ` +
    `--ipam-opt tenant=${tenant} --ipam-opt network=${network} --subnet ${cidr} NAME`
  );
}

/** The name of the HNS network that a Docker network is; steps 3 and 4. */
export async function hnsNameOf(
  { controller }: PluginContext,
  { tenant, network, cidr, gateway }: NewNetwork,
): Promise<string> {
  const subnet = await controller.subnet(tenant, network, cidr);
  if (subnet.gateway !== gateway)
    throw new InputError(
      `the gateway of ${cidr} in ${tenant}:${network} is ${subnet.gateway}, not ${gateway}`,
    );
  return hnsNetworkName(tenant, network, subnet.uuid);
}

/** Step 5. @throws InputError where another Docker network of this hypervisor is that subnet. */
export async function createNetwork(
  { hns, reached }: PluginContext,
  name: string,
  { cidr, gateway }: NewNetwork,
): Promise<void> {
  await hns.createNetwork({ name, subnet: cidr, gateway });
  await reached('HNS network created');
}

export async function deleteNetworkNamed(
  { hns, reached }: PluginContext,
  name: string,
): Promise<void> {
  for (const network of await hns.networks())
    if (network.name === name) await hns.deleteNetwork(network.id);
  await reached('HNS network deleted');
}

/**
 * What the engine deletes it does not know any more: HNS networks go that are none of the Docker
 * networks that remain.
 */
export async function deleteNetwork(context: PluginContext, networkId: string): Promise<void> {
  const { hns, reached } = context;
  for (const network of await orphanedNetworks(context, networkId))
    await hns.deleteNetwork(network.id);
  await reached('HNS network deleted');
}

/** HNS networks of the plugin's that no Docker network is, `except` one that goes. */
export async function orphanedNetworks(
  { engine, hns, controller }: PluginContext,
  except?: string,
): Promise<readonly HnsNetwork[]> {
  const docker = (await engine.networks()).filter(({ id }) => id !== except);
  const own = (await hns.networks()).filter(({ name }) => readHnsNetworkName(name) !== undefined);
  const wanted = new Set<string>();
  for (const { tenant, network, cidr } of docker) {
    const held = own.find(({ name, subnet }) => {
      const read = readHnsNetworkName(name);
      return subnet === cidr && read?.tenant === tenant && read.network === network;
    });
    const name =
      held?.name ??
      hnsNetworkName(tenant, network, (await controller.subnet(tenant, network, cidr)).uuid);
    wanted.add(name);
  }
  return own.filter(({ name }) => !wanted.has(name));
}
