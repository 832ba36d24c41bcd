/**
 * How the plugin gets over its own end: calls that the journal has open are undone or finished, and
 * then engine, controller, HNS and agent are compared, and what only some of them know goes.
 */
import { deleteAddressNamed, releaseAddress } from './address.js';
import { nameOfEndpoint, ownPrefix, type PluginContext } from './context.js';
import { allOf, deleteEndpoint } from './endpoint.js';
import type { JournalCall } from './journal.js';
import { deleteNetwork, deleteNetworkNamed, orphanedNetworks } from './network.js';
import { friendlyNameOf } from '../../../control/windows/hns-subnet.js';
import { hnsNetworkName } from '../../../control/contrail/hns-names.js';

/** What is left over stays where it fails again. */
export async function recoverCalls(context: PluginContext): Promise<void> {
  for (const { id, call, state } of context.journal.entries()) {
    if (state !== 'left over') continue;
    await undoOrFinish(context, call);
    context.journal.end(id);
  }
}

/** What was being made goes, and what was going is gone. */
async function undoOrFinish(context: PluginContext, call: JournalCall): Promise<void> {
  switch (call.kind) {
    case 'create network':
      await deleteNetworkNamed(context, call.hnsNetwork);
      break;
    case 'delete network':
      await deleteNetwork(context, call.networkId);
      break;
    case 'create endpoint':
    case 'delete endpoint':
      await deleteEndpoint(context, call.endpointId);
      break;
    case 'request address':
      await deleteAddressNamed(context, call.name);
      break;
    case 'release address':
      await releaseAddress(context, call.poolId, call.ip);
      break;
  }
}

/** An engine that has just started has asked for no address yet that is nobody's. */
export async function deleteUnboundAddresses(context: PluginContext): Promise<void> {
  const { controller } = context;
  for (const address of await controller.addresses())
    if (address.interface === undefined && address.name.startsWith(ownPrefix(context)))
      await controller.delete('instance-ip', address.uuid);
}

/** While no call is in progress: what the engine has is what should be. */
export async function compareWithEngine(context: PluginContext): Promise<void> {
  const { engine, controller, hns, agent } = context;
  const docker = await engine.networks();
  const living = docker.flatMap(({ endpoints }) => endpoints.map(({ id }) => id));
  const names = new Set(living.map((id) => nameOfEndpoint(context, id)));
  const known = [
    ...(await hns.endpoints()).map(({ name }) => name),
    ...[...(await controller.machines()), ...(await controller.interfaces())].flatMap(endpointIn),
    ...(await agent.ports()).map((port) => ({ name: port['display-name'] })).flatMap(endpointIn),
  ];
  function endpointIn({ name }: { readonly name: string }): readonly string[] {
    const prefix = ownPrefix(context);
    return name.startsWith(prefix) ? [name.slice(prefix.length)] : [];
  }
  const orphans = [...new Set(known)].filter((id) => !names.has(nameOfEndpoint(context, id)));
  await allOf([
    ...orphans.map((id) => () => deleteOrphan(context, id)),
    () => addMissingNetworks(context, docker),
    () => addMissingPorts(context, living),
    async () => {
      for (const network of await orphanedNetworks(context)) await hns.deleteNetwork(network.id);
    },
  ]);
}

/** Its address as well: the engine has forgotten it, and asks nobody to release it. */
async function deleteOrphan(context: PluginContext, endpointId: string): Promise<void> {
  const { controller } = context;
  const name = nameOfEndpoint(context, endpointId);
  const own = (await controller.interfaces()).filter((one) => one.name === name);
  const held = (await controller.addresses()).filter(({ interface: at }) =>
    own.some(({ uuid }) => uuid === at),
  );
  await deleteEndpoint(context, endpointId);
  for (const { uuid } of held) await controller.delete('instance-ip', uuid);
}

async function addMissingNetworks(
  { controller, hns }: PluginContext,
  docker: Awaited<ReturnType<PluginContext['engine']['networks']>>,
): Promise<void> {
  const there = await hns.networks();
  for (const { tenant, network, cidr } of docker) {
    const subnet = await controller.subnet(tenant, network, cidr);
    const name = hnsNetworkName(tenant, network, subnet.uuid);
    if (!there.some((one) => one.name === name))
      await hns.createNetwork({ name, subnet: cidr, gateway: subnet.gateway });
  }
}

/** An agent that has restarted has no ports. */
async function addMissingPorts(context: PluginContext, living: readonly string[]): Promise<void> {
  const { agent, controller, hns } = context;
  const ports = await agent.ports();
  const [interfaces, addresses, machines, endpoints] = [
    await controller.interfaces(),
    await controller.addresses(),
    await controller.machines(),
    await hns.endpoints(),
  ];
  for (const id of living) {
    const name = nameOfEndpoint(context, id);
    const made = interfaces.find((one) => one.name === name);
    const address = addresses.find((one) => one.interface === made?.uuid);
    const machine = machines.find((one) => one.name === name);
    const endpoint = endpoints.find((one) => one.name === id);
    if (
      made === undefined ||
      address === undefined ||
      machine === undefined ||
      endpoint === undefined ||
      ports.some((port) => port.id === made.uuid)
    )
      continue;
    await agent.addPort({
      id: made.uuid,
      'instance-id': machine.uuid,
      'vn-id': address.networkUuid,
      'display-name': name,
      'ip-address': address.ip,
      'mac-address': made.mac,
      'system-name': friendlyNameOf(endpoint.id),
    });
  }
}
