/** The backends that there are; a new one adds its line here, and no other room knows its name. */
import { unknownName } from '../base/errors/errors.js';
import type { Backend } from './backend.js';
import { containerlab } from './containerlab/containerlab-backend.js';
import { docker } from './docker/docker-backend.js';
import { netns, netnsUserspace } from './netns/netns-backend.js';
import { sim } from './sim/sim-backend.js';

export const backends: readonly [Backend, ...Backend[]] = [
  sim,
  netns,
  netnsUserspace,
  docker,
  containerlab,
];

/** The one that is used where none is named. */
export const [defaultBackend] = backends;

/** @throws InputError that names those that there are. */
export function backendNamed(name: string): Backend {
  const found = backends.find((backend) => backend.name === name);
  if (found === undefined)
    throw unknownName(
      'backend',
      name,
      backends.map((backend) => backend.name),
    );
  return found;
}
