/** A controller, and on each hypervisor an agent, HNS, the plugin and a played engine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { overlayPorts } from '../../../control/contrail/overlay.js';
import { servePortApi, type AgentStep, type PortApi } from '../agent/port-api.js';
import { serveConfigApi, type ConfigApi } from '../controller/config-api.js';
import { databaseOf, type Tenants } from '../controller/read-tenants.js';
import { engineAt } from '../engine/engine.js';
import { modelCompartments } from '../hns/veth-compartments.js';
import { serveHns, type HnsService, type HnsStep } from '../hns/hns-service.js';
import type { Answer, JsonServer, Request } from '../http/json-server.js';
import { placeProblems, type IntendedEndpoint } from '../places.js';
import type { PluginStep } from '../plugin/context.js';
import { servePlugin } from '../plugin/serve-plugin.js';
import { playEngine, type PlayedEngine } from './played-engine.js';
import { serveTampered, type Tamper } from './tampering.js';

export interface Hypervisor {
  readonly name: string;
  readonly engine: PlayedEngine;
  readonly hns: HnsService;
  readonly agent: () => PortApi;
  /** Ends the agent, and starts another in its place. */
  restartAgent(): Promise<void>;
  /** The bridge's flows, as the agent has programmed them last. */
  flows(): readonly string[];
  readonly socket: string;
  readonly journal: string;
}

export interface Deployment {
  readonly controller: ConfigApi;
  readonly hypervisors: readonly Hypervisor[];
  /** What of the four places is other than the endpoints that the engines have. */
  problems(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** Two tenants with a network of the same name and the same subnet. */
export const usualTenants: Tenants = {
  blue: { front: ['10.1.1.0/24', '10.1.2.0/24'], back: ['10.1.3.0/24'] },
  red: { front: ['10.1.1.0/24'] },
};

export interface DeploymentOptions {
  /** What the plugins ask of the controller, HNS and the agent is changed on its way. */
  readonly tamper?: Readonly<Partial<Record<'controller' | 'hns' | 'agent', Tamper>>>;
  /** Asked before the controller answers. */
  readonly before?: (request: Request) => Promise<Answer | undefined>;
  readonly hnsDone?: (step: HnsStep) => Promise<void>;
  readonly agentDone?: (step: AgentStep) => Promise<void>;
  /** The plugin of a hypervisor; in this process where it is missing. */
  readonly startPlugin?: (spec: PluginPlace) => Promise<Pick<JsonServer, 'close'>>;
  readonly reached?: (step: PluginStep) => Promise<void>;
}

export type PluginPlace = Omit<Parameters<typeof servePlugin>[0], 'newName' | 'reached'>;

export async function deploy(
  hypervisors: number,
  options: DeploymentOptions = {},
): Promise<Deployment> {
  const folder = mkdtempSync(join(tmpdir(), 'cnm-'));
  const controller = await serveConfigApi(databaseOf(usualTenants), options.before, {
    socket: join(folder, 'controller'),
  });
  const all = await Promise.all(
    Array.from({ length: hypervisors }, (_, index) =>
      hypervisorOf(`h${index + 1}`, index + 1, controller.address, folder, options),
    ),
  );
  return {
    controller,
    hypervisors: all,
    problems: async () =>
      placeProblems(
        controller.database(),
        await Promise.all(
          all.map(async ({ name, engine, hns, agent }) => ({
            hypervisor: name,
            docker: await engineAt(engine.server.address).networks(),
            hns: hns.host(),
            agent: agent().ports(),
          })),
        ),
        all.flatMap(({ name, engine }) =>
          engine
            .endpoints()
            .map(({ id, ip }): IntendedEndpoint => ({ hypervisor: name, endpoint: id, ip })),
        ),
      ),
    close: async () => {
      for (const one of all) await one.close();
      await controller.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function hypervisorOf(
  name: string,
  number: number,
  controller: string,
  folder: string,
  { hnsDone, agentDone, startPlugin, reached, tamper = {} }: DeploymentOptions,
): Promise<Hypervisor & { close(): Promise<void> }> {
  let flows: readonly string[] = [];
  const ip = `172.30.0.${number}`;
  const agentSpec: Parameters<typeof servePortApi>[0] = {
    hypervisor: name,
    ip,
    controller,
    listen: { socket: join(folder, `${name}.agent`) },
    file: join(folder, `${name}.ports`),
    uplink: 1,
    overlay: overlayPorts.vxlan,
    bridge: {
      replace: (wanted) => {
        flows = wanted;
        return Promise.resolve();
      },
      close: () => undefined,
    },
    ...(agentDone === undefined ? {} : { done: agentDone }),
  };
  let agent = await servePortApi(agentSpec);
  const hns = await serveHns({
    hypervisor: name,
    underlay: { ip, prefixLength: 16, mac: `02:00:00:00:00:0${number}` },
    compartments: modelCompartments(agent.address),
    ...(hnsDone === undefined ? {} : { done: hnsDone }),
  });
  const socket = join(folder, `${name}.sock`);
  const journal = join(folder, `${name}.journal`);
  let plugin: Pick<JsonServer, 'close'> = { close: () => Promise.resolve() };
  const engine = await playEngine(socket, () => start());
  const services = { controller, hns: hns.address, agent: agent.address };
  const proxies: JsonServer[] = [];
  for (const each of ['controller', 'hns', 'agent'] as const) {
    const change = tamper[each];
    if (change === undefined) continue;
    const proxy = await serveTampered(services[each], change);
    proxies.push(proxy);
    services[each] = proxy.address;
  }
  const place: PluginPlace = {
    hypervisor: name,
    socket,
    ...services,
    engine: engine.server.address,
    journal,
  };
  let names = 0;
  const start = async (): Promise<void> => {
    plugin = await (startPlugin === undefined
      ? servePlugin({
          ...place,
          newName: () => `address-${(names += 1)}`,
          ...(reached === undefined ? {} : { reached }),
        })
      : startPlugin(place));
  };
  await start();
  return {
    name,
    engine,
    hns,
    agent: () => agent,
    restartAgent: async () => {
      await agent.close();
      flows = [];
      agent = await servePortApi(agentSpec);
    },
    flows: () => flows,
    socket,
    journal,
    close: async () => {
      for (const each of [plugin, engine.server, hns, agent, ...proxies]) await each.close();
    },
  };
}
