import { join } from 'node:path';
import type { NamedPipe, NodePlan } from '../../nouns/plan.js';

export interface Transport extends NamedPipe {
  /** `unix:` and a path; missing where there is nobody to connect to. */
  readonly address?: string;
}

/** What stands behind a node's named pipes here: the Unix sockets of the daemons that run in `dir`. The CNI server is a function, and has none. */
export function transportsOf({ pipes = [], bridges }: Pick<NodePlan, 'pipes' | 'bridges'>, dir: string): readonly Transport[] {
  return pipes.map((pipe) => {
    const [bridge] = bridges;
    const socket = pipe.use === 'OVSDB' ? 'db.sock' : pipe.use === 'OpenFlow' && bridge !== undefined ? `${bridge.name}.mgmt` : undefined;
    return socket === undefined ? pipe : { ...pipe, address: `unix:${join(dir, socket)}` };
  });
}
