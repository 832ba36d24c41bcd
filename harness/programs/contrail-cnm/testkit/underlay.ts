/** The network between hypervisors on this machine. */
import { join } from 'node:path';
import { execute, makeNamespaces, type Namespaces } from '../../../docker-engine/namespaces.js';

/** The network between hypervisors: a bridge in namespaces of its own. */
export type Underlay = Namespaces;

export async function startUnderlay(folder: string): Promise<Underlay> {
  const underlay = await makeNamespaces(join(folder, 'underlay'));
  await execute([...underlay.inside, 'ip', 'link', 'add', 'underlay', 'up', 'type', 'bridge']);
  return underlay;
}

/** A cable between the hypervisor and the underlay, of which no end is in this namespace. */
export async function connect(underlay: Underlay, pid: number, number: number): Promise<void> {
  const port = `h${number}`;
  await execute([
    ...['ip', 'link', 'add', 'name', 'uplink', 'netns', String(pid), 'type', 'veth'],
    ...['peer', 'name', port, 'netns', String(underlay.pid)],
  ]);
  await execute([...underlay.inside, 'ip', 'link', 'set', port, 'master', 'underlay', 'up']);
}
