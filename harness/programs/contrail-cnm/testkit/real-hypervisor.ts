/**
 * A hypervisor on this machine: network and mount namespaces of its own with its own /run, a real
 * Open vSwitch on its userspace datapath, a Docker engine, and the services and the plugin. All of
 * it ends with this process.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { overlayPorts, type OverlayPort } from '../../../control/contrail/overlay.js';
import type { Image } from '../../../ovs/process/image.js';
import { bridgeFlowsOf } from '../agent/bridge-flows.js';
import { servePortApi, type AgentStep, type PortApi } from '../agent/port-api.js';
import { engineAt } from '../engine/engine.js';
import { bridgePortsOf } from '../hns/bridge-ports.js';
import { serveHns, type HnsService, type HnsStep } from '../hns/hns-service.js';
import { vethCompartments, type Run } from '../hns/veth-compartments.js';
import type { HypervisorPlaces } from '../places.js';
import type { PluginStep } from '../plugin/context.js';
import { execute, makeNamespaces } from '../../../docker-engine/namespaces.js';
import { startEngine, type EngineFiles } from '../../../docker-engine/start-engine.js';
import { bridge, startSwitch } from './real-switch.js';
import { startPluginProcess, type PluginProcess } from './plugin-process.js';
import { connect, type Underlay } from './underlay.js';

export interface RealHypervisor {
  readonly name: string;
  readonly hns: HnsService;
  readonly agent: PortApi;
  /** `docker ARGS…`: what it prints. @throws Unavailable with what it says where it fails. */
  docker(...args: readonly string[]): Promise<string>;
  /** A program within the namespaces. */
  readonly run: Run;
  places(): Promise<HypervisorPlaces>;
  /** `ovs-ofctl COMMAND BRIDGE ARGS…`: what it prints. */
  ofctl(command: string, ...args: readonly string[]): Promise<string>;
  /** `ovs-vsctl ARGS…`: what it prints. */
  vsctl(...args: readonly string[]): Promise<string>;
  /** Kills it, and starts it again. @param dieAfter the step behind which the new one ends. */
  restartPlugin(dieAfter?: PluginStep): Promise<void>;
  killPlugin(): Promise<void>;
  /** Resolves when the plugin that runs now has ended. */
  pluginEnded(): Promise<void>;
  /** Ends the engine by that signal, and starts it again. */
  restartEngine(signal: 'TERM' | 'KILL'): Promise<void>;
  close(): Promise<void>;
}

export interface RealSpec {
  readonly name: string;
  /** From 1 on: its address in the overlay is 172.30.0.NUMBER. */
  readonly number: number;
  readonly folder: string;
  readonly underlay: Underlay;
  readonly image: Image;
  readonly engine: EngineFiles;
  readonly controller: string;
  /** VXLAN where it is missing. */
  readonly overlay?: OverlayPort;
  readonly hnsDone?: (step: HnsStep) => Promise<void>;
  readonly agentDone?: (step: AgentStep) => Promise<void>;
}

/** Tools that this machine may lack, and that need nothing but the kernel. */
const ofEngine = ['ip', 'ethtool', 'busybox'];

export async function startRealHypervisor(spec: RealSpec): Promise<RealHypervisor> {
  const { name, number, image, controller, overlay = overlayPorts.vxlan } = spec;
  const folder = join(spec.folder, name);
  for (const part of ['run/docker/plugins', 'ovs'])
    mkdirSync(join(folder, part), { recursive: true });
  const children: ChildProcess[] = [];
  const namespaces = await makeNamespaces(folder);
  const { pid, inside } = namespaces;
  const run: Run = (program, args) =>
    execute([
      ...inside,
      ...(ofEngine.includes(program) ? ['chroot', spec.engine.root] : []),
      ...[program, ...args],
    ]);
  const ip = `172.30.0.${number}`;
  await connect(spec.underlay, pid, number);
  await startSwitch(folder, inside, image, children, run, ip, overlay);
  const ovs = join(folder, 'ovs');
  const management = join(ovs, `${bridge}.mgmt`);
  const ports = bridgePortsOf(join(ovs, 'db.sock'), bridge, 'uplink');
  const agent = await servePortApi({
    hypervisor: name,
    ip,
    controller,
    uplink: await ports.adapter(),
    adapterNow: () => ports.adapter(),
    overlay,
    bridge: bridgeFlowsOf({ ofctl: image.command('ovs-ofctl'), management }),
    ...(spec.agentDone === undefined ? {} : { done: spec.agentDone }),
  });
  const hns = await serveHns({
    hypervisor: name,
    underlay: { ip, prefixLength: 16, mac: `02:00:00:00:00:0${number}` },
    compartments: vethCompartments({
      run,
      ports,
      agent: agent.address,
    }),
    ...(spec.hnsDone === undefined ? {} : { done: spec.hnsDone }),
  });
  const place = {
    hypervisor: name,
    controller,
    agent: agent.address,
    hns: hns.address,
    engine: join(folder, 'd.sock'),
    socket: join(folder, 'run/docker/plugins/contrail.sock'),
    journal: join(folder, 'journal'),
  };
  let plugin: PluginProcess = await startPluginProcess(place);
  const engine = await startEngine({ image: spec.engine, folder, namespaces });
  return {
    name,
    hns,
    agent,
    run,
    docker: engine.docker,
    places: async () => ({
      hypervisor: name,
      docker: await engineAt(engine.socket).networks(),
      hns: hns.host(),
      agent: agent.ports(),
    }),
    ofctl: (command, ...args) =>
      execute([
        ...image.command('ovs-ofctl'),
        ...['-OOpenFlow15', command, `unix:${management}`, ...args],
      ]),
    vsctl: (...args) =>
      execute([
        ...image.command('ovs-vsctl'),
        ...[`--db=unix:${join(ovs, 'db.sock')}`, '--timeout=30', ...args],
      ]),
    restartPlugin: async (dieAfter) => {
      await plugin.kill();
      plugin = await startPluginProcess(place, dieAfter);
    },
    killPlugin: () => plugin.kill(),
    pluginEnded: () => plugin.ended,
    restartEngine: engine.restart,
    close: async () => {
      await engine.close();
      await plugin.close();
      await hns.close();
      await agent.close();
      for (const child of children.toReversed()) child.kill('SIGKILL');
      namespaces.close();
    },
  };
}
