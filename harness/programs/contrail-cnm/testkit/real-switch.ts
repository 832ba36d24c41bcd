/** A real Open vSwitch on its userspace datapath, within namespaces. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { giveUpMs } from '../../../base/concurrency/deadline.js';
import { until } from '../../../base/concurrency/until.js';
import { Unavailable } from '../../../base/errors/errors.js';
import type { OverlayPort } from '../../../control/contrail/overlay.js';
import type { Image } from '../../../ovs/process/image.js';
import type { Run } from '../hns/veth-compartments.js';
import { execute, start } from '../../../docker-engine/namespaces.js';

export const bridge = 'br-vrouter';

/** The database, the daemon, and a bridge whose LOCAL port has the hypervisor's address. */
export async function startSwitch(
  folder: string,
  inside: readonly string[],
  image: Image,
  children: ChildProcess[],
  run: Run,
  ip: string,
  port: OverlayPort,
): Promise<void> {
  const dir = join(folder, 'ovs');
  const socket = join(dir, 'db.sock');
  const database = join(dir, 'conf.db');
  const env = { OVS_RUNDIR: dir, OVS_LOGDIR: dir, OVS_DBDIR: dir };
  await execute([
    ...image.command('ovsdb-tool'),
    'create',
    database,
    image.schema('vswitch.ovsschema'),
  ]);
  const [server, vswitchd] = [image.command('ovsdb-server'), image.command('ovs-vswitchd')];
  const quiet = ['-vsyslog:off', '-vfile:off', '-vconsole:off'];
  children.push(
    start([...inside, ...server, ...quiet, `--remote=punix:${socket}`, database], [], env),
  );
  const vsctl = [...image.command('ovs-vsctl'), `--db=unix:${socket}`, '--timeout=30'];
  await until('ovsdb-server to listen', giveUpMs, async () =>
    (await accepts(socket)) ? [] : [`nobody accepts at ${socket}`],
  );
  await execute([...vsctl, '--no-wait', 'init']);
  children.push(start([...inside, ...vswitchd, ...quiet, `unix:${socket}`], [], env));
  await execute([
    ...vsctl,
    ...['add-br', bridge, '--', 'set', 'bridge', bridge, 'datapath_type=netdev'],
    ...['fail-mode=secure', `other-config:hwaddr=02:00:00:00:00:0${ip.slice(-1)}`],
    ...['--', 'add-port', bridge, port.name, '--', 'set', 'interface', port.name],
    ...[`type=${port.tunnel}`, `options:local_ip=${ip}`],
    ...Object.entries(port.options).map(([name, value]) => `options:${name}=${String(value)}`),
    `ofport_request=${port.ofport}`,
    ...['--', 'add-port', bridge, 'uplink', '--', 'set', 'interface', 'uplink', 'ofport_request=1'],
  ]);
  for (const device of ['uplink', bridge]) await run('ethtool', ['-K', device, 'tx', 'off']);
  await run('ip', ['link', 'set', 'uplink', 'up']);
  await run('ip', ['address', 'add', `${ip}/16`, 'dev', bridge]);
  await run('ip', ['link', 'set', bridge, 'up']);
  // The switch asks for a tunnel's neighbour by dropping the first packet to it.
  const appctl = [...image.command('ovs-appctl'), '--target', await controlOf(dir)];
  for (const number of [1, 2, 3])
    await execute([
      ...[...inside, ...appctl, 'tnl/neigh/set', bridge],
      ...[`172.30.0.${number}`, `02:00:00:00:00:0${number}`],
    ]);
}

/** The socket of ovs-vswitchd, which has its process id in its name. */
async function controlOf(dir: string): Promise<string> {
  const found = (await readdir(dir)).find((name) => /^ovs-vswitchd\.\d+\.ctl$/.test(name));
  if (found === undefined) throw new Unavailable(`ovs-vswitchd has no control socket in ${dir}`);
  return join(dir, found);
}

/** Whether somebody listens there. */
async function accepts(socket: string): Promise<boolean> {
  const connection = connect(socket);
  return await once(connection, 'connect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => connection.destroy());
}
