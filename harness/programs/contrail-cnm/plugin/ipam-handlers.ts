/** Docker's calls of the IPAM driver (libnetwork, "IPAM Driver"). */
import { z } from 'zod';
import { InputError } from '../../../base/errors/errors.js';
import {
  deleteAddressNamed,
  gatewayAddress,
  releaseAddress,
  requestAddress,
  requestPool,
  subnetOfPool,
  withPrefix,
} from './address.js';
import { journalled, type Handlers, type PluginState } from './call.js';
import { ownPrefix, type PluginContext } from './context.js';

const ofAddress = z.object({ PoolID: z.string(), Address: z.string() });
const newPool = z.object({
  Pool: z.string(),
  Options: z.record(z.string(), z.string()).nullish(),
  V6: z.boolean(),
});
const newAddress = ofAddress.extend({ Options: z.record(z.string(), z.string()).nullish() });

/** That of its pools, by which the network driver knows them. */
export const addressSpace = 'contrail';

export function ipamHandlers(context: PluginContext, state: PluginState): Handlers {
  return {
    'IpamDriver.GetCapabilities': () =>
      Promise.resolve({ RequiresMACAddress: false, RequiresRequestReplay: true }),
    'IpamDriver.GetDefaultAddressSpaces': () =>
      Promise.resolve({
        LocalDefaultAddressSpace: addressSpace,
        GlobalDefaultAddressSpace: addressSpace,
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

/** An engine that has restarted asks once more for what its endpoints have. */
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
