/**
 * `contrail-cnm plugin`: Contrail's network driver and IPAM driver for a Docker engine;
 * `contrail-cnm controller`, `agent` and `hns`: what it talks to, as small as they can be.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { Command, Option } from 'commander';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import { overlayPorts } from '../../control/contrail/overlay.js';
import { bridgeFlowsOf } from './agent/bridge-flows.js';
import { servePortApi } from './agent/port-api.js';
import { serveConfigApi } from './controller/config-api.js';
import { readTenants } from './controller/read-tenants.js';
import { bridgePortsOf } from './hns/bridge-ports.js';
import { serveHns } from './hns/hns-service.js';
import { modelCompartments, vethCompartments, type Run } from './hns/veth-compartments.js';
import { pluginSteps, type PluginStep } from './plugin/context.js';
import { servePlugin } from './plugin/serve-plugin.js';

const run: Run = async (program, args) => {
  try {
    return (await promisify(execFile)(program, [...args], { timeout: 20_000 })).stdout;
  } catch (error) {
    const { stderr, message } = error as { readonly stderr?: string; readonly message: string };
    throw new Unavailable(`${program} ${args.join(' ')}: ${stderr?.trim() || message}`);
  }
};

const program = new Command('contrail-cnm').description(
  'Contrail for a Docker engine: the plugin, and small services around it',
);

program
  .command('plugin')
  .description('serves the network driver and the IPAM driver "contrail" on a unix socket')
  .requiredOption('--hypervisor <name>', 'unique among those of the controller')
  .requiredOption('--controller <url>', "of Contrail's config API")
  .requiredOption('--agent <url>', "of the vRouter agent's port API")
  .requiredOption('--hns <url>', 'of the Host Networking Service')
  .option('--socket <path>', 'where Docker looks for it', '/run/docker/plugins/contrail.sock')
  .option('--engine <path>', "the socket of Docker's API", '/run/docker.sock')
  .option('--journal <file>', 'of calls in progress', '/var/lib/contrail-cnm.journal')
  .addOption(new Option('--die-after <step>', 'for tests: ends there').choices([...pluginSteps]))
  .action(async (options: PluginOptions) => {
    const { dieAfter, ...spec } = options;
    const { address } = await servePlugin({
      ...spec,
      newName: randomUUID,
      reached: (step) => {
        if (step === dieAfter) process.kill(process.pid, 'SIGKILL');
        // The signal comes a moment later; nothing more is done until then.
        return step === dieAfter ? new Promise(() => undefined) : Promise.resolve();
      },
    });
    ready(address);
  });

interface PluginOptions {
  readonly hypervisor: string;
  readonly controller: string;
  readonly agent: string;
  readonly hns: string;
  readonly socket: string;
  readonly engine: string;
  readonly journal: string;
  readonly dieAfter?: PluginStep;
}

program
  .command('controller')
  .description("serves Contrail's config API with the tenants of a YAML file")
  .argument('<tenants>', 'TENANT: { NETWORK: [CIDR…] } each')
  .action(async (file: string) => {
    ready((await serveConfigApi(readTenants(file))).address);
  });

program
  .command('agent')
  .description("serves the vRouter agent's port API, and programs the bridge")
  .requiredOption('--hypervisor <name>', 'unique among those of the controller')
  .requiredOption('--controller <url>', "of Contrail's config API")
  .requiredOption('--ip <address>', 'of the hypervisor, in the overlay')
  .option('--bridge <name>', 'of Open vSwitch', 'br-vrouter')
  .option('--adapter <name>', 'port of the physical adapter', 'uplink')
  .option('--database <socket>', 'of Open vSwitch', '/var/run/openvswitch/db.sock')
  .addOption(
    new Option('--overlay <type>', "the tunnel's port has number 2")
      .choices(Object.keys(overlayPorts))
      .default('vxlan'),
  )
  .option('--socket <path>', 'where it serves; a free port of the loopback by default')
  .option('--ports <file>', 'where its ports outlast it', '/var/lib/contrail-cnm.ports')
  .option('--ofctl <command>', 'how ovs-ofctl is called', 'ovs-ofctl')
  .option('--management <socket>', "the bridge's; that in /var/run/openvswitch by default")
  .action(async (options: AgentOptions) => {
    const [ofctl = '', ...first] = options.ofctl.split(' ');
    const ports = bridgePortsOf(options.database, options.bridge, options.adapter);
    const { address } = await servePortApi({
      hypervisor: options.hypervisor,
      ip: options.ip,
      controller: options.controller,
      uplink: await ports.adapter(),
      adapterNow: () => ports.adapter(),
      file: options.ports,
      ...(options.socket === undefined ? {} : { listen: { socket: options.socket } }),
      overlay: overlayPorts[options.overlay],
      bridge: bridgeFlowsOf({
        ofctl: [ofctl, ...first],
        management: options.management ?? `/var/run/openvswitch/${options.bridge}.mgmt`,
      }),
    });
    ready(address);
  });

interface AgentOptions {
  readonly hypervisor: string;
  readonly controller: string;
  readonly ip: string;
  readonly bridge: string;
  readonly adapter: string;
  readonly database: string;
  readonly overlay: keyof typeof overlayPorts;
  readonly ofctl: string;
  readonly management?: string;
  readonly socket?: string;
  readonly ports: string;
}

program
  .command('hns')
  .description('serves the Host Networking Service: endpoints are cables into the bridge')
  .requiredOption('--hypervisor <name>', 'unique among those of the controller')
  .requiredOption('--agent <url>', "of the vRouter agent's port API")
  .requiredOption('--ip <address/length>', 'of the hypervisor, on the physical adapter')
  .option('--mac <address>', 'of the physical adapter', '02:00:00:00:00:01')
  .option('--bridge <name>', 'of Open vSwitch', 'br-vrouter')
  .option('--database <socket>', 'of Open vSwitch', '/var/run/openvswitch/db.sock')
  .option('--adapter <name>', 'port of the physical adapter', 'uplink')
  .option('--no-cables', 'endpoints alone, without interfaces of this machine')
  .action(async (options: HnsOptions) => {
    const [ip = '', prefixLength = '32'] = options.ip.split('/');
    const { bridge, agent, database, adapter } = options;
    const compartments = options.cables
      ? vethCompartments({ run, agent, ports: bridgePortsOf(database, bridge, adapter) })
      : modelCompartments(agent);
    const { address } = await serveHns({
      hypervisor: options.hypervisor,
      underlay: { ip, prefixLength: Number(prefixLength), mac: options.mac },
      compartments,
    });
    ready(address);
  });

interface HnsOptions {
  readonly hypervisor: string;
  readonly agent: string;
  readonly ip: string;
  readonly mac: string;
  readonly bridge: string;
  readonly database: string;
  readonly adapter: string;
  readonly cables: boolean;
}

/** One line, once it serves. */
function ready(address: string): void {
  process.stdout.write(`serves ${address}\n`);
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof InputError || error instanceof Unavailable)) throw error;
  process.stderr.write(`contrail-cnm: ${error.message}\n`);
  process.exitCode = error instanceof InputError ? 2 : 3;
}
