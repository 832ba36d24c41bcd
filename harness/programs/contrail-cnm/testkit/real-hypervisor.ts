/**
 * A hypervisor on this machine: network and mount namespaces of its own with its own /run, a real
 * Open vSwitch on its userspace datapath, a Docker engine, and the services and the plugin. All of
 * it ends with this process.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withDeadline } from '../../../base/concurrency/deadline.js';
import { vxlanPort } from '../../../control/contrail/overlay.js';
import type { Image } from '../../../ovs/process/image.js';
import { servePortApi, type AgentStep, type PortApi } from '../agent/port-api.js';
import { engineAt } from '../engine/engine.js';
import { serveHns, type HnsService } from '../hns/hns-service.js';
import { vethCompartments, type Run } from '../hns/veth-compartments.js';
import type { HypervisorPlaces } from '../places.js';
import type { PluginStep } from '../plugin/context.js';
import {
  connect,
  execute,
  limitMs,
  lineOf,
  makeNamespaces,
  start,
  type Underlay,
} from './namespaces.js';
import { bridge, startSwitch } from './real-switch.js';
import { startPluginProcess, type PluginProcess } from './plugin-process.js';

export interface RealHypervisor {
  readonly name: string;
  readonly hns: HnsService;
  readonly agent: PortApi;
  /** `docker ARGS…`: what it prints. @throws Unavailable with what it says where it fails. */
  docker(...args: readonly string[]): Promise<string>;
  /** A program within the namespaces. */
  readonly run: Run;
  places(): Promise<HypervisorPlaces>;
  /** The bridge's flows as the switch has them. */
  flows(): Promise<string>;
  /** Kills it, and starts it again. @param dieAfter the step behind which the new one ends. */
  restartPlugin(dieAfter?: PluginStep): Promise<void>;
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
  readonly controller: string;
  readonly agentDone?: (step: AgentStep) => Promise<void>;
}

export async function startRealHypervisor(spec: RealSpec): Promise<RealHypervisor> {
  const { name, number, image, controller } = spec;
  const folder = join(spec.folder, name);
  for (const part of ['run/docker/plugins', 'ovs', 'data', 'exec'])
    mkdirSync(join(folder, part), { recursive: true });
  const children: ChildProcess[] = [];
  const pid = await makeNamespaces(folder, children);
  const inside = ['nsenter', '-t', String(pid), '-n', '-m', '-p', '--'];
  const run: Run = (program, args) => execute([...inside, program, ...args]);
  const ip = `172.30.0.${number}`;
  await connect(spec.underlay, pid, number);
  await startSwitch(folder, inside, image, children, run, ip);
  const ovs = join(folder, 'ovs');
  const [ofctl, ...ofctlArgs] = image.command('ovs-ofctl');
  const management = `unix:${join(ovs, `${bridge}.mgmt`)}`;
  const agent = await servePortApi({
    hypervisor: name,
    ip,
    controller,
    uplink: 1,
    overlay: vxlanPort,
    program: async (flows) => {
      const command = [ofctl, ...ofctlArgs, '-OOpenFlow15', '--bundle', 'replace-flows'];
      await execute([...command, management, '-'], `${flows.join('\n')}\n`);
    },
    ...(spec.agentDone === undefined ? {} : { done: spec.agentDone }),
  });
  const [vsctl, ...vsctlArgs] = image.command('ovs-vsctl');
  const database = `--db=unix:${join(ovs, 'db.sock')}`;
  const hns = await serveHns({
    hypervisor: name,
    underlay: { ip, prefixLength: 16, mac: `02:00:00:00:00:0${number}` },
    compartments: vethCompartments({
      run,
      bridge,
      agent: agent.address,
      vsctl: [vsctl, ...vsctlArgs, database],
    }),
  });
  const engine = join(folder, 'd.sock');
  const place = {
    hypervisor: name,
    controller,
    agent: agent.address,
    hns: hns.address,
    engine,
    socket: join(folder, 'run/docker/plugins/contrail.sock'),
    journal: join(folder, 'journal'),
  };
  let plugin: PluginProcess = await startPluginProcess(place);
  let dockerd = await startEngine(folder, inside, engine);
  const endEngine = async (signal: 'TERM' | 'KILL'): Promise<void> => {
    const gone = new Promise<void>((resolve) => void dockerd.once('exit', () => resolve()));
    const id = readFileSync(join(folder, 'dockerd.pid'), 'utf8').trim();
    await run('kill', [`-${signal}`, id]);
    await withDeadline(gone, limitMs, 'dockerd to end');
  };
  return {
    name,
    hns,
    agent,
    run,
    docker: async (...args) =>
      (await execute(['/usr/bin/docker', '-H', `unix://${engine}`, ...args])).trim(),
    places: async () => ({
      hypervisor: name,
      docker: await engineAt(engine).networks(),
      hns: hns.host(),
      agent: agent.ports(),
    }),
    flows: () => execute([ofctl, ...ofctlArgs, '-OOpenFlow15', 'dump-flows', management]),
    restartPlugin: async (dieAfter) => {
      await plugin.kill();
      plugin = await startPluginProcess(place, dieAfter);
    },
    pluginEnded: () => plugin.ended,
    restartEngine: async (signal) => {
      await endEngine(signal);
      // What a killed one has left, and the next one would take for a live one.
      for (const left of ['dockerd.pid', 'exec/containerd/containerd.pid'])
        rmSync(join(folder, left), { force: true });
      dockerd = await startEngine(folder, inside, engine);
    },
    close: async () => {
      await endEngine('TERM');
      await plugin.close();
      await hns.close();
      await agent.close();
      for (const child of children.toReversed()) child.kill('SIGKILL');
    },
  };
}

/** Without a bridge and without rules of its own: containers have the plugin's networks alone. */
async function startEngine(
  folder: string,
  inside: readonly string[],
  socket: string,
): Promise<ChildProcess> {
  const dockerd = start(
    [
      ...[...inside, '/usr/sbin/dockerd', '--host', `unix://${socket}`],
      ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
      ...['--pidfile', join(folder, 'dockerd.pid')],
      ...['--bridge=none', '--iptables=false', '--ip-forward=false', '--ip-masq=false'],
    ],
    ['ignore', 'ignore', 'pipe'],
  );
  await lineOf(dockerd, /(API listen on)/, 'dockerd');
  return dockerd;
}
