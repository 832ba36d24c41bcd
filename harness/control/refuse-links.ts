import { InputError } from '../base/errors/errors.js';
import type { Topology } from '../domain/topology.js';

/** @throws InputError where a node has a link, and the control plane's plans know of none. */
export function refuseLinks({ name, nodes }: Topology, controlPlane: string): void {
  const index = nodes.findIndex(({ link }) => link !== undefined);
  if (index >= 0)
    throw new InputError(
      `topology "${name}": nodes[${index}].link: links are Antrea's alone, and this is ` +
        `${controlPlane}: leave link away`,
    );
}
