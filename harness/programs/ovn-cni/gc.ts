/** GC: attachments of the network that the runtime does not name any more go. */
import { keys, logicalPortOf, owner, type Attachment } from '../../control/ovn-cni/names.js';
import { map } from '../../ovs/ovsdb/ovsdb-value.js';
import type { Call } from './call.js';
import { CniError, codes } from './cni-error.js';
import { bridgePorts } from './bridge-port.js';
import { setIn, type Database } from './databases.js';
import { remove } from './del.js';

/** Those of this node alone: the runtime knows of no other. */
export async function gc(call: Call): Promise<void> {
  const { config, node } = call;
  if (config.validAttachments === undefined)
    throw new CniError(
      codes.invalidConfig,
      '"cni.dev/valid-attachments" is missing: GC without it would remove everything',
    );
  const [northbound, openvswitch] = await Promise.all([call.northbound(), call.openvswitch()]);
  const valid = new Set(config.validAttachments.map(logicalPortOf));
  const plugged = (await bridgePorts(openvswitch)).flatMap(({ iface, network }) =>
    network === config.name && iface !== undefined ? [iface] : [],
  );
  const known = new Set([...plugged, ...(await portsOf(northbound, node, config.name))]);
  for (const name of known)
    if (!valid.has(name)) await remove(call, northbound, openvswitch, attachmentOf(name));
}

/** Names of the network's ports on the node's switch. */
async function portsOf(
  { ovsdb }: Database,
  node: string,
  network: string,
): Promise<readonly string[]> {
  const [switches = [], ports = []] = await ovsdb.transact([
    {
      op: 'select',
      table: 'Logical_Switch',
      where: [['name', '==', node]],
      columns: ['ports'],
    },
    {
      op: 'select',
      table: 'Logical_Switch_Port',
      where: [['external_ids', 'includes', map({ [keys.owner]: owner, [keys.network]: network })]],
      columns: ['_uuid', 'name'],
    },
  ]);
  const own = new Set(setIn(switches[0], 'ports').map((value) => JSON.stringify(value)));
  return ports
    .filter((row) => own.has(JSON.stringify(row['_uuid'])))
    .map(({ name }) => String(name));
}

function attachmentOf(name: string): Attachment {
  const [containerId = '', ifname = ''] = name.split('/');
  return { containerId, ifname };
}
