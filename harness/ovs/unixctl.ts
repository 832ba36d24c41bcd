/**
 * Commands of a running daemon, as ovs-appctl(8) gives them, but over one connection that stays
 * open.
 */
import { giveUpMs, withDeadline } from '../base/concurrency/deadline.js';
import { InputError } from '../base/errors/errors.js';
import { connectJsonRpc } from './ovsdb/json-rpc.js';
import type { Peer } from './ovsdb/json-rpc.js';

export interface Unixctl {
  /**
   * What the daemon answers; commands are listed by `list-commands`.
   * @throws InputError with the daemon's words when it refuses the command, Unavailable when it has
   *   gone or gives no answer.
   */
  call(command: string, ...args: readonly string[]): Promise<string>;
  close(): void;
}

const answerLimitMs = giveUpMs;

/**
 * Connects to a daemon's `*.ctl` socket. @throws NodeJS.ErrnoException when nobody listens there.
 */
export async function connectUnixctl(path: string, peer: Peer): Promise<Unixctl> {
  const connection = await connectJsonRpc(path, peer);
  return {
    call: async (command, ...args) => {
      const { result, error } = await withDeadline(
        connection.request(command, args),
        answerLimitMs,
        `${peer.name} to answer "${command}"`,
      );
      if (error !== null)
        throw new InputError(
          `${peer.name} refuses "${[command, ...args].join(' ')}": ${(error as string).trim()}`,
        );
      return result as string;
    },
    close: () => connection.close(),
  };
}
