/** A service in front of another that changes what it is asked, or answers itself. */
import { askJson } from '../http/json-client.js';
import { serveJson, type Answer, type JsonServer, type Request } from '../http/json-server.js';

/** The request that is passed on, or an answer in the other's place. */
export type Tamper = (request: Request) => Request | Answer;

export async function serveTampered(address: string, tamper: Tamper): Promise<JsonServer> {
  return await serveJson('loopback', async (request) => {
    const changed = tamper(request);
    if ('status' in changed) return changed;
    const { method, path, query, body } = changed;
    const more = query.size === 0 ? '' : `?${query.toString()}`;
    return await askJson({ name: 'the service', address }, method, `${path}${more}`, body);
  });
}
