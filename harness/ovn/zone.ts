/** The daemons that a zone has once: its two databases and ovn-northd (ovn-architecture(7)). */
import { mkdir } from 'node:fs/promises';
import { within } from '../base/files/path-part.js';
import { awaitAll } from '../base/concurrency/await-all.js';
import { startDaemon, type Daemon } from '../ovs/process/daemon.js';
import type { Launch } from '../ovs/process/launch.js';
import type { Image } from '../ovs/process/image.js';
import { startDatabase, type Database } from './database.js';

export interface Zone {
  readonly name: string;
  readonly north: Database;
  readonly south: Database;
  readonly northd: Daemon;
  /** Resolves as `work` does, or fails at once when one of the daemons exits. */
  whileAlive<T>(work: Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Folders of a zone's daemons in that of all: no node's folder is called so. */
export function zoneFolder(dir: string, zone: string, of: '~nb' | '~sb' | '~northd'): string {
  return within(dir, zone, of);
}

/**
 * @param launch how its daemons are started, where it is not as usual.
 * @throws Unavailable; nothing is left running then.
 */
export async function startZone(
  image: Image,
  dir: string,
  name: string,
  launch?: Launch,
): Promise<Zone> {
  const started: { stop(): Promise<void> }[] = [];
  const remember = <T extends { stop(): Promise<void> }>(one: T): T => {
    started.push(one);
    return one;
  };
  try {
    const [north, south] = await awaitAll([
      startDatabase(
        image,
        `the northbound database of zone ${name}`,
        zoneFolder(dir, name, '~nb'),
        'OVN_Northbound',
        launch,
      ).then(remember),
      startDatabase(
        image,
        `the southbound database of zone ${name}`,
        zoneFolder(dir, name, '~sb'),
        'OVN_Southbound',
        launch,
      ).then(remember),
    ]);
    const folder = zoneFolder(dir, name, '~northd');
    await mkdir(folder);
    const northd = remember(
      await startDaemon({
        program: 'ovn-northd',
        owner: `zone ${name}`,
        dir: folder,
        command: [
          ...image.command('ovn-northd'),
          `--ovnnb-db=unix:${north.socket}`,
          `--ovnsb-db=unix:${south.socket}`,
        ],
        ...(launch === undefined ? {} : { launch }),
      }),
    );
    return {
      name,
      north,
      south,
      northd,
      whileAlive: (work) =>
        northd.whileAlive(north.server.whileAlive(south.server.whileAlive(work))),
      stop: async () => {
        northd.unixctl.close();
        await northd.stop();
        await Promise.all([north.stop(), south.stop()]);
      },
    };
  } catch (error) {
    await Promise.all(started.map((one) => one.stop()));
    throw error;
  }
}
