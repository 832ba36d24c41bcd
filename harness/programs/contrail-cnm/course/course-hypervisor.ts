/** One hypervisor of a course: the plugin, its engine, HNS and the agent, all in this process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Course, PlayedHypervisor } from '../../../control/contrail/course.js';
import { portOfEndpoint } from '../../../control/contrail/hns-names.js';
import { uplinkPort } from '../../../control/contrail/uplink-port.js';
import { overlayPorts } from '../../../control/contrail/overlay.js';
import { parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { readHeld } from '../agent/held-ports.js';
import { servePortApi, type PortApi } from '../agent/port-api.js';
import { engineAt } from '../engine/engine.js';
import { serveHns } from '../hns/hns-service.js';
import type { JsonServer } from '../http/json-server.js';
import type { HypervisorPlaces } from '../places.js';
import { servePlugin } from '../plugin/serve-plugin.js';
import { playEngine, type PlayedEngine } from '../testkit/played-engine.js';
import { courseCompartments, type CourseCompartments } from './compartments.js';
import type { Holds } from './holds.js';
import { mortal, type Mortal } from './mortal.js';

export interface CourseHypervisor {
  readonly name: string;
  readonly engine: PlayedEngine;
  readonly compartments: CourseCompartments;
  startPlugin(): Promise<void>;
  /** As by SIGKILL; the engine starts it again where `thenEngine` does. */
  killPlugin(thenEngine: 'starts it again' | 'gets no answer'): Promise<void>;
  loseAgentPorts(): Promise<void>;
  /** The HNS endpoint of Docker's; undefined where there is none. */
  endpointOf(dockerId: string): string | undefined;
  places(): Promise<HypervisorPlaces>;
  /** @param containerOf whose a Docker endpoint is. */
  played(containerOf: (dockerId: string) => string | undefined): PlayedHypervisor;
}

export interface CourseServices {
  readonly folder: string;
  /** What agents ask, and what plugins do. */
  readonly controller: { readonly ofAgents: string; readonly ofPlugins: string };
  readonly holds: Holds;
}

export async function courseHypervisor(
  { name, underlay }: Course['hypervisors'][number],
  { overlay }: Pick<Course, 'overlay'>,
  { folder, controller, holds }: CourseServices,
): Promise<CourseHypervisor> {
  let flows: readonly string[] = [];
  const at = (what: string) => join(folder, `${name}.${what}`);
  const startAgent = async (): Promise<PortApi> =>
    await servePortApi({
      hypervisor: name,
      ip: underlay.ip,
      controller: controller.ofAgents,
      listen: { socket: at('agent') },
      file: at('ports'),
      uplink: uplinkPort.ofport,
      overlay: overlayPorts[overlay],
      bridge: {
        replace: (wanted) => {
          flows = wanted;
          return Promise.resolve();
        },
        close: () => undefined,
      },
      done: (step) => holds.reached(step),
    });
  let agent = await startAgent();
  const compartments = courseCompartments(agent.address, holds);
  const hns = await serveHns({
    hypervisor: name,
    underlay,
    compartments,
    done: (step) => holds.reached(step),
  });
  let plugin: { readonly server: JsonServer; readonly life: Mortal } | undefined;
  let names = 0;
  let isStartedAgain = true;
  const startPlugin = async (): Promise<void> => {
    const lives: Mortal[] = [];
    const server = await servePlugin(
      {
        hypervisor: name,
        socket: at('plugin'),
        controller: controller.ofPlugins,
        agent: agent.address,
        hns: hns.address,
        engine: engine.server.address,
        journal: at('journal'),
        newName: () => `address-${(names += 1)}`,
        reached: (step) => holds.reached(step),
      },
      (context) => {
        const life = mortal(context);
        lives.push(life);
        return life.context;
      },
    );
    const [life] = lives;
    if (life !== undefined) plugin = { server, life };
  };
  const engine = await playEngine(
    at('plugin'),
    async () => {
      if (isStartedAgain) await startPlugin();
    },
    name,
  );
  await startPlugin();
  return {
    name,
    engine,
    compartments,
    startPlugin,
    killPlugin: async (thenEngine) => {
      isStartedAgain = thenEngine === 'starts it again';
      const ended = plugin;
      plugin = undefined;
      await ended?.life.kill();
      await ended?.server.close();
    },
    loseAgentPorts: async () => {
      await agent.close();
      const { adapters } = readHeld(at('ports'));
      writeFileSync(at('ports'), JSON.stringify({ ports: [], adapters }));
      agent = await startAgent();
    },
    endpointOf: (dockerId) => hns.host().endpoints.find(({ sandbox }) => sandbox === dockerId)?.name,
    places: async () => ({
      hypervisor: name,
      docker: await engineAt(engine.server.address).networks(),
      hns: hns.host(),
      agent: agent.ports(),
    }),
    played: (containerOf) => ({
      name,
      flows,
      adapters: hns.host().endpoints.flatMap((endpoint) => {
        const ofport = compartments.adapters().get(endpoint.name);
        const subnet = hns.host().subnets?.find(({ id }) => id === endpoint.network);
        const { gateway } = endpoint;
        if (ofport === undefined || subnet === undefined || gateway === undefined) return [];
        const container = containerOf(endpoint.sandbox);
        return [
          {
            port: portOfEndpoint(endpoint.name),
            ofport,
            ip: endpoint.ip,
            mac: endpoint.mac,
            prefixLength: parseCidr(subnet.subnet).prefixLength,
            gateway,
            ...(container === undefined ? {} : { container }),
          },
        ];
      }),
    }),
  };
}
