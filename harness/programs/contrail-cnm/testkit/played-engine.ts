/**
 * The calls of a Docker engine in the order in which it makes them, and what it undoes where one is
 * refused, as measured on engines 20.10 and 26.1. It serves the part of its API that the plugin
 * asks. A call that the plugin ends in is repeated once with an empty body, as the engine does.
 */
import { askJson } from '../http/json-client.js';
import { serveJson, type JsonServer } from '../http/json-server.js';
import { uuidFrom } from '../controller/config-database.js';
import {
  bare,
  bodyOf,
  withLength,
  type HeldNetwork,
  type NetworkOptions,
  type PlayedEndpoint,
} from './network-body.js';

export type Played<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly why: string };

export interface PlayedEngine {
  readonly server: JsonServer;
  createNetwork(options: NetworkOptions): Promise<Played<string>>;
  removeNetwork(id: string): Promise<void>;
  /** `docker run`. */
  run(networkId: string, ip?: string, id?: string): Promise<Played<PlayedEndpoint>>;
  /** `docker rm -f`. What is refused is not repeated. */
  remove(endpoint: PlayedEndpoint): Promise<void>;
  /** A new life: every pool, gateway and address is asked for once more. */
  restart(): Promise<void>;
  endpoints(): readonly PlayedEndpoint[];
}

/**
 * @param revive starts the plugin again, where it has ended.
 * @param name what its ids are made of.
 */
export async function playEngine(
  plugin: string,
  revive: () => Promise<void> = () => Promise.resolve(),
  name = plugin,
): Promise<PlayedEngine> {
  const networks = new Map<string, HeldNetwork>();
  const endpoints = new Map<string, PlayedEndpoint>();
  let made = 0;
  const newId = (kind: string) => uuidFrom(`${name} ${kind} ${(made += 1)}`).replaceAll('-', '');
  const call = callerOf(plugin, revive);
  const server = await serveJson('loopback', ({ path }) => {
    const [, , id = ''] = path.split('/');
    const bodies = [...networks.values()].map((network) =>
      bodyOf(network, [...endpoints.values()]),
    );
    if (id === '') return Promise.resolve({ status: 200, body: bodies });
    const found = bodies.find(({ Id }) => Id === id);
    return Promise.resolve(
      found === undefined
        ? { status: 404, body: { message: `network ${id} not found` } }
        : { status: 200, body: found },
    );
  });
  const release = async ({ poolId, gatewayIp }: HeldNetwork): Promise<void> => {
    await call('IpamDriver.ReleaseAddress', { PoolID: poolId, Address: gatewayIp });
    await call('IpamDriver.ReleasePool', { PoolID: poolId });
  };
  const askPool = async (options: NetworkOptions): Promise<Played<HeldNetwork>> => {
    const { tenant, network, cidr, gateway = '' } = options;
    const pool = await call('IpamDriver.RequestPool', {
      AddressSpace: 'contrail',
      Pool: cidr,
      SubPool: '',
      Options: options.ipamOptions ?? { tenant, network },
      V6: false,
    });
    if (pool.kind === 'refused') return pool;
    const poolId = String(pool.value['PoolID']);
    const at = await call('IpamDriver.RequestAddress', {
      PoolID: poolId,
      Address: gateway,
      Options: { RequestAddressType: 'com.docker.network.gateway' },
    });
    if (at.kind === 'refused') {
      await call('IpamDriver.ReleasePool', { PoolID: poolId });
      return at;
    }
    const gatewayIp = bare(String(at.value['Address']));
    return { kind: 'done', value: { ...options, id: newId('network'), poolId, gatewayIp } };
  };
  const takeDown = async ({ id, networkId, ip }: PlayedEndpoint): Promise<void> => {
    const named = { NetworkID: networkId, EndpointID: id };
    for (const method of ['RevokeExternalConnectivity', 'Leave', 'DeleteEndpoint'])
      await call(`NetworkDriver.${method}`, named);
    const poolId = networks.get(networkId)?.poolId ?? '';
    await call('IpamDriver.ReleaseAddress', { PoolID: poolId, Address: ip });
    endpoints.delete(id);
  };
  const engine: PlayedEngine = {
    server,
    endpoints: () => [...endpoints.values()],
    createNetwork: async (options) => {
      const asked = await askPool(options);
      if (asked.kind === 'refused') return asked;
      const held = asked.value;
      const { tenant, network, cidr, addressSpace = 'contrail' } = options;
      const created = await call('NetworkDriver.CreateNetwork', {
        NetworkID: held.id,
        Options: { 'com.docker.network.generic': { tenant, network } },
        IPv4Data: [
          { AddressSpace: addressSpace, Gateway: withLength(held.gatewayIp, cidr), Pool: cidr },
        ],
        IPv6Data: [],
      });
      if (created.kind === 'refused') {
        await release(held);
        return created;
      }
      networks.set(held.id, held);
      return { kind: 'done', value: held.id };
    },
    removeNetwork: async (id) => {
      const held = networks.get(id);
      if (held === undefined) return;
      await release(held);
      networks.delete(id);
      await call('NetworkDriver.DeleteNetwork', { NetworkID: id });
    },
    run: async (networkId, ip = '', id = newId('endpoint')) => {
      const held = networks.get(networkId);
      if (held === undefined) throw new Error(`no network ${networkId}`);
      return await runOn(held, ip, id, call, (up) => void endpoints.set(up.id, up));
    },
    remove: takeDown,
    restart: async () => {
      await call('Plugin.Activate');
      for (const held of networks.values()) {
        await askPool(held);
        for (const { networkId, ip } of endpoints.values())
          if (networkId === held.id)
            await call('IpamDriver.RequestAddress', {
              PoolID: held.poolId,
              Address: ip,
              Options: null,
            });
      }
      // Containers of an engine that was killed have ended with it.
      for (const endpoint of [...endpoints.values()]) await takeDown(endpoint);
    },
  };
  return engine;
}

type Call = (method: string, body?: object) => Promise<Played<Readonly<Record<string, unknown>>>>;

/** Address, endpoint, join, and what is undone where one of them is refused. */
async function runOn(
  held: HeldNetwork,
  asked: string,
  id: string,
  call: Call,
  remember: (up: PlayedEndpoint) => void,
): Promise<Played<PlayedEndpoint>> {
  const address = await call('IpamDriver.RequestAddress', {
    PoolID: held.poolId,
    Address: asked,
    Options: null,
  });
  if (address.kind === 'refused') return address;
  const ip = bare(String(address.value['Address']));
  const named = { NetworkID: held.id, EndpointID: id };
  const giveBack = async () =>
    void (await call('IpamDriver.ReleaseAddress', { PoolID: held.poolId, Address: ip }));
  const created = await call('NetworkDriver.CreateEndpoint', {
    ...named,
    Interface: { Address: withLength(ip, held.cidr), AddressIPv6: '', MacAddress: '' },
    Options: {},
  });
  if (created.kind === 'refused') {
    await giveBack();
    return created;
  }
  const joined = await call('NetworkDriver.Join', {
    ...named,
    SandboxKey: `/var/run/docker/netns/${id.slice(0, 12)}`,
    Options: {},
  });
  if (joined.kind === 'refused') {
    await call('NetworkDriver.DeleteEndpoint', named);
    await giveBack();
    return joined;
  }
  for (const method of ['ProgramExternalConnectivity', 'EndpointOperInfo', 'EndpointOperInfo'])
    await call(`NetworkDriver.${method}`, named);
  const { MacAddress: mac } = created.value['Interface'] as { readonly MacAddress: string };
  const up = { id, networkId: held.id, ip, mac, gateway: String(joined.value['Gateway']) };
  remember(up);
  return { kind: 'done', value: up };
}

function callerOf(plugin: string, revive: () => Promise<void>): Call {
  const service = { name: 'the plugin', address: plugin };
  return async (method, body) => {
    const path = `/${method}`;
    const ask = async (again: object | undefined) => await askJson(service, 'POST', path, again);
    const answer = await ask(body).catch(async (error: Error) => {
      await revive();
      // Nobody was there: the request is still whole. Cut off: its body is consumed.
      const again = error.message.endsWith('nobody is there') ? body : undefined;
      return await ask(again).catch((second: Error) => second.message);
    });
    if (typeof answer === 'string') return { kind: 'refused', why: answer };
    const said = (answer.body ?? {}) as Readonly<Record<string, unknown>>;
    const why = said[method.startsWith('Ipam') ? 'Error' : 'Err'];
    return typeof why === 'string' && why !== ''
      ? { kind: 'refused', why }
      : { kind: 'done', value: said };
  };
}
