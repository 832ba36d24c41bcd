/** The command line of `init`. */
import { parseArgs } from 'node:util';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { complaint, InputError, Unavailable } from '../../base/errors/errors.js';
import { parseCidr } from '../../base/addresses/mac-and-ipv4.js';
import { defaultRouter } from '../../control/ovn-cni/names.js';
import { machineId } from './call.js';
import { CniError } from './cni-error.js';
import { openDatabase } from './databases.js';
import { init } from './init.js';

const help = `ovn_cni init --subnet SUBNET [options]

Makes the node's logical switch, the router, and the link between them, in OVN's northbound
database. Repeated, it makes what is missing.

  --subnet SUBNET       the node's addresses, such as 192.168.0.0/24; the first is the router's
  --lrouter-name NAME   the router (default: ${defaultRouter})
  --northbound REMOTE   unix:PATH or tcp:HOST:PORT (default: unix:/run/ovn/ovnnb_db.sock)
  --node NAME           the switch (default: the machine id that kubelet has, or else
                        /etc/machine-id)
  --kubelet URL         kubelet's API, such as http://127.0.0.1:10255
  --help                prints this

Without arguments it is a CNI plugin: commands come by CNI_COMMAND, the network configuration on
stdin (https://www.cni.dev/docs/spec/).
`;

const limitMs = 60_000;

/** @returns the exit code: 2 where the request is wrong, 3 where something does not answer. */
export async function runInit(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(help);
    return 0;
  }
  try {
    await withDeadline(initAsAsked(args), limitMs, 'init to be done');
    return 0;
  } catch (error) {
    const unavailable = error instanceof CniError || error instanceof Unavailable;
    if (!unavailable && !(error instanceof Error)) throw error;
    process.stderr.write(`ovn_cni: ${error.message}\n`);
    return unavailable ? 3 : 2;
  }
}

async function initAsAsked(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      subnet: { type: 'string' },
      'lrouter-name': { type: 'string', default: defaultRouter },
      northbound: { type: 'string', default: 'unix:/run/ovn/ovnnb_db.sock' },
      node: { type: 'string' },
      kubelet: { type: 'string' },
    },
  });
  if (positionals.join(' ') !== 'init')
    throw new InputError(`unknown command "${positionals.join(' ')}": expected init, or --help`);
  const { subnet, northbound } = values;
  if (subnet === undefined) throw new InputError('--subnet is missing, such as 192.168.0.0/24');
  const wrong = complaint(() => parseCidr(subnet));
  if (wrong !== undefined || !subnet.includes('/'))
    throw new InputError(`--subnet: ${wrong ?? `expected a block of addresses, got "${subnet}"`}`);
  const node = values.node ?? (await machineIdBy(values.kubelet));
  const database = await openDatabase('OVN_Northbound', northbound);
  try {
    await init(database, { node, subnet, router: values['lrouter-name'] });
  } finally {
    database.close();
  }
}

/** As cAdvisor's part of kubelet's API has it, `/spec`. */
async function machineIdBy(kubelet: string | undefined): Promise<string> {
  if (kubelet === undefined) return await machineId();
  try {
    const response = await fetch(`${kubelet}/spec`);
    const spec = (await response.json()) as { readonly machine_id?: unknown };
    if (response.ok && typeof spec.machine_id === 'string' && spec.machine_id !== '')
      return spec.machine_id;
    throw new Unavailable(`kubelet at ${kubelet} has no machine_id (status ${response.status})`);
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    throw new Unavailable(`kubelet does not answer at ${kubelet}: ${String(error)}`);
  }
}
