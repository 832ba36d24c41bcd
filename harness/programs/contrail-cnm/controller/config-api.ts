/**
 * Contrail's config API over HTTP, and beside it what control nodes do by XMPP: a route that one
 * agent announces gets to all of them.
 */
import { z } from 'zod';
import { askJson } from '../http/json-client.js';
import {
  serveJson,
  type Answer,
  type JsonServer,
  type Listen,
  type Request,
} from '../http/json-server.js';
import {
  create,
  emptyDatabase,
  find,
  remove,
  resourceTypes,
  updateRef,
  type Changed,
  type ConfigDatabase,
  type Resource,
  type ResourceType,
} from './config-database.js';

/** A port that an agent has added: who is there, on which network, behind which hypervisor. */
export const announcedRoute = z.object({
  interface: z.string(),
  label: z.number(),
  network: z.string(),
  ip: z.string(),
  mac: z.string(),
  hypervisor: z.string(),
  via: z.string(),
});
export type AnnouncedRoute = z.infer<typeof announcedRoute>;

export interface ConfigApi extends JsonServer {
  database(): ConfigDatabase;
  routes(): readonly AnnouncedRoute[];
  /** Nobody is there until what is returned is called. */
  goAway(): Promise<() => Promise<void>>;
}

const referenced = z.array(z.object({ uuid: z.string() }));
const resourceBody = z.looseObject({ fq_name: z.array(z.string()) });
const refUpdate = z.object({
  type: z.enum(resourceTypes),
  uuid: z.string(),
  'ref-type': z.enum(resourceTypes),
  'ref-uuid': z.string(),
  operation: z.enum(['ADD', 'DELETE']),
});

/** `before` is asked first: it may hold a request back, or answer in the place of the API. */
export async function serveConfigApi(
  database: ConfigDatabase = emptyDatabase,
  before: (request: Request) => Promise<Answer | undefined> = () => Promise.resolve(undefined),
  listen: Listen = 'loopback',
): Promise<ConfigApi> {
  let held = database;
  const routes = new Map<string, AnnouncedRoute>();
  const agents = new Set<string>();
  const changed = (change: Changed, status: number): Answer => {
    if (change.kind === 'refused') return { status: change.status, body: change.why };
    held = change.database;
    return { status, body: { [change.resource.type]: bodyOf(change.resource, held) } };
  };
  const announce = async (): Promise<void> => {
    const all = [...routes.values()];
    for (const address of agents) {
      const agent = { name: 'the vRouter agent', address };
      // One that has ended costs the others nothing: it gets all routes when it is back.
      await askJson(agent, 'PUT', '/routes', all).catch(() => agents.delete(address));
    }
  };
  const answer = async (request: Request): Promise<Answer> => {
    const instead = await before(request);
    if (instead !== undefined) return instead;
    const [, first = '', second] = request.path.split('/');
    const { method, body } = request;
    if (first === 'control') return await control(request, routes, agents, announce);
    if (first === 'fqname-to-id') {
      const asked = z
        .object({ type: z.enum(resourceTypes), fq_name: z.array(z.string()) })
        .parse(body);
      const found = find(held, asked.type, asked.fq_name);
      return found === undefined
        ? notFound(`Name ${JSON.stringify(asked.fq_name)} not found`)
        : { status: 200, body: { uuid: found.uuid } };
    }
    if (first === 'ref-update') {
      const asked = refUpdate.parse(body);
      const ref = { type: asked['ref-type'], uuid: asked['ref-uuid'] };
      return changed(updateRef(held, asked.uuid, asked.operation, ref), 200);
    }
    const listed = resourceTypes.find((type) => `${type}s` === first);
    if (listed !== undefined && method === 'POST') return changed(created(held, listed, body), 200);
    if (listed !== undefined) return { status: 200, body: list(held, listed, request.query) };
    const type = resourceTypes.find((known) => known === first);
    if (type === undefined || second === undefined) return notFound(`no ${request.path}`);
    if (method === 'DELETE') return changed(remove(held, type, second), 200);
    const found = held.resources.find((one) => one.uuid === second && one.type === type);
    return found === undefined
      ? notFound(`no ${type} ${second}`)
      : { status: 200, body: { [type]: bodyOf(found, held) } };
  };
  let server = await serveJson(listen, answer);
  return {
    address: server.address,
    close: () => server.close(),
    database: () => held,
    routes: () => [...routes.values()],
    goAway: async () => {
      await server.close();
      return async () => {
        server = await serveJson(listen, answer);
      };
    },
  };
}

/** `/control/agents` and `/control/routes/UUID`. */
async function control(
  { method, path, body }: Request,
  routes: Map<string, AnnouncedRoute>,
  agents: Set<string>,
  announce: () => Promise<void>,
): Promise<Answer> {
  const [, , what, id = ''] = path.split('/');
  if (method === 'GET') return { status: 200, body: [...routes.values()] };
  if (what === 'agents') agents.add(z.object({ address: z.string() }).parse(body).address);
  else if (method === 'PUT') routes.set(id, announcedRoute.parse(body));
  else if (method === 'DELETE') routes.delete(id);
  await announce();
  return { status: 200, body: [...routes.values()] };
}

function created(database: ConfigDatabase, type: ResourceType, body: unknown): Changed {
  const asked = z.object({ [type]: resourceBody }).parse(body)[type];
  if (asked === undefined) return { kind: 'refused', status: 400, why: `a body needs ${type}` };
  const { fq_name: fqName, ...others } = asked;
  const refs = resourceTypes.flatMap((other) => {
    const key = refKey(other);
    return key in others
      ? referenced.parse(others[key]).map(({ uuid }) => ({ type: other, uuid }))
      : [];
  });
  const keys = new Set(resourceTypes.map(refKey));
  const properties = Object.fromEntries(Object.entries(others).filter(([key]) => !keys.has(key)));
  return create(database, type, { fqName, refs, properties });
}

function list(
  database: ConfigDatabase,
  type: ResourceType,
  query: URLSearchParams,
): Readonly<Record<string, unknown>> {
  const found = database.resources.filter((resource) => resource.type === type);
  return {
    [`${type}s`]: found.map((resource) =>
      query.get('detail') === 'true'
        ? { [type]: bodyOf(resource, database) }
        : { uuid: resource.uuid, fq_name: resource.fqName, href: `/${type}/${resource.uuid}` },
    ),
  };
}

function bodyOf(resource: Resource, { resources }: ConfigDatabase): Record<string, unknown> {
  const refs: Record<string, unknown[]> = {};
  for (const { type, uuid } of resource.refs)
    (refs[refKey(type)] ??= []).push({
      uuid,
      to: resources.find((other) => other.uuid === uuid)?.fqName,
    });
  return { uuid: resource.uuid, fq_name: resource.fqName, ...resource.properties, ...refs };
}

function refKey(type: ResourceType): string {
  return `${type.replaceAll('-', '_')}_refs`;
}

function notFound(why: string): Answer {
  return { status: 404, body: why };
}
