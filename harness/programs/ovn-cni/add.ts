/**
 * ADD: a logical port under the drop ACL, at an address that nobody else holds; then an interface
 * in the container; then a port on the bridge that is bound to the logical one. In this order: what
 * can receive is under the ACL already.
 */
import { hostInterfaceOf, logicalPortOf } from '../../control/ovn-cni/names.js';
import { bridgePorts, datapathOf, plug } from './bridge-port.js';
import type { Call } from './call.js';
import { CniError, codes } from './cni-error.js';
import {
  checkNamespace,
  configure,
  fillChecksums,
  makeVeth,
  moveInternal,
  removeLink,
  type ContainerInterface,
} from './container-interface.js';
import type { Database } from './databases.js';
import type { Request } from './environment.js';
import { confirmed, makePort, nextMark, type MadePort } from './logical-port.js';
import { readNodeNetwork, type NodeNetwork } from './node-network.js';
import type { Attached } from './results.js';
import { reached } from './step.js';

/**
 * An ADD that died is continued: the port that it has made keeps its address.
 * @throws CniError where the attachment is there already: CNI has no second ADD without DEL.
 */
export async function add(call: Call, request: Request): Promise<Attached> {
  const { config, node } = call;
  const { attachment, netns } = request;
  const [northbound, openvswitch] = await Promise.all([call.northbound(), call.openvswitch()]);
  const network = await readNodeNetwork(northbound, node, attachment, config.subnet);
  const hostInterface = hostInterfaceOf(attachment);
  await refuseSecond(openvswitch, hostInterface, request);
  // The bridge has no port of it: an ADD that died has left this.
  if (config.plug.kind === 'veth') await removeLink(hostInterface);
  if (config.plug.kind !== 'given') await checkNamespace(netns, attachment.ifname);

  const { port, mark } = await portOf(northbound, network, request, config.name);
  reached('port made');
  await confirmed(northbound, 'ovn-northd', mark);
  reached('northd follows');

  const { mtu } = config;
  const { gateway } = network;
  const address = `${port.ip}/${network.prefixLength}`;
  const wanted: ContainerInterface = {
    netns,
    ifname: attachment.ifname,
    hostInterface,
    address,
    gateway,
    mac: port.mac,
    mtu,
  };
  if (config.plug.kind === 'veth') {
    await makeVeth(wanted);
    await configure(wanted);
    if ((await datapathOf(openvswitch, config.bridge)) === 'netdev')
      await fillChecksums(netns, attachment.ifname);
  }
  reached('interface made');
  await plug(openvswitch, {
    bridge: config.bridge,
    name: hostInterface,
    attachment,
    network: config.name,

    mac: port.mac,
    mtu,
    plug: config.plug,
  });
  if (config.plug.kind === 'internal') {
    await moveInternal(wanted);
    await configure(wanted);
  }
  reached('plugged');
  return { ...wanted, ifname: attachment.ifname };
}

async function refuseSecond(
  openvswitch: Database,
  hostInterface: string,
  { attachment }: Request,
): Promise<void> {
  const [there] = await bridgePorts(openvswitch, hostInterface);
  if (there === undefined) return;
  throw new CniError(
    codes.alreadyAttached,
    `${attachment.ifname} of container ${attachment.containerId} is attached already`,
    there.iface === logicalPortOf(attachment)
      ? 'DEL comes before another ADD'
      : `port ${hostInterface} of the bridge belongs to ${there.iface ?? 'somebody else'}`,
  );
}

/** The port that an ADD has left which died, or a new one. */
async function portOf(
  northbound: Database,
  network: NodeNetwork,
  { attachment, pod }: Request,
  name: string,
): Promise<MadePort> {
  if (network.port === undefined)
    return await makePort(northbound, network.node, { attachment, network: name, pod });
  const results = await northbound.ovsdb.transact(nextMark);
  return { port: network.port, mark: Number(results.at(-1)?.[0]?.['nb_cfg']) };
}
