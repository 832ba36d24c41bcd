/** The switches that a run is asked for: a backend and an image, and those compared with. */
import { openImage } from '../../../images/images.js';
import { InputError, Unavailable } from '../../base/errors/errors.js';
import type { Image } from '../../ovs/process/image.js';
import { versionOf } from '../../ovs/process/version.js';
import type { Backend } from '../../testbeds/backend.js';
import { backendNamed, defaultBackend } from '../../testbeds/registry.js';
import { olderVersion } from '../../run/adapt-plan.js';
import type { RunOptions } from './run-spec.js';

export interface SwitchSource {
  readonly backend: Backend;
  readonly image: Image;
}

export interface RunSwitches {
  readonly real: SwitchSource;
  /** The model unless given. */
  readonly reference?: SwitchSource;
}

/**
 * @param how as `openImage` takes it.
 * @throws InputError for an unknown backend or image, Unavailable for what is not to be had.
 */
export async function runSwitchesOf(
  { backend, image, compare }: Pick<RunOptions, 'backend' | 'image' | 'compare'>,
  say: (line: string) => void,
  how: 'quickly' | 'wholly' = 'wholly',
): Promise<RunSwitches> {
  const real = backend === undefined ? defaultBackend : backendNamed(backend);
  const reference = compare === undefined ? undefined : referenceNamed(compare);
  for (const one of [real, ...(reference === undefined ? [] : [backendNamed(reference.backend)])])
    await refuseMissing(one);
  return {
    real: { backend: real, image: await openImage(image, say, how) },
    ...(reference === undefined
      ? {}
      : {
          reference: {
            backend: backendNamed(reference.backend),
            image: await openImage(reference.image, say, how),
          },
        }),
  };
}

/** @throws Unavailable at once where the machine lacks what this testbed needs. */
async function refuseMissing(backend: Backend): Promise<void> {
  if (backend.name === defaultBackend.name) return;
  const missing = (await backend.doctor()).find(({ kind }) => kind === 'missing');
  if (missing !== undefined)
    throw new Unavailable(
      `--backend ${backend.name}: ${missing.text}`,
      missing.remedy === undefined ? [] : [missing.remedy],
    );
}

function referenceNamed(text: string): { readonly backend: string; readonly image: string } {
  const [, backend, image] = /^([^:]+):([^:]+)$/.exec(text) ?? [];
  if (backend === undefined || image === undefined)
    throw new InputError(
      `--compare: expected BACKEND:IMAGE, such as ${defaultBackend.name}:bookworm, got "${text}"`,
    );
  return { backend, image };
}

/** Of Open vSwitch: what the older of both sides cannot have, neither is given. */
export async function oldestVersion({ real, reference }: RunSwitches): Promise<string> {
  const version = await versionOf(real.image);
  if (reference === undefined) return version;
  return olderVersion(version, await versionOf(reference.image));
}
