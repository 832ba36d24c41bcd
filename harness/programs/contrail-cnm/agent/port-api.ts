/**
 * The vRouter agent of one hypervisor over HTTP: its port API (Contrail, "Port IPC": POST /port,
 * DELETE /port/UUID), the routes that the controller sends, and the adapters that the Forwarding
 * Extension has seen. Whatever of them comes first, the flows follow from all of them together.
 */
import { z } from 'zod';
import {
  extensionFlows,
  type ExtensionView,
  type SeenAdapter,
} from '../../../control/contrail/forwarding-extension.js';
import { announcedRoute, type AnnouncedRoute } from '../controller/config-api.js';
import { askJson } from '../http/json-client.js';
import {
  serveJson,
  type Answer,
  type JsonServer,
  type Listen,
  type Request,
} from '../http/json-server.js';
import type { BridgeFlows } from './bridge-flows.js';
import { refusalOf } from './physical-adapter.js';
import { addedPort, readHeld, seenAdapter, writeHeld, type AddedPort } from './held-ports.js';

export interface AgentSpec {
  readonly hypervisor: string;
  /** Its address in the overlay. */
  readonly ip: string;
  readonly controller: string;
  /** Any free port of the loopback where it is missing. */
  readonly listen?: Listen;
  /** Where its ports outlast it; it has none after a restart where it is missing. */
  readonly file?: string;
  readonly uplink: ExtensionView['uplink'];
  /** The physical adapter's number by now; nobody looks where it is missing. */
  readonly adapterNow?: () => Promise<number>;
  readonly overlay: ExtensionView['overlay'];
  readonly bridge: BridgeFlows;
  /** Something was done: for who wants to know, and may hold it back. */
  readonly done?: (what: AgentStep) => Promise<void>;
}

export type AgentStep = 'port asked' | 'controller knows' | 'flows are there';

export interface PortApi extends JsonServer {
  ports(): readonly AddedPort[];
  adapters(): readonly SeenAdapter[];
}

export async function servePortApi(spec: AgentSpec): Promise<PortApi> {
  const agent = agentOf(spec);
  const server = await serveJson(spec.listen ?? 'loopback', agent.answer);
  const controller = { name: 'the Contrail controller', address: spec.controller };
  await agent.start();
  await askJson(controller, 'POST', '/control/agents', { address: server.address });
  return {
    ...server,
    close: async () => {
      await server.close();
      spec.bridge.close();
    },
    ports: agent.ports,
    adapters: agent.adapters,
  };
}

function agentOf(spec: AgentSpec): Pick<PortApi, 'ports' | 'adapters'> & {
  readonly answer: (request: Request) => Promise<Answer>;
  /** With what the one before it has held: its flows stay as they are. */
  readonly start: () => Promise<void>;
} {
  const before = readHeld(spec.file);
  const ports = new Map(before.ports.map((port) => [port.id, port]));
  const adapters = new Map(before.adapters.map((one) => [one.friendlyName, one]));
  const hold = () =>
    writeHeld(spec.file, { ports: [...ports.values()], adapters: [...adapters.values()] });
  /** Ports that are deleted, of whose going the controller does not know yet. */
  const leaving = new Set<string>();
  let routes: readonly AnnouncedRoute[] = [];
  let networks: ExtensionView['networks'] = [];
  const controller = { name: 'the Contrail controller', address: spec.controller };
  const program = inTurn(() => extensionFlows(view(spec, ports, adapters, routes, networks)), spec);
  const add = async (port: AddedPort): Promise<Answer> => {
    ports.set(port.id, port);
    hold();
    await spec.done?.('port asked');
    const all = await networksOf(controller);
    networks = all;
    const label = all.find(({ uuid }) => uuid === port['vn-id'])?.label;
    if (label === undefined) {
      ports.delete(port.id);
      hold();
      return { status: 404, body: `no virtual-network ${port['vn-id']}` };
    }
    const route = routeTo(port, label, spec);
    await askJson(controller, 'PUT', `/control/routes/${port.id}`, route);
    await spec.done?.('controller knows');
    await program();
    await spec.done?.('flows are there');
    return { status: 200, body: {} };
  };
  const answer = async ({ method, path, body }: Request): Promise<Answer> => {
    const [, what = '', id = ''] = path.split('/').map(decodeURIComponent);
    const asked = `${method} /${what}`;
    const refusal = await refusalOf(asked, body, spec);
    if (refusal !== undefined) return refusal;
    if (asked === 'POST /port') return await add(addedPort.parse(body));
    if (asked === 'GET /port' && id === '') return { status: 200, body: [...ports.values()] };
    if (asked === 'DELETE /port') {
      if (!ports.delete(id) && !leaving.has(id)) return { status: 404, body: `no port ${id}` };
      hold();
      leaving.add(id);
      await program();
      await askJson(controller, 'DELETE', `/control/routes/${id}`);
      leaving.delete(id);
      return { status: 200, body: {} };
    }
    if (asked === 'PUT /routes') routes = z.array(announcedRoute).parse(body);
    else if (asked === 'PUT /adapter') adapters.set(id, seenAdapter.parse(body));
    else if (asked === 'DELETE /adapter') adapters.delete(id);
    else return { status: 404, body: `no ${path}` };
    hold();
    const programmed = program();
    // Without flows an adapter's packets are dropped; what fails is done again with its port.
    if (asked === 'PUT /adapter') programmed.catch(() => undefined);
    else await programmed;
    return { status: 200, body: {} };
  };
  const start = async (): Promise<void> => {
    if (ports.size === 0) return;
    networks = await networksOf(controller);
    routes = z
      .array(announcedRoute)
      .parse((await askJson(controller, 'GET', '/control/routes')).body);
    await program();
  };
  return {
    answer,
    start,
    ports: () => [...ports.values()],
    adapters: () => [...adapters.values()],
  };
}

/** A later set of flows is never replaced by an earlier one. */
function inTurn(
  flowsNow: () => readonly string[],
  { bridge }: Pick<AgentSpec, 'bridge'>,
): () => Promise<void> {
  let programming = Promise.resolve();
  let programmed = '';
  return async () => {
    programming = programming
      .catch(() => undefined)
      .then(async () => {
        const flows = flowsNow();
        const text = flows.join('\n');
        if (text === programmed) return;
        programmed = '';
        await bridge.replace(flows);
        programmed = text;
      });
    await programming;
  };
}

function routeTo(port: AddedPort, label: number, { hypervisor, ip }: AgentSpec): AnnouncedRoute {
  return {
    interface: port.id,
    label,
    network: port['vn-id'],
    ip: port['ip-address'],
    mac: port['mac-address'],
    hypervisor,
    via: ip,
  };
}

function view(
  { hypervisor, uplink, overlay }: AgentSpec,
  ports: ReadonlyMap<string, AddedPort>,
  adapters: ReadonlyMap<string, SeenAdapter>,
  routes: readonly AnnouncedRoute[],
  networks: ExtensionView['networks'],
): ExtensionView {
  const own = routes.filter((route) => route.hypervisor === hypervisor);
  const added = [...ports.values()].flatMap((port) => {
    const label = own.find((route) => route.interface === port.id)?.label;
    return label === undefined
      ? []
      : [
          {
            friendlyName: port['system-name'],
            label,
            ip: port['ip-address'],
            mac: port['mac-address'],
          },
        ];
  });
  const labels = new Set(added.map(({ label }) => label));
  return {
    adapters: [...adapters.values()],
    ports: added,
    routes: routes.filter((route) => route.hypervisor !== hypervisor && labels.has(route.label)),
    networks: networks.filter(({ label }) => labels.has(label)),
    uplink,
    overlay,
  };
}

const virtualNetworks = z.object({
  'virtual-networks': z.array(
    z.object({
      'virtual-network': z.object({
        uuid: z.string(),
        virtual_network_network_id: z.number(),
        network_ipam_refs: z.array(
          z.object({
            attr: z.object({
              ipam_subnets: z.array(
                z.object({
                  subnet: z.object({ ip_prefix: z.string(), ip_prefix_len: z.number() }),
                  default_gateway: z.string(),
                }),
              ),
            }),
          }),
        ),
      }),
    }),
  ),
});

/** The networks that the controller has, with the label of each. */
async function networksOf(controller: {
  readonly name: string;
  readonly address: string;
}): Promise<readonly (ExtensionView['networks'][number] & { readonly uuid: string })[]> {
  const { body } = await askJson(controller, 'GET', '/virtual-networks?detail=true');
  return virtualNetworks.parse(body)['virtual-networks'].map(({ 'virtual-network': network }) => ({
    uuid: network.uuid,
    label: network.virtual_network_network_id,
    subnets: network.network_ipam_refs.flatMap(({ attr }) =>
      attr.ipam_subnets.map(({ subnet, default_gateway: gateway }) => ({
        cidr: `${subnet.ip_prefix}/${subnet.ip_prefix_len}`,
        gateway,
      })),
    ),
  }));
}
