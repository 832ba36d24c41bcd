/** Numbers that are no container's, and the adapter that has the first of them. */
import { Unavailable } from '../../../base/errors/errors.js';
import type { ExtensionView, SeenAdapter } from '../../../control/contrail/forwarding-extension.js';
import { firstContainerPort } from '../hns/bridge-ports.js';
import type { Answer } from '../http/json-server.js';
import { seenAdapter } from './held-ports.js';

interface Reserved {
  readonly uplink: ExtensionView['uplink'];
  readonly overlay: ExtensionView['overlay'];
  readonly adapterNow?: () => Promise<number>;
}

/** What is refused of a request, before anything is done; undefined where nothing is. */
export async function refusalOf(
  asked: string,
  body: unknown,
  spec: Reserved,
): Promise<Answer | undefined> {
  if (asked === 'POST /port') {
    const missing = await adapterMissing(spec);
    return missing === undefined ? undefined : { status: 503, body: missing };
  }
  if (asked !== 'PUT /adapter') return undefined;
  const seen = seenAdapter.parse(body);
  return isReserved(seen, spec)
    ? { status: 409, body: `port ${seen.ofport} is no container's: it is reserved` }
    : undefined;
}

/** Why no port can be added: the flows would take another port for the physical adapter. */
async function adapterMissing({ adapterNow, uplink }: Reserved): Promise<string | undefined> {
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
function isReserved({ ofport }: SeenAdapter, { uplink, overlay }: Reserved): boolean {
  return ofport === uplink || ofport === overlay.ofport || ofport < firstContainerPort;
}
