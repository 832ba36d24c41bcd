/** Messages of OpenFlow sent to a bridge as they are, and what the switch has against them. */
import { InputError } from '../../base/errors/errors.js';
import type { Image } from '../process/image.js';
import type { Peer } from '../ovsdb/json-rpc.js';
import { connectOpenflow } from './openflow-connection.js';
import { types, type Version } from './openflow-messages.js';
import { runProgram } from '../process/run-program.js';
import { managementSocket } from '../workspace/socket-path.js';

/**
 * Sends whole messages, one after another, whether or not those before are answered.
 * @throws InputError with the switch's errors, each once, as ovs-ofctl prints them
 *   (`OFPBAC_BAD_TYPE`); Unavailable when nobody answers.
 */
export async function sendOpenflow(
  image: Image,
  runDir: string,
  bridge: string,
  peer: Peer,
  version: Version,
  messages: readonly Uint8Array[],
): Promise<void> {
  const errors: string[] = [];
  const connection = await connectOpenflow(
    managementSocket(runDir, bridge),
    peer,
    version,
    ({ type, bytes }) => {
      if (type === types.error) errors.push(bytes.toString('hex'));
    },
  );
  try {
    connection.send(Buffer.concat(messages));
    await connection.barrier();
  } finally {
    connection.close();
  }
  if (errors.length === 0) return;
  const words = await Promise.all(
    errors.map(async (error) => {
      const { stdout } = await runProgram(image, 'ovs-ofctl', ['ofp-print', error], '');
      return /^OFPT_ERROR [^:]*: (\w+)/.exec(stdout)?.[1] ?? error;
    }),
  );
  throw new InputError(`${peer.name} refuses: ${[...new Set(words)].join(', ')}`);
}
