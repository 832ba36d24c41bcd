/** One hypervisor of a course: the plugin, its engine, HNS and the agent, all in this process. */
import { writeFileSync } from 'node:fs';
import type { WindowsHost } from '../../../control/windows/host.js';
import type { Course, PlayedAdapter, PlayedHypervisor } from '../../../control/contrail/course.js';
import { portOfEndpoint } from '../../../control/contrail/hns-names.js';
import { uplinkPort } from '../../../control/contrail/uplink-port.js';
import { overlayPorts } from '../../../control/contrail/overlay.js';
import { parseCidr } from '../../../base/addresses/mac-and-ipv4.js';
import { within } from '../../../base/files/path-part.js';
import { readHeld } from '../agent/held-ports.js';
import { servePortApi, type PortApi } from '../agent/port-api.js';
import { engineAt } from '../engine/engine.js';
import { serveHns } from '../hns/hns-service.js';
import type { HypervisorPlaces } from '../places.js';
import { playEngine, type PlayedEngine } from '../testkit/played-engine.js';
import { courseCompartments, type CourseCompartments } from './compartments.js';
import type { Holds } from './holds.js';
import { pluginLife, type PluginLife } from './plugin-life.js';

export interface CourseHypervisor {
  readonly name: string;
  readonly engine: PlayedEngine;
  readonly compartments: CourseCompartments;
  readonly plugin: PluginLife;
  loseAgentPorts(): Promise<void>;
  /** The HNS endpoint of Docker's; undefined where there is none. */
  endpointOf(dockerId: string): string | undefined;
  places(): Promise<HypervisorPlaces>;
  /** @param nameOf the container whose a Docker endpoint is. */
  played(nameOf: (dockerId: string) => string | undefined): PlayedHypervisor;
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
  const at = (what: string) => within(folder, name, `.${what}`);
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
  let names = 0;
  const engine = await playEngine(at('plugin'), async () => await plugin.revive(), name);
  const plugin: PluginLife = pluginLife({
    hypervisor: name,
    socket: at('plugin'),
    controller: controller.ofPlugins,
    agent: agent.address,
    hns: hns.address,
    engine: engine.server.address,
    journal: at('journal'),
    newName: () => `address-${(names += 1)}`,
    reached: (step) => holds.reached(step),
  });
  await plugin.start();
  return {
    name,
    engine,
    compartments,
    plugin,
    loseAgentPorts: async () => {
      await agent.close();
      const { adapters } = readHeld(at('ports'));
      writeFileSync(at('ports'), JSON.stringify({ ports: [], adapters }));
      agent = await startAgent();
    },
    endpointOf: (dockerId) =>
      hns.host().endpoints.find(({ sandbox }) => sandbox === dockerId)?.name,
    places: async () => ({
      hypervisor: name,
      docker: await engineAt(engine.server.address).networks(),
      hns: hns.host(),
      agent: agent.ports(),
    }),
    played: (nameOf) => ({ name, flows, adapters: adaptersOf(hns.host(), compartments, nameOf) }),
  };
}

function adaptersOf(
  { endpoints, subnets = [] }: WindowsHost,
  compartments: CourseCompartments,
  nameOf: (dockerId: string) => string | undefined,
): readonly PlayedAdapter[] {
  return endpoints.flatMap((endpoint) => {
    const ofport = compartments.adapters().get(endpoint.name);
    const subnet = subnets.find(({ id }) => id === endpoint.network);
    const { ip, mac, gateway } = endpoint;
    if (ofport === undefined || subnet === undefined || gateway === undefined) return [];
    const container = nameOf(endpoint.sandbox);
    return [
      {
        port: portOfEndpoint(endpoint.name),
        ofport,
        ip,
        mac,
        prefixLength: parseCidr(subnet.subnet).prefixLength,
        gateway,
        ...(container === undefined ? {} : { container }),
      },
    ];
  });
}
