/**
 * Commands of a running daemon, as ovs-appctl(8) gives them, but over one connection that stays
 * open.
 */
import { giveUpMs, withDeadline } from '../base/concurrency/deadline.js';
import { InputError } from '../base/errors/errors.js';
import { connectJsonRpc, type Reply } from './ovsdb/json-rpc.js';
import type { Peer } from './ovsdb/json-rpc.js';

export interface Unixctl {
  /**
   * What the daemon answers; commands are listed by `list-commands`.
   * @throws InputError with the daemon's words when it refuses the command, Unavailable when it has
   *   gone or gives no answer.
   */
  call(command: string, ...args: readonly string[]): Promise<string>;
  /** The same of many commands, asked in one go. */
  callEach(commands: readonly (readonly [string, ...string[]])[]): Promise<readonly string[]>;
  close(): void;
}

const answerLimitMs = giveUpMs;

/**
 * Connects to a daemon's `*.ctl` socket. @throws NodeJS.ErrnoException when nobody listens there.
 */
export async function connectUnixctl(path: string, peer: Peer): Promise<Unixctl> {
  const connection = await connectJsonRpc(path, peer);
  const resultOf = (command: readonly string[], { result, error }: Reply): string => {
    if (error !== null)
      throw new InputError(
        `${peer.name} refuses "${command.join(' ')}": ${(error as string).trim()}`,
      );
    return result as string;
  };
  const within = async <T>(answer: Promise<T>, what: string) =>
    await withDeadline(answer, answerLimitMs, `${peer.name} to answer ${what}`);
  return {
    call: async (command, ...args) =>
      resultOf([command, ...args], await within(connection.request(command, args), `"${command}"`)),
    callEach: async (commands) => {
      const replies = commands.map(([command, ...args]) => connection.request(command, args));
      const answers = await within(Promise.all(replies), `${commands.length} requests`);
      return answers.map((reply, index) => resultOf(commands[index] ?? [], reply));
    },
    close: () => connection.close(),
  };
}
