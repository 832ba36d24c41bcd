/**
 * The helpers of FTP and TFTP beside the tracker: what packets of their connections tell of others
 * (Open vSwitch lib/conntrack.c, handle_ftp_ctl, handle_tftp_ctl).
 */
import { Unpredictable, Unsupported } from '../../base/errors.js';
import { ctStateBits } from '../../openflow/fields.js';
import { readFtp, type FtpControl } from '../conntrack/ftp.js';
import { expect, readerOf } from '../conntrack/helper.js';
import type { Connection } from '../conntrack/connection.js';
import type { Asked, Tracked } from '../conntrack/tracked.js';
import { tcpLength } from '../conntrack/packet.js';
import { transportOf } from '../conntrack/transport.js';
import type { ModelNode } from '../node.js';
import type { Packet } from '../packet.js';
import type { Seen } from './reassembly.js';

/**
 * What is said of the packet, once its connection's helper has read it: one that tells of a foreign
 * address, or of none, is invalid.
 */
export function readAlong(
  node: ModelNode,
  { packet, seen }: { readonly packet: Packet; readonly seen: Seen },
  said: Tracked,
  { helper, nat }: Asked,
): Tracked {
  const { connection } = said;
  if (connection?.helper === undefined) return said;
  const reader = readerOf(packet.arrived, helper, connection, node.behaviour);
  if (reader === undefined) return said;
  if (seen.kind !== 'packet')
    throw new Unsupported('the model does not read fragments of FTP and TFTP');
  const told: FtpControl =
    reader === 'tftp'
      ? { kind: 'port', port: connection.original.src.port, words: 'as needed' }
      : readFtp(payloadOf(packet), connection, node.behaviour);
  if (told.kind === 'nothing') return said;
  if (told.kind === 'port' && nat !== undefined && told.words === 'of another address')
    refuseRoom(packet);
  if (told.kind === 'invalid')
    return { ...said, state: said.state | ctStateBits.trk | ctStateBits.inv };
  tell(node, connection, told.port, (said.state & ctStateBits.rpl) !== 0);
  return said;
}

/**
 * Open vSwitch writes another address into what FTP tells, unless the buffer is too small for the
 * longest that there is; it counts room in front as room behind. A packet that came to one of its
 * dummy devices has two bytes (lib/packets.c, eth_from_hex): it tells what it told, and its
 * sequence numbers stay.
 */
function refuseRoom({ isResized }: Packet): void {
  if (isResized)
    throw new Unpredictable(
      'the model does not know whether a packet whose headers have come or gone has room for ' +
        'another address in what FTP tells',
    );
}

function tell(
  { connections, controls, nowMs }: ModelNode,
  control: Connection,
  port: number,
  isReply: boolean,
): void {
  expect(connections, controls, control, { port, isReply }, nowMs);
}

/** Of a TCP segment. */
function payloadOf({ frame, layout, arrived }: Packet): Uint8Array {
  const transport = transportOf(frame, layout, arrived, 0);
  return transport === undefined
    ? new Uint8Array()
    : frame.subarray(transport.at + tcpLength(transport), transport.end);
}
