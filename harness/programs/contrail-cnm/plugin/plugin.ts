/**
 * Docker's calls (libnetwork, "Remote Drivers" and "IPAM Driver"): each has a method, a body and an
 * answer. A refusal is status 200 with `Err`, of the IPAM driver with `Error`.
 */
import { z } from 'zod';
import { InputError } from '../../../base/errors/errors.js';
import type { Answer, Request } from '../http/json-server.js';
import {
  deleteAddressNamed,
  gatewayAddress,
  releaseAddress,
  requestAddress,
  requestPool,
  subnetOfPool,
  withPrefix,
} from './address.js';
import { ownPrefix, type PluginContext } from './context.js';
import { createEndpoint, deleteEndpoint } from './endpoint.js';
import { joinAnswer } from './join.js';
import type { JournalCall } from './journal.js';
import {
  createNetwork,
  deleteNetwork,
  deleteNetworkNamed,
  hnsNameOf,
  rightCommand,
} from './network.js';
import { compareWithEngine, deleteUnboundAddresses, recoverCalls } from './recover.js';

export interface Plugin {
  answer(request: Request): Promise<Answer>;
  /** What calls have left over is settled, as far as those who know of it answer. */
  recover(): Promise<void>;
}

const ofEndpoint = z.object({ NetworkID: z.string(), EndpointID: z.string() });
const ofNetwork = z.object({ NetworkID: z.string() });
const ofAddress = z.object({ PoolID: z.string(), Address: z.string() });
const newNetwork = z.object({
  Options: z.object({
    'com.docker.network.generic': z.record(z.string(), z.unknown()).optional(),
  }),
  IPv4Data: z.array(z.object({ Pool: z.string(), Gateway: z.string() })),
  IPv6Data: z.array(z.unknown()).nullish(),
});
const newEndpoint = ofEndpoint.extend({ Interface: z.object({ Address: z.string() }) });
const newPool = z.object({
  Pool: z.string(),
  Options: z.record(z.string(), z.string()).nullish(),
  V6: z.boolean(),
});
const newAddress = ofAddress.extend({ Options: z.record(z.string(), z.string()).nullish() });

/** They have no body: all others without one are calls that a plugin before this one has got. */
const bodiless = new Set([
  'Plugin.Activate',
  'NetworkDriver.GetCapabilities',
  'IpamDriver.GetCapabilities',
  'IpamDriver.GetDefaultAddressSpaces',
]);

type Handler = (body: unknown) => Promise<unknown>;

export function pluginOf(context: PluginContext): Plugin {
  const state: PluginState = { inProgress: 0, compareDue: true, replayable: new Set() };
  const handlers: Readonly<Record<string, Handler>> = {
    ...networkHandlers(context, state),
    ...ipamHandlers(context, state),
    'Plugin.Activate': async () => {
      state.compareDue = true;
      await recoverCalls(context);
      await deleteUnboundAddresses(context);
      const addresses = await context.controller.addresses();
      state.replayable = new Set(
        addresses.flatMap(({ name, uuid }) => (name.startsWith(ownPrefix(context)) ? [uuid] : [])),
      );
      return { Implements: ['NetworkDriver', 'IpamDriver'] };
    },
  };
  return {
    recover: () => recoverCalls(context),
    answer: async ({ path, body }) => {
      const method = path.slice(1);
      const handler = handlers[method];
      if (handler === undefined) return { status: 404, body: { Err: `no ${method}` } };
      try {
        if (body === undefined && !bodiless.has(method))
          throw new InputError(
            `${method} came without a body: the plugin ended while it was answering it before, ` +
              'and what that had made is gone',
          );
        return { status: 200, body: await handler(body) };
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { status: 200, body: { [method.startsWith('Ipam') ? 'Error' : 'Err']: why } };
      }
    },
  };
}

interface PluginState {
  /** Calls that change something. */
  inProgress: number;
  /** Nothing was compared since the plugin or the engine has started. */
  compareDue: boolean;
  /** Addresses that a new engine may ask for once more: those of endpoints of the old one. */
  replayable: Set<string>;
}

/**
 * In the journal while it is under way. Where `work` fails, `undo` has to make up for it; where
 * that fails as well, the journal keeps the call.
 */
async function journalled<T>(
  { journal }: PluginContext,
  state: PluginState,
  call: JournalCall,
  work: () => Promise<T>,
  undo: () => Promise<void>,
): Promise<T> {
  const id = journal.begin(call);
  state.inProgress += 1;
  try {
    const result = await work();
    journal.end(id);
    return result;
  } catch (error) {
    try {
      await undo();
      journal.end(id);
    } catch {
      journal.leave(id);
    }
    throw error;
  } finally {
    state.inProgress -= 1;
  }
}

/** Before something new is made; nothing is compared while something else is being made. */
async function tidyUp(context: PluginContext, state: PluginState): Promise<void> {
  await recoverCalls(context);
  if (!state.compareDue || state.inProgress > 0) return;
  await compareWithEngine(context);
  state.compareDue = false;
}

function networkHandlers(
  context: PluginContext,
  state: PluginState,
): Readonly<Record<string, Handler>> {
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

function ipamHandlers(
  context: PluginContext,
  state: PluginState,
): Readonly<Record<string, Handler>> {
  return {
    'IpamDriver.GetCapabilities': () =>
      Promise.resolve({ RequiresMACAddress: false, RequiresRequestReplay: true }),
    'IpamDriver.GetDefaultAddressSpaces': () =>
      Promise.resolve({
        LocalDefaultAddressSpace: 'contrail',
        GlobalDefaultAddressSpace: 'contrail',
      }),
    'IpamDriver.RequestPool': async (body) => {
      const { Pool: cidr, Options: options, V6: isIpv6 } = newPool.parse(body);
      if (isIpv6) throw new InputError('Contrail has no IPv6 subnets here: leave --ipv6 away');
      const poolId = await requestPool(context, cidr, options ?? {});
      return { PoolID: poolId, Pool: cidr, Data: {} };
    },
    'IpamDriver.ReleasePool': () => Promise.resolve({}),
    'IpamDriver.RequestAddress': async (body) => {
      const { PoolID: poolId, Address: asked, Options: options } = newAddress.parse(body);
      const subnet = await subnetOfPool(context, poolId);
      if (options?.['RequestAddressType'] === 'com.docker.network.gateway')
        return { Address: gatewayAddress(subnet, asked), Data: {} };
      if (await isReplayed(context, state, asked, subnet.networkUuid))
        return { Address: withPrefix(asked, subnet.cidr), Data: {} };
      const name = `${ownPrefix(context)}${context.newName()}`;
      const address = await journalled(
        context,
        state,
        { kind: 'request address', name },
        () => requestAddress(context, name, subnet, asked),
        () => deleteAddressNamed(context, name),
      );
      return { Address: address, Data: {} };
    },
    'IpamDriver.ReleaseAddress': async (body) => {
      const { PoolID: poolId, Address: ip } = ofAddress.parse(body);
      const work = () => releaseAddress(context, poolId, ip);
      await journalled(context, state, { kind: 'release address', poolId, ip }, work, work);
      return {};
    },
  };
}

/** An engine that has started anew asks once more for what its endpoints have. */
async function isReplayed(
  { controller }: PluginContext,
  { replayable }: PluginState,
  ip: string,
  networkUuid: string,
): Promise<boolean> {
  if (ip === '' || replayable.size === 0) return false;
  const held = (await controller.addresses()).find(
    (one) => one.ip === ip && one.networkUuid === networkUuid && replayable.has(one.uuid),
  );
  return held !== undefined && replayable.delete(held.uuid);
}

async function refuseTwice({ hns }: PluginContext, name: string): Promise<void> {
  if ((await hns.networks()).some((network) => network.name === name))
    throw new InputError(
      `this hypervisor has a Docker network for that subnet already: HNS network "${name}"`,
    );
}

/** @throws InputError with the right command line where something is missing. */
function readNetwork(body: unknown): {
  readonly tenant: string;
  readonly network: string;
  readonly cidr: string;
  readonly gateway: string;
} {
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
      `the network driver needs tenant, network and one subnet: ${rightCommand({ ...named, cidr })}`,
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
