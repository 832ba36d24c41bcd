/**
 * The Host Networking Service of Windows itself, by the module HNS.psm1 of Microsoft's SDN tools:
 * `Invoke-HnsRequest -Method POST -Type networks -Data JSON`.
 *
 * Never run: no machine with Windows was at hand. What it asks is what hcsshim's HNSNetwork and
 * HNSEndpoint document; whether HNS answers so is unknown.
 */
import { z } from 'zod';
import { InputError } from '../../../base/errors/errors.js';
import type { Hns } from './hns.js';

/** Runs a PowerShell command line, and gives what it prints. */
export type PowerShell = (command: string) => Promise<string>;

const network = z.object({
  ID: z.string(),
  Name: z.string(),
  Subnets: z.array(z.object({ AddressPrefix: z.string(), GatewayAddress: z.string() })).default([]),
});
const endpoint = z.object({
  ID: z.string(),
  Name: z.string(),
  VirtualNetwork: z.string(),
  IPAddress: z.string(),
  MacAddress: z.string(),
  GatewayAddress: z.string(),
});

/** @param adapter the physical adapter that transparent networks are on. */
export function windowsHns(run: PowerShell, adapter: string): Hns {
  const ask = async (method: string, type: string, id: string, data?: object): Promise<unknown> => {
    const more = data === undefined ? '' : ` -Data '${quoted(JSON.stringify(data))}'`;
    const said = await run(
      `Invoke-HnsRequest -Method ${method} -Type ${type} -Id '${quoted(id)}'${more} | ` +
        'ConvertTo-Json -Depth 8 -Compress',
    );
    return said.trim() === '' ? [] : JSON.parse(said);
  };
  const networkOf = (body: unknown) => {
    const { ID: id, Name: name, Subnets: subnets } = network.parse(body);
    const [subnet] = subnets;
    return {
      id,
      name,
      subnet: subnet?.AddressPrefix ?? '',
      gateway: subnet?.GatewayAddress ?? '',
    };
  };
  const endpointOf = (body: unknown) => {
    const one = endpoint.parse(body);
    return {
      id: one.ID,
      name: one.Name,
      network: one.VirtualNetwork,
      ip: one.IPAddress,
      mac: one.MacAddress.replaceAll('-', ':').toLowerCase(),
      gateway: one.GatewayAddress,
    };
  };
  return {
    networks: async () => list(await ask('GET', 'networks', '')).map(networkOf),
    createNetwork: async ({ name, subnet, gateway }) =>
      networkOf(
        await ask('POST', 'networks', '', {
          Name: name,
          Type: 'transparent',
          NetworkAdapterName: adapter,
          Subnets: [{ AddressPrefix: subnet, GatewayAddress: gateway }],
        }),
      ),
    deleteNetwork: async (id) => void (await ask('DELETE', 'networks', id)),
    endpoints: async () => list(await ask('GET', 'endpoints', '')).map(endpointOf),
    createEndpoint: async ({ name, network: on, ip, mac, gateway }) =>
      endpointOf(
        await ask('POST', 'endpoints', '', {
          Name: name,
          VirtualNetwork: on,
          IPAddress: ip,
          MacAddress: mac.replaceAll(':', '-').toUpperCase(),
          GatewayAddress: gateway,
        }),
      ),
    deleteEndpoint: async (id) => void (await ask('DELETE', 'endpoints', id)),
  };
}

/** PowerShell prints one object alone where a list has one. */
function list(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

/** Within single quotes. @throws InputError for what has a line of its own. */
function quoted(text: string): string {
  if (/[\r\n\0]/.test(text)) throw new InputError(`${JSON.stringify(text)} has a line break`);
  return text.replaceAll("'", "''");
}
