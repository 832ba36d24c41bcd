/**
 * The life of a container's endpoint: the steps of the seed's drawing, "Container creation
 * lifecycle", and the same in reverse.
 */
import { friendlyNameOf } from '../../../control/windows/hns-subnet.js';
import { hnsNetworkName } from '../../../control/contrail/hns-names.js';
import { InputError } from '../../../base/errors/errors.js';
import type { ContrailSubnet, Interface } from '../controller/controller.js';
import type { EngineNetwork } from '../engine/engine.js';
import type { HnsEndpoint } from '../hns/hns.js';
import { nameOfEndpoint, type PluginContext } from './context.js';

export interface NewEndpoint {
  readonly networkId: string;
  readonly endpointId: string;
  /** That the IPAM driver has given out. */
  readonly ip: string;
}

/** @throws what a step is refused with; then nothing of the endpoint is there. */
export async function createEndpoint(
  context: PluginContext,
  asked: NewEndpoint,
): Promise<{ readonly mac: string }> {
  const { engine, controller, reached } = context;
  await reached('2 call received');
  const docker = await engine.network(asked.networkId);
  await reached('2 metadata received');
  const subnet = await controller.subnet(docker.tenant, docker.network, docker.cidr);
  const made = await createInController(context, asked, docker, subnet);
  await reached('4 details received');
  const endpoint = await createInHns(context, asked, docker, subnet, made);
  await reached('9 endpoint received');
  await context.agent.addPort({
    id: made.uuid,
    'instance-id': made.machine,
    'vn-id': subnet.networkUuid,
    'display-name': made.name,
    'ip-address': asked.ip,
    'mac-address': made.mac,
    'system-name': friendlyNameOf(endpoint.id),
  });
  await reached('13 port added');
  return { mac: made.mac };
}

/** Steps 3 and 4: "virtual-machine, virtual-machine-interface, instance-ip". */
async function createInController(
  context: PluginContext,
  { endpointId, ip }: NewEndpoint,
  docker: EngineNetwork,
  subnet: ContrailSubnet,
): Promise<Interface & { readonly machine: string }> {
  const { controller, reached } = context;
  const address = (await controller.addresses()).find(
    (one) => one.ip === ip && one.networkUuid === subnet.networkUuid,
  );
  if (address === undefined)
    throw new InputError(
      `${ip} is no address that Contrail has given out in ${docker.tenant}:${docker.network}: ` +
        'do --ipam-opt and --opt of the Docker network name the same tenant and network?',
    );
  if (address.interface !== undefined)
    throw new InputError(`${ip} is that of interface ${address.interface} already`);
  const name = nameOfEndpoint(context, endpointId);
  const machine = await controller.createMachine(name);
  await reached('3 virtual-machine created');
  const made = await controller.createInterface(name, docker.tenant, subnet.networkUuid, machine);
  await reached('3 virtual-machine-interface created');
  await controller.bind('ADD', address.uuid, made.uuid);
  await reached('3 instance-ip bound');
  return { ...made, machine };
}

/** Steps 5 to 9: the network is found by "all the information necessary to recreate" its name. */
async function createInHns(
  { hns }: PluginContext,
  { endpointId, ip }: NewEndpoint,
  docker: EngineNetwork,
  subnet: ContrailSubnet,
  { mac }: Interface,
): Promise<HnsEndpoint> {
  const name = hnsNetworkName(docker.tenant, docker.network, subnet.uuid);
  const network = (await hns.networks()).find((one) => one.name === name);
  if (network === undefined)
    throw new InputError(`HNS has no network "${name}" for Docker's network ${docker.name}`);
  return await hns.createEndpoint({
    name: endpointId,
    network: network.id,
    ip,
    mac,
    gateway: subnet.gateway,
  });
}

/**
 * Whatever there is of the endpoint goes, in reverse order: its port, its interface, what the
 * controller has of it. Its address stays the IPAM driver's. A step that fails stops no other.
 * @throws the first failure, once all is tried.
 */
export async function deleteEndpoint(context: PluginContext, endpointId: string): Promise<void> {
  const { agent, hns, controller, reached } = context;
  const name = nameOfEndpoint(context, endpointId);
  await allOf([
    async () => {
      for (const port of await agent.ports())
        if (port['display-name'] === name) await agent.deletePort(port.id);
      await reached('port deleted');
    },
    async () => {
      for (const endpoint of await hns.endpoints())
        if (endpoint.name === endpointId) await hns.deleteEndpoint(endpoint.id);
      await reached('endpoint deleted');
    },
    async () => {
      const own = (await controller.interfaces()).filter((one) => one.name === name);
      const bound = (await controller.addresses()).filter(({ interface: at }) =>
        own.some(({ uuid }) => uuid === at),
      );
      // The agent may have deleted the port, and not reached the controller with it.
      for (const { uuid } of own) await agent.deletePort(uuid);
      for (const address of bound)
        await controller.bind('DELETE', address.uuid, address.interface ?? '');
      await reached('instance-ip unbound');
      for (const { uuid } of own) await controller.delete('virtual-machine-interface', uuid);
      await reached('virtual-machine-interface deleted');
      for (const machine of await controller.machines())
        if (machine.name === name) await controller.delete('virtual-machine', machine.uuid);
      await reached('virtual-machine deleted');
    },
  ]);
}

/** All of them, one after the other. @throws the first failure, once all were tried. */
export async function allOf(steps: readonly (() => Promise<void>)[]): Promise<void> {
  let first: { readonly error: unknown } | undefined;
  for (const step of steps)
    try {
      await step();
    } catch (error) {
      first ??= { error };
    }
  if (first !== undefined) throw first.error;
}
