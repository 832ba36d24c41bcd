import type { NamedPipe, NodePlan } from '../../../domain/plan/cluster-plan.js';
import { managementSocket, socketPath } from '../../../ovs/workspace/socket-path.js';

export interface Transport extends NamedPipe {
  /** `unix:` and a path; missing where there is nobody to connect to. */
  readonly address?: string;
}

/**
 * What stands behind a node's named pipes here: the Unix sockets of the daemons that run in `dir`.
 * The CNI server is a function, and has none.
 */
export function transportsOf(
  { pipes = [], bridges }: Pick<NodePlan, 'pipes' | 'bridges'>,
  dir: string,
): readonly Transport[] {
  return pipes.map((pipe) => {
    const [bridge] = bridges;
    const socket =
      pipe.use === 'OVSDB'
        ? socketPath(dir, 'db.sock')
        : pipe.use === 'OpenFlow' && bridge !== undefined
          ? managementSocket(dir, bridge.name)
          : undefined;
    return socket === undefined ? pipe : { ...pipe, address: `unix:${socket}` };
  });
}
