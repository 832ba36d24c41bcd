/** Compartments without containers: an adapter is a port of a bridge with a number of its own. */
import { portOfEndpoint } from '../../../control/contrail/hns-names.js';
import { friendlyNameOf } from '../../../control/windows/hns-subnet.js';
import { Unavailable } from '../../../base/errors/errors.js';
import { firstContainerPort } from '../hns/bridge-ports.js';
import type { Compartments } from '../hns/hns-service.js';
import { askJson } from '../http/json-client.js';
import type { Holds } from './holds.js';

export interface CourseCompartments extends Compartments {
  /** Numbers of connected adapters, by the ids of their endpoints. */
  adapters(): ReadonlyMap<string, number>;
  /** The next adapter comes when it is called. */
  nextIsLate(): void;
  /** An adapter that is late, of whatever endpoint. */
  comes(endpoint: string): Promise<void>;
  goes(endpoint: string): Promise<void>;
}

export function courseCompartments(agent: string, holds: Holds): CourseCompartments {
  const service = { name: 'the vRouter agent', address: agent };
  const adapters = new Map<string, number>();
  let next = firstContainerPort;
  let isLate = false;
  const path = (endpoint: string) => `/adapter/${encodeURIComponent(friendlyNameOf(endpoint))}`;
  const comes = async (endpoint: string): Promise<void> => {
    const ofport = next++;
    adapters.set(endpoint, ofport);
    await holds.reached('interface made');
    const friendlyName = friendlyNameOf(endpoint);
    const seen = await askJson(service, 'PUT', path(endpoint), { friendlyName, ofport });
    if (seen.status !== 200)
      throw new Unavailable(
        `the vRouter agent refuses ${portOfEndpoint(endpoint)}: ${JSON.stringify(seen.body)}`,
      );
    await holds.reached('adapter announced');
  };
  const goes = async (endpoint: string): Promise<void> => {
    adapters.delete(endpoint);
    await askJson(service, 'DELETE', path(endpoint));
  };
  return {
    adapters: () => adapters,
    nextIsLate: () => {
      isLate = true;
    },
    comes,
    goes,
    connect: async ({ name }) => {
      const waits = isLate;
      isLate = false;
      if (!waits) await comes(name);
    },
    disconnect: ({ name }) => goes(name),
  };
}
