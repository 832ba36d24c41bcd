/** Docker's calls of the network driver (libnetwork, "Remote Drivers"). */
import { z } from 'zod';
import { InputError } from '../../../base/errors/errors.js';
import { journalled, tidyUp, type Handlers, type PluginState } from './call.js';
import type { PluginContext } from './context.js';
import { createEndpoint, deleteEndpoint } from './endpoint.js';
import { addressSpace } from './ipam-handlers.js';
import { joinAnswer } from './join.js';
import {
  createNetwork,
  deleteNetwork,
  deleteNetworkNamed,
  hnsNameOf,
  rightCommand,
  type NewNetwork,
} from './network.js';

const ofEndpoint = z.object({ NetworkID: z.string(), EndpointID: z.string() });
const ofNetwork = z.object({ NetworkID: z.string() });
const newNetwork = z.object({
  Options: z.object({
    'com.docker.network.generic': z.record(z.string(), z.unknown()).optional(),
  }),
  IPv4Data: z.array(z.object({ AddressSpace: z.string(), Pool: z.string(), Gateway: z.string() })),
  IPv6Data: z.array(z.unknown()).nullish(),
});
const newEndpoint = ofEndpoint.extend({ Interface: z.object({ Address: z.string() }) });

export function networkHandlers(context: PluginContext, state: PluginState): Handlers {
  const nothing = () => Promise.resolve({});
  return {
    'NetworkDriver.GetCapabilities': () =>
      Promise.resolve({ Scope: 'local', ConnectivityScope: 'global' }),
    'NetworkDriver.CreateNetwork': async (body) => {
      const asked = readNetwork(body);
      await tidyUp(context, state);
      const hnsNetwork = await hnsNameOf(context, asked);
      await refuseTwice(context, hnsNetwork);
      await journalled(
        context,
        state,
        { kind: 'create network', hnsNetwork },
        () => createNetwork(context, hnsNetwork, asked),
        () => deleteNetworkNamed(context, hnsNetwork),
      );
      return {};
    },
    'NetworkDriver.DeleteNetwork': async (body) => {
      const { NetworkID: networkId } = ofNetwork.parse(body);
      const work = () => deleteNetwork(context, networkId);
      await journalled(context, state, { kind: 'delete network', networkId }, work, work);
      return {};
    },
    'NetworkDriver.CreateEndpoint': async (body) => {
      const {
        NetworkID: networkId,
        EndpointID: endpointId,
        Interface: at,
      } = newEndpoint.parse(body);
      await tidyUp(context, state);
      const { mac } = await journalled(
        context,
        state,
        { kind: 'create endpoint', endpointId },
        () =>
          createEndpoint(context, { networkId, endpointId, ip: at.Address.replace(/\/.*/, '') }),
        () => deleteEndpoint(context, endpointId),
      );
      return { Interface: { MacAddress: mac } };
    },
    'NetworkDriver.DeleteEndpoint': async (body) => {
      const { EndpointID: endpointId } = ofEndpoint.parse(body);
      const work = () => deleteEndpoint(context, endpointId);
      await journalled(context, state, { kind: 'delete endpoint', endpointId }, work, work);
      return {};
    },
    'NetworkDriver.Join': async (body) =>
      await joinAnswer(context, ofEndpoint.parse(body).EndpointID),
    'NetworkDriver.EndpointOperInfo': () => Promise.resolve({ Value: {} }),
    'NetworkDriver.Leave': nothing,
    'NetworkDriver.ProgramExternalConnectivity': nothing,
    'NetworkDriver.RevokeExternalConnectivity': nothing,
    'NetworkDriver.DiscoverNew': nothing,
    'NetworkDriver.DiscoverDelete': nothing,
  };
}

async function refuseTwice({ hns }: PluginContext, name: string): Promise<void> {
  if ((await hns.networks()).some((network) => network.name === name))
    throw new InputError(
      `this hypervisor has a Docker network for that subnet already: HNS network "${name}"`,
    );
}

/** @throws InputError with the right command line where something is missing. */
function readNetwork(body: unknown): NewNetwork {
  const { Options: options, IPv4Data: pools, IPv6Data: other } = newNetwork.parse(body);
  const { tenant, network } = options['com.docker.network.generic'] ?? {};
  const [pool, ...others] = pools;
  const cidr = pool?.Pool;
  const named = {
    tenant: typeof tenant === 'string' ? tenant : undefined,
    network: typeof network === 'string' ? network : undefined,
  };
  if (named.tenant === undefined || named.network === undefined || pool === undefined)
    throw new InputError(
      'the network driver needs tenant, network and one subnet: ' +
        rightCommand({ ...named, cidr }),
    );
  if (pool.AddressSpace !== addressSpace)
    throw new InputError(
      "addresses have to come from Contrail, and not from Docker's own IPAM driver: " +
        rightCommand({ ...named, cidr }),
    );
  if (others.length > 0 || (other ?? []).length > 0)
    throw new InputError(
      'a Docker network is one IPv4 subnet of Contrail: make one for each, ' +
        rightCommand({ ...named, cidr }),
    );
  return {
    tenant: named.tenant,
    network: named.network,
    cidr: pool.Pool,
    gateway: pool.Gateway.replace(/\/.*/, ''),
  };
}
