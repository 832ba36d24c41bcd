/** The vRouter agent as the plugin asks it. */
import { z } from 'zod';
import { Unavailable } from '../../../base/errors/errors.js';
import { askJson } from '../http/json-client.js';
import { addedPort, type AddedPort } from './held-ports.js';

export interface Agent {
  addPort(port: AddedPort): Promise<void>;
  /** Nothing where it is not there. */
  deletePort(id: string): Promise<void>;
  ports(): Promise<readonly AddedPort[]>;
}

export function agentAt(address: string): Agent {
  const service = { name: 'the vRouter agent', address };
  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const answer = await askJson(service, method, path, body);
    if (answer.status === 200 || (method === 'DELETE' && answer.status === 404)) return answer.body;
    throw new Unavailable(
      `the vRouter agent answers ${method} ${path} with ${answer.status}: ` +
        JSON.stringify(answer.body),
    );
  };
  return {
    addPort: async (port) => void (await ask('POST', '/port', port)),
    deletePort: async (id) => void (await ask('DELETE', `/port/${id}`)),
    ports: async () => z.array(addedPort).parse(await ask('GET', '/port')),
  };
}
