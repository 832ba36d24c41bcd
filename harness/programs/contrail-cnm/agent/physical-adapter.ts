/** Numbers that are no container's, and the adapter that has the first of them. */
import { Unavailable } from '../../../base/errors/errors.js';
import type { SeenAdapter } from '../../../control/contrail/forwarding-extension.js';
import { firstContainerPort } from '../hns/bridge-ports.js';
import type { AgentSpec } from './port-api.js';

/** Why no port can be added: the flows would take another port for the physical adapter. */
export async function adapterMissing({
  adapterNow,
  uplink,
}: Pick<AgentSpec, 'adapterNow' | 'uplink'>): Promise<string | undefined> {
  try {
    const now = await adapterNow?.();
    return now === undefined || now === uplink
      ? undefined
      : `the physical adapter has number ${now}, and had ${uplink} when the agent started`;
  } catch (error) {
    if (error instanceof Unavailable) return error.message;
    throw error;
  }
}

/** A container there would have the flows of the physical adapter, or of the tunnel. */
export function isReserved(
  { ofport }: SeenAdapter,
  { uplink, overlay }: Pick<AgentSpec, 'uplink' | 'overlay'>,
): boolean {
  return ofport === uplink || ofport === overlay.ofport || ofport < firstContainerPort;
}
