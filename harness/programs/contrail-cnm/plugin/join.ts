/** What the engine needs to put an endpoint's interface into a container. */
import { InputError } from '../../../base/errors/errors.js';
import type { PluginContext } from './context.js';

/** The container's end of the cable behind an endpoint, as `hns/veth-compartments.ts` calls it. */
export function containerEnd(endpoint: string): string {
  return `con-${endpoint.split('-')[0] ?? endpoint}`;
}

/** @throws InputError where HNS has no such endpoint. */
export async function joinAnswer({ hns }: PluginContext, endpointId: string): Promise<unknown> {
  const endpoint = (await hns.endpoints()).find(({ name }) => name === endpointId);
  if (endpoint === undefined) throw new InputError(`HNS has no endpoint for ${endpointId}`);
  return {
    InterfaceName: { SrcName: containerEnd(endpoint.id), DstPrefix: 'eth' },
    Gateway: endpoint.gateway,
    StaticRoutes: [],
    DisableGatewayService: true,
  };
}
