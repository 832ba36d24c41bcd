/** A controller, and hypervisors on this machine with real engines and switches. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveConfigApi, type ConfigApi } from '../controller/config-api.js';
import { databaseOf } from '../controller/read-tenants.js';
import { placeProblems } from '../places.js';
import { busyboxArchive } from './busybox-image.js';
import { usualTenants } from './deployment.js';
import { startRealHypervisor, type RealHypervisor, type RealSpec } from './real-hypervisor.js';
import { startUnderlay } from './underlay.js';

export interface RealWorld {
  readonly controller: ConfigApi;
  readonly hypervisors: readonly RealHypervisor[];
  /** What of the four places is other than the endpoints that the engines have. */
  readonly problems: () => Promise<readonly string[]>;
}

export interface RealWorldSpec extends Pick<RealSpec, 'engine' | 'image'> {
  readonly hypervisors: number;
  /** Asked before the controller answers. */
  readonly before?: Parameters<typeof serveConfigApi>[1];
  /** What is other than usual at the hypervisor of that name. */
  readonly at?: (name: string) => Partial<RealSpec>;
}

/** An image `busybox:1` is at each engine. */
export async function inRealWorld(
  spec: RealWorldSpec,
  work: (world: RealWorld) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cnm-'));
  const closing: (() => Promise<void>)[] = [];
  try {
    const controller = await serveConfigApi(databaseOf(usualTenants), spec.before, {
      socket: join(folder, 'controller'),
    });
    closing.push(() => controller.close());
    const underlay = await startUnderlay(folder);
    closing.push(() => Promise.resolve(underlay.close()));
    const archive = busyboxArchive(folder, join(spec.engine.root, 'usr/bin/busybox'));
    const hypervisors: RealHypervisor[] = [];
    for (let number = 1; number <= spec.hypervisors; number++) {
      const name = `h${number}`;
      const started = await startRealHypervisor({
        name,
        number,
        folder,
        underlay,
        image: spec.image,
        engine: spec.engine,
        controller: controller.address,
        ...spec.at?.(name),
      });
      closing.push(() => started.close());
      await started.docker('import', archive, 'busybox:1');
      hypervisors.push(started);
    }
    const problems = async () => {
      const places = await Promise.all(hypervisors.map((each) => each.places()));
      const intended = places.flatMap(({ hypervisor, docker }) =>
        docker.flatMap(({ endpoints }) =>
          endpoints.map(({ id, ip }) => ({ hypervisor, endpoint: id, ip })),
        ),
      );
      return placeProblems(controller.database(), places, intended);
    };
    await work({ controller, hypervisors, problems });
  } finally {
    for (const close of closing.toReversed()) await close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `docker` with these makes a network of Contrail's. */
export function creating(
  name: string,
  tenant: string,
  network: string,
  cidr: string,
): readonly string[] {
  return [
    ...['network', 'create', '--driver', 'contrail', '--ipam-driver', 'contrail'],
    ...['--opt', `tenant=${tenant}`, '--opt', `network=${network}`],
    ...['--ipam-opt', `tenant=${tenant}`, '--ipam-opt', `network=${network}`],
    ...['--subnet', cidr, name],
  ];
}

/** `docker` with these runs a container that does nothing where no command is given. */
export function running(
  network: string,
  name: string,
  ...command: readonly string[]
): readonly string[] {
  return [
    ...['run', '--detach', '--stop-signal', 'KILL', '--name', name, '--network', network],
    'busybox:1',
    ...(command.length === 0 ? ['/bin/sleep', '1000'] : command),
  ];
}
