/** DEL: everything that ADD makes goes, in the opposite order, whatever of it is there. */
import { hostInterfaceOf, logicalPortOf, type Attachment } from '../../control/ovn-cni/names.js';
import type { Database } from './databases.js';
import { unplug } from './bridge-port.js';
import type { Call } from './call.js';
import { removeLink } from './container-interface.js';
import { removePort } from './logical-port.js';
import { portOf } from './node-network.js';
import { reached } from './step.js';

/** The address is given back last: nobody else gets it before the container has lost it. */
export async function del(call: Call, attachment: Attachment): Promise<void> {
  const [northbound, openvswitch] = await Promise.all([call.northbound(), call.openvswitch()]);
  await remove(call, northbound, openvswitch, attachment);
}

export async function remove(
  { config, node }: Pick<Call, 'config' | 'node'>,
  northbound: Database,
  openvswitch: Database,
  attachment: Attachment,
): Promise<void> {
  const hostInterface = hostInterfaceOf(attachment);
  await unplug(openvswitch, hostInterface);
  reached('unplugged');
  if (config.plug.kind === 'veth') await removeLink(hostInterface);
  reached('interface removed');
  const name = logicalPortOf(attachment);
  const [rows = []] = await northbound.ovsdb.transact([
    {
      op: 'select',
      table: 'Logical_Switch_Port',
      where: [['name', '==', name]],
      columns: ['_uuid', 'addresses', 'external_ids'],
    },
  ]);
  const port = portOf(rows[0]);
  if (port !== undefined) await removePort(northbound, node, port, name);
}
