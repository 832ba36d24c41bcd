/** The two daemons of one node: its ovsdb-server and its ovs-vswitchd. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../base/errors/errors.js';
import { remediesFor } from '../base/errors/machine-refusal.js';
import { startDaemon, type Daemon } from './process/daemon.js';
import type { Launch } from './process/launch.js';
import type { Image } from './process/image.js';
import { connectOvsdb, type Operation, type Ovsdb } from './ovsdb/ovsdb.js';
import { runProgram } from './process/run-program.js';
import { socketPath } from './workspace/socket-path.js';

export interface Vswitch {
  readonly dir: string;
  readonly launch: NodeLaunch;
  readonly server: Daemon;
  readonly vswitchd: Daemon;
  readonly ovsdb: Ovsdb;
  /** Resolves as `work` does, or fails at once when one of the daemons exits. */
  whileAlive<T>(work: Promise<T>): Promise<T>;
  /** @throws Unavailable when one of the daemons has exited. */
  checkAlive(): Promise<void>;
  /**
   * Kills ovs-vswitchd and starts it again on the same database; the old object is of no use any
   * more. `between` is executed on the database while no daemon reads it. @throws Unavailable when
   * it does not start; then the database is still served, and `stop` still to be called.
   */
  restart(between: readonly Operation[]): Promise<Vswitch>;
  stop(): Promise<void>;
}

/**
 * Makes an empty database of the image's vswitch schema at `file`, for any number of switches to
 * start from.
 */
export async function createDatabase(image: Image, file: string): Promise<void> {
  const { failure } = await runProgram(image, 'ovsdb-tool', [
    'create',
    file,
    image.schema('vswitch.ovsschema'),
  ]);
  if (failure !== undefined)
    throw new Unavailable(
      `ovsdb-tool of image ${image.name} cannot make a database`,
      remediesFor(failure),
      failure.split('\n'),
    );
}

/** How daemons of one node are started, where it is not as usual. */
export interface NodeLaunch {
  readonly vswitchd?: Launch;
  /** ovsdb-server, and ovn-controller. */
  readonly others?: Launch;
  /** What ends of wires are for the switch; dummies on sockets where it is missing. */
  readonly devices?: 'system';
}

/** How ovs-vswitchd is started: what its datapaths are made of, and where. */
export interface SwitchProcess {
  readonly options: readonly string[];
  /** As of `DaemonSpec`. */
  readonly launch?: NodeLaunch;
}

/**
 * Dummy devices for those of the system. `--enable-dummy=system` and not `=override`, which would
 * replace the tunnel types as well; the two `--disable-system` keep its hands off the machine's own
 * datapaths and routes.
 */
export const dummySwitch: SwitchProcess = {
  options: ['--enable-dummy=system', '--disable-system', '--disable-system-route'],
};

/**
 * Starts a switch without a bridge.
 * @param dir an own folder, made here.
 * @throws Unavailable with the last lines of the log of the daemon that failed; nothing is left
 *   running then.
 */
export async function startVswitch(
  image: Image,
  owner: string,
  dir: string,
  emptyDatabase: string,
  { options, launch = {} }: SwitchProcess = dummySwitch,
): Promise<Vswitch> {
  await mkdir(dir);
  await copyFile(emptyDatabase, databaseIn(dir));
  const begun = [{ op: 'insert', table: 'Open_vSwitch', row: {} }] as const;
  return await startBoth(image, owner, dir, begun, { options, launch });
}

/**
 * Starts a switch whose daemons have both ended, on the database that they have left in `dir`.
 * @param between as of `Vswitch.restart`. @throws Unavailable as `startVswitch` does.
 */
export async function startVswitchAgain(
  image: Image,
  owner: string,
  dir: string,
  between: readonly Operation[],
  process: SwitchProcess,
): Promise<Vswitch> {
  return await startBoth(image, owner, dir, between, process);
}

const databaseIn = (dir: string) => join(dir, 'conf.db');

/** @param between is executed before ovs-vswitchd starts. */
async function startBoth(
  image: Image,
  owner: string,
  dir: string,
  between: readonly Operation[],
  { options, launch = {} }: SwitchProcess,
): Promise<Vswitch> {
  const socket = socketPath(dir, 'db.sock');
  const server = await startDaemon({
    program: 'ovsdb-server',
    owner,
    dir,
    command: [...image.command('ovsdb-server'), `--remote=punix:${socket}`, databaseIn(dir)],
    ...(launch.others === undefined ? {} : { launch: launch.others }),
  });
  try {
    const ovsdb = await connectOvsdb(socket, 'Open_vSwitch', server);
    await ovsdb.transact(between);
    const start = () =>
      startDaemon({
        program: 'ovs-vswitchd',
        owner,
        dir,
        command: [...image.command('ovs-vswitchd'), ...options, `unix:${socket}`],
        ...(launch.vswitchd === undefined ? {} : { launch: launch.vswitchd }),
      });
    return running(dir, launch, server, ovsdb, await start(), start);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function running(
  dir: string,
  launch: NodeLaunch,
  server: Daemon,
  ovsdb: Ovsdb,
  vswitchd: Daemon,
  start: () => Promise<Daemon>,
): Vswitch {
  const stopSwitch = async () => {
    vswitchd.unixctl.close();
    await vswitchd.stop();
  };
  return {
    dir,
    launch,
    server,
    vswitchd,
    ovsdb,
    whileAlive: (work) => server.whileAlive(vswitchd.whileAlive(work)),
    checkAlive: async () => void (await Promise.all([server.checkAlive(), vswitchd.checkAlive()])),
    restart: async (between) => {
      await stopSwitch();
      await ovsdb.transact(between);
      return running(dir, launch, server, ovsdb, await start(), start);
    },
    stop: async () => {
      for (const connection of [ovsdb, server.unixctl]) connection.close();
      await Promise.all([stopSwitch(), server.stop()]);
    },
  };
}
