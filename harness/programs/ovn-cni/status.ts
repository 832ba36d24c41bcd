/** STATUS: whether an ADD could be serviced now. */
import type { Call } from './call.js';
import { CniError, codes } from './cni-error.js';
import { chooseAddress, readNodeNetwork } from './node-network.js';

/** @throws CniError with code 50 and why not. */
export async function status(call: Call): Promise<void> {
  try {
    const [northbound, openvswitch] = await Promise.all([call.northbound(), call.openvswitch()]);
    const network = await readNodeNetwork(northbound, call.node, undefined, call.config.subnet);
    if (chooseAddress(network).kind === 'none')
      throw new CniError(codes.tryAgainLater, `all addresses of ${network.subnet} are held`);
    const { bridge } = call.config;
    const [bridges = []] = await openvswitch.ovsdb.transact([
      { op: 'select', table: 'Bridge', where: [['name', '==', bridge]], columns: ['name'] },
    ]);
    if (bridges.length === 0)
      throw new CniError(codes.tryAgainLater, `Open vSwitch has no bridge "${bridge}"`);
  } catch (error) {
    if (!(error instanceof CniError) || error.code !== codes.tryAgainLater) throw error;
    throw new CniError(codes.notAvailable, error.message, error.details);
  }
}
