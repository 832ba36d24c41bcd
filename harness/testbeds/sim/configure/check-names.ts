/** Names that real switches cannot have, before any of them comes up. */
import { InputError } from '../../../base/errors/errors.js';
import type { NodePlan } from '../../../domain/plan/cluster-plan.js';
import { managementSocket } from '../../../ovs/workspace/socket-path.js';

/**
 * Daemons answer with lines of words, in which a name with a blank is none. The database takes
 * texts of Unicode (RFC 7047, 3.1), and no zero in them.
 */
const unprintable = /[\s\p{Cc}\p{Cs}]/u;

/** @throws InputError naming node, bridge and port of a name that a switch in `dir` cannot have. */
export function checkNames(
  { node, bridges }: Pick<NodePlan, 'node' | 'bridges'>,
  dir: string,
): void {
  for (const { name: bridge, ports } of bridges) {
    managementSocket(dir, bridge);
    checkName(`node ${JSON.stringify(node)}: bridge`, bridge);
    for (const { name } of ports)
      checkName(`node ${JSON.stringify(node)}: bridge ${bridge}: port`, name);
  }
}

function checkName(what: string, name: string): void {
  if (name === '') throw new InputError(`${what} without a name`);
  if (unprintable.test(name))
    throw new InputError(
      `${what} ${JSON.stringify(name)}: no real switch can have a name with blanks or control ` +
        'characters in it',
    );
}
