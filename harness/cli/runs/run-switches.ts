/** The switches that a run is asked for: a backend and an image, and those compared with. */
import { openImage } from '../../../images/images.js';
import { InputError } from '../../base/errors/errors.js';
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

/** @throws InputError for an unknown backend or image, Unavailable for an image not to be had. */
export async function runSwitchesOf(
  { backend, image, compare }: Pick<RunOptions, 'backend' | 'image' | 'compare'>,
  say: (line: string) => void,
): Promise<RunSwitches> {
  const real = backend === undefined ? defaultBackend : backendNamed(backend);
  const reference = compare === undefined ? undefined : referenceNamed(compare);
  return {
    real: { backend: real, image: await openImage(image, say) },
    ...(reference === undefined
      ? {}
      : {
          reference: {
            backend: backendNamed(reference.backend),
            image: await openImage(reference.image, say),
          },
        }),
  };
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
