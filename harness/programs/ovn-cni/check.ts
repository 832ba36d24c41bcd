/**
 * CHECK: all that ADD has made and `prevResult` lists is as they say, in OVN, on the switch and in
 * the container (CNI specification, "CHECK"). It changes nothing.
 */
import {
  dropGroup,
  dropOutGroup,
  hostInterfaceOf,
  logicalPortOf,
} from '../../control/ovn-cni/names.js';
import { bridgePorts, bridgeOf } from './bridge-port.js';
import type { Call } from './call.js';
import { checkContainer, checkHostEnd } from './check-interface.js';
import { CniError, codes, notAsAdded } from './cni-error.js';
import { setIn, type Database } from './databases.js';
import type { Request } from './environment.js';
import { readNodeNetwork, type NodeNetwork, type PortRow } from './node-network.js';
import { listedIn, type Listed } from './previous-result.js';

/** @throws CniError that says what is not as ADD has made it. */
export async function check(call: Call, { attachment, netns }: Request): Promise<void> {
  const { config, node } = call;
  if (config.prevResult === undefined)
    throw new CniError(codes.invalidConfig, '"prevResult" is missing: CHECK needs what ADD said');
  const [northbound, openvswitch] = await Promise.all([call.northbound(), call.openvswitch()]);
  const network = await readNodeNetwork(northbound, node, attachment, config.subnet);
  const name = logicalPortOf(attachment);
  const hostInterface = hostInterfaceOf(attachment);
  const { port } = network;
  if (port === undefined) throw notAsAdded(`the northbound database has no port "${name}"`);
  const listed = listedIn(config.prevResult, attachment, netns, hostInterface);
  if (
    config.plug.kind !== 'given' &&
    listed.interfaces === 'listed' &&
    listed.container === undefined
  )
    throw notAsAdded(`prevResult lists no interface "${attachment.ifname}" in ${netns}`);
  checkAddress(port, network, listed, name);
  await checkLogicalPort(northbound, port, network, name);
  await checkSwitch(openvswitch, config.bridge, hostInterface, name);
  if (config.plug.kind !== 'given')
    await checkContainer({ netns, ifname: attachment.ifname }, port, network, listed, config.mtu);
  if (config.plug.kind === 'veth')
    await checkHostEnd(hostInterface, listed.host?.mtu ?? config.mtu);
}

function checkAddress(port: PortRow, network: NodeNetwork, listed: Listed, name: string): void {
  const { addresses, gateways, container } = listed;
  const address = `${port.ip}/${network.prefixLength}`;
  const said = addresses.join(', ') || 'no address';
  if (!addresses.includes(address))
    throw notAsAdded(`ADD said ${said}, and the port has ${address}`);
  if (network.held.get(port.ip) !== name)
    throw notAsAdded(`${port.ip} is held by another container`);
  const gateway = gateways.find((one) => one !== network.gateway);
  if (gateway !== undefined)
    throw notAsAdded(`ADD said gateway ${gateway}, and that of the node is ${network.gateway}`);
  if (container?.mac !== undefined && container.mac !== port.mac)
    throw notAsAdded(`ADD said MAC ${container.mac}, and the port has ${port.mac}`);
}

/** On the node's switch, with no other address, under the drop ACLs that there are. */
async function checkLogicalPort(
  { ovsdb }: Database,
  { uuid, ip, mac }: PortRow,
  network: NodeNetwork,
  name: string,
): Promise<void> {
  const [switches = [], ports = [], groups = []] = await ovsdb.transact([
    {
      op: 'select',
      table: 'Logical_Switch',
      where: [['name', '==', network.node]],
      columns: ['ports'],
    },
    {
      op: 'select',
      table: 'Logical_Switch_Port',
      where: [['name', '==', name]],
      columns: ['port_security', 'enabled'],
    },
    { op: 'select', table: 'Port_Group', where: [], columns: ['name', 'ports', 'acls'] },
  ]);
  const holds = (row: Parameters<typeof setIn>[0]) =>
    setIn(row, 'ports').some((value) => JSON.stringify(value) === JSON.stringify(['uuid', uuid]));
  if (!switches.some(holds)) throw notAsAdded(`port "${name}" is not on switch ${network.node}`);
  const security = setIn(ports[0], 'port_security').map(String);
  if (security.join() !== `${mac} ${ip}`)
    throw notAsAdded(
      `port "${name}" may send from ${security.join(', ') || 'anywhere'}, not from ${mac} ${ip}`,
    );
  if (ports[0]?.['enabled'] === false) throw notAsAdded(`port "${name}" is disabled`);
  for (const group of [dropGroup, dropOutGroup]) {
    const row = groups.find((one) => one['name'] === group);
    if (row === undefined ? group === dropGroup : !holds(row) || setIn(row, 'acls').length === 0)
      throw notAsAdded(`port "${name}" is not under the drop ACL of ${group}`);
  }
}

async function checkSwitch(
  openvswitch: Database,
  bridge: string,
  hostInterface: string,
  name: string,
): Promise<void> {
  const [plugged] = await bridgePorts(openvswitch, hostInterface);
  if (plugged === undefined) throw notAsAdded(`the bridge has no port ${hostInterface}`);
  const holder = await bridgeOf(openvswitch, hostInterface);
  if (holder !== bridge)
    throw notAsAdded(`port ${hostInterface} is on ${holder ?? 'no bridge'}, not on ${bridge}`);
  if (plugged.iface !== name)
    throw notAsAdded(
      `port ${hostInterface} is bound to ${plugged.iface ?? 'nothing'}, not to ${name}`,
    );
  if (plugged.error !== undefined) throw notAsAdded(`port ${hostInterface}: ${plugged.error}`);
  if ((plugged.ofport ?? -1) <= 0)
    throw notAsAdded(`port ${hostInterface} has no number: ovs-vswitchd has not taken it`);
}
