/** The Host Networking Service that `hns-service.ts` serves. */
import { z } from 'zod';
import { InputError, Unavailable } from '../../../base/errors/errors.js';
import { askJson } from '../http/json-client.js';
import type { Hns } from './hns.js';

const network = z.object({
  id: z.string(),
  name: z.string(),
  subnet: z.string(),
  gateway: z.string(),
});
const endpoint = z.object({
  id: z.string(),
  name: z.string(),
  network: z.string(),
  ip: z.string(),
  mac: z.string(),
  gateway: z.string(),
});

export function hnsAt(address: string): Hns {
  const service = { name: 'the Host Networking Service', address };
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await askJson(service, method, path, body);
    if (answer.status === 200) return answer.body;
    const said = JSON.stringify(answer.body);
    const text = `HNS answers ${method} ${path} with ${answer.status}: ${said}`;
    throw answer.status === 409 ? new InputError(text) : new Unavailable(text);
  };
  return {
    networks: async () => z.array(network).parse(await ask('GET', '/networks')),
    createNetwork: async (asked) => network.parse(await ask('POST', '/networks', asked)),
    deleteNetwork: async (id) => void (await ask('DELETE', `/networks/${id}`)),
    endpoints: async () => z.array(endpoint).parse(await ask('GET', '/endpoints')),
    createEndpoint: async (asked) => endpoint.parse(await ask('POST', '/endpoints', asked)),
    deleteEndpoint: async (id) => void (await ask('DELETE', `/endpoints/${id}`)),
  };
}
