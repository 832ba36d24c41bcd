/** One of OVN's databases, served by an ovsdb-server of its own. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../base/errors/errors.js';
import { remediesFor } from '../base/errors/machine-refusal.js';
import { connectOvsdb, type Ovsdb } from '../ovs/ovsdb/ovsdb.js';
import { startDaemon, type Daemon } from '../ovs/process/daemon.js';
import type { Launch } from '../ovs/process/launch.js';
import type { Image } from '../ovs/process/image.js';
import { runProgram } from '../ovs/process/run-program.js';
import { socketPath } from '../ovs/workspace/socket-path.js';

export type DatabaseName = 'OVN_Northbound' | 'OVN_Southbound';

export interface Database {
  readonly name: DatabaseName;
  readonly server: Daemon;
  /** Where it is served: the path of a unix socket. */
  readonly socket: string;
  readonly ovsdb: Ovsdb;
  stop(): Promise<void>;
}

const schemas: Readonly<Record<DatabaseName, string>> = {
  OVN_Northbound: 'ovn-nb.ovsschema',
  OVN_Southbound: 'ovn-sb.ovsschema',
};

/** The file of a database's schema (RFC 7047, 3.2). */
export function schemaOf(image: Image, name: DatabaseName): string {
  return image.schema(schemas[name]);
}

/**
 * Serves an empty database.
 * @param dir an own folder, made here.
 * @throws Unavailable with the last lines of the log; nothing is left running then.
 */
export async function startDatabase(
  image: Image,
  owner: string,
  dir: string,
  name: DatabaseName,
  launch?: Launch,
): Promise<Database> {
  const file = join(dir, 'database.db');
  const socket = socketPath(dir, 'db.sock');
  await mkdir(dir);
  const { failure } = await runProgram(image, 'ovsdb-tool', [
    'create',
    file,
    schemaOf(image, name),
  ]);
  if (failure !== undefined)
    throw new Unavailable(
      `ovsdb-tool of image ${image.name} cannot make the database ${name}`,
      remediesFor(failure),
      failure.split('\n'),
    );
  const server = await startDaemon({
    program: 'ovsdb-server',
    owner,
    dir,
    command: [...image.command('ovsdb-server'), `--remote=punix:${socket}`, file],
    ...(launch === undefined ? {} : { launch }),
  });
  try {
    const ovsdb = await connectOvsdb(socket, name, server);
    return {
      name,
      server,
      socket,
      ovsdb,
      stop: async () => {
        for (const connection of [ovsdb, server.unixctl]) connection.close();
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
