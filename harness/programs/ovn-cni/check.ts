/** CHECK: the attachment is as ADD has made it. It changes nothing. */
import { dropGroup, hostInterfaceOf, logicalPortOf } from '../../control/ovn-cni/names.js';
import { bridgePorts } from './bridge-port.js';
import type { Call } from './call.js';
import { CniError, codes } from './cni-error.js';
import { seenInterface } from './container-interface.js';
import { setIn, type Database } from './databases.js';
import type { Request } from './environment.js';
import { isObject } from './network-config.js';
import { readNodeNetwork, type NodeNetwork, type PortRow } from './node-network.js';

/** @throws CniError that says what is not as ADD has made it. */
export async function check(call: Call, { attachment, netns }: Request): Promise<void> {
  const { config, node } = call;
  if (config.prevResult === undefined)
    throw new CniError(codes.invalidConfig, '"prevResult" is missing: CHECK needs what ADD said');
  const [northbound, openvswitch] = await Promise.all([call.northbound(), call.openvswitch()]);
  const network = await readNodeNetwork(northbound, node, attachment, config.subnet);
  const { port } = network;
  const name = logicalPortOf(attachment);
  if (port === undefined) throw wrong(`the northbound database has no port "${name}"`);
  const given = addressesIn(config.prevResult);
  const address = `${port.ip}/${network.prefixLength}`;
  if (!given.includes(address))
    throw wrong(`ADD said ${given.join(', ') || 'no address'}, and the port has ${address}`);
  if (network.held.get(port.ip) !== name) throw wrong(`${port.ip} is held by another container`);
  await checkGroup(northbound, port, name);
  const hostInterface = hostInterfaceOf(attachment);
  const [plugged] = await bridgePorts(openvswitch, hostInterface);
  if (plugged === undefined) throw wrong(`the bridge has no port ${hostInterface}`);
  if (plugged.iface !== name)
    throw wrong(`port ${hostInterface} is bound to ${plugged.iface ?? 'nothing'}, not to ${name}`);
  if (plugged.error !== undefined) throw wrong(`port ${hostInterface}: ${plugged.error}`);
  if (config.plug.kind !== 'given') await checkContainer(netns, attachment.ifname, port, network);
}

async function checkGroup({ ovsdb }: Database, port: PortRow, name: string): Promise<void> {
  const [rows = []] = await ovsdb.transact([
    { op: 'select', table: 'Port_Group', where: [['name', '==', dropGroup]], columns: ['ports'] },
  ]);
  const ports = setIn(rows[0], 'ports').map((value) => JSON.stringify(value));
  if (!ports.includes(JSON.stringify(['uuid', port.uuid])))
    throw wrong(`port "${name}" is not under the drop ACL`);
}

async function checkContainer(
  netns: string,
  ifname: string,
  { ip, mac }: PortRow,
  { prefixLength }: NodeNetwork,
): Promise<void> {
  const seen = await seenInterface(netns, ifname);
  if (seen === undefined) throw wrong(`${netns} has no interface "${ifname}"`);
  if (seen.address !== mac) throw wrong(`${ifname} has the MAC ${seen.address}, not ${mac}`);
  if (!seen.addr_info.some(({ local, prefixlen }) => local === ip && prefixlen === prefixLength))
    throw wrong(`${ifname} has not the address ${ip}/${prefixLength}`);
}

/** Of both spellings: `ips`, and before 0.3.0 `ip4`. */
function addressesIn(result: Readonly<Record<string, unknown>>): readonly string[] {
  const { ips, ip4 } = result;
  const all: readonly unknown[] = Array.isArray(ips) ? ips : [];
  return [
    ...all.flatMap((one) =>
      isObject(one) && typeof one['address'] === 'string' ? [one['address']] : [],
    ),
    ...(isObject(ip4) && typeof ip4['ip'] === 'string' ? [ip4['ip']] : []),
  ];
}

function wrong(message: string): CniError {
  return new CniError(codes.notAsAdded, message);
}
