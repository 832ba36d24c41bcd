/**
 * The helpers of FTP and TFTP beside the tracker: the connections that packets announce (Open
 * vSwitch lib/conntrack.c, handle_ftp_ctl, handle_tftp_ctl).
 */
import { Unpredictable, Unsupported } from '../../../base/errors/errors.js';
import { ctStateBits } from '../../../openflow/match/fields.js';
import { readFtp, type FtpAnnouncement } from '../../conntrack/helpers/ftp.js';
import { addExpectation, algTypeOf } from '../../conntrack/helpers/helper.js';
import type { Connection } from '../../conntrack/connection.js';
import type { CtRequest, Tracked } from '../../conntrack/tracked.js';
import { tcpLength } from '../../conntrack/protocols/tracked-packet.js';
import { transportOf } from '../../conntrack/protocols/transport.js';
import type { ModelNode } from '../../model-node.js';
import type { Packet } from '../../packet/packet.js';
import type { TrackerInput } from './reassemble.js';

/**
 * What is said of the packet, once its connection's helper has read it: one that announces a
 * foreign address, or none, is invalid.
 */
export function runAlgHelper(
  node: ModelNode,
  { packet, seen }: { readonly packet: Packet; readonly seen: TrackerInput },
  result: Tracked,
  { helper, nat }: CtRequest,
): Tracked {
  const { connection } = result;
  if (connection?.helper === undefined) return result;
  const reader = algTypeOf(packet.baseKey, helper, connection, node.behaviour);
  if (reader === undefined) return result;
  if (seen.kind !== 'packet')
    throw new Unsupported('the model does not read fragments of FTP and TFTP');
  const control: FtpAnnouncement =
    reader === 'tftp'
      ? { kind: 'port', port: connection.original.src.port, words: 'as needed' }
      : readFtp(payloadOf(packet), connection, node.behaviour);
  if (control.kind === 'nothing') return result;
  if (control.kind === 'port' && nat !== undefined && control.words === 'of another address')
    refuseResized(packet);
  if (control.kind === 'invalid')
    return { ...result, state: result.state | ctStateBits.trk | ctStateBits.inv };
  addAlgExpectation(node, connection, control.port, (result.state & ctStateBits.rpl) !== 0);
  return result;
}

/**
 * Open vSwitch writes another address into FTP's announcements, unless the buffer is too small for
 * the longest that there is; it counts room in front as room behind. A packet that came to one of
 * its dummy devices has two bytes (lib/packets.c, eth_from_hex): its announcement and its sequence
 * numbers stay.
 */
function refuseResized({ isResized }: Packet): void {
  if (isResized)
    throw new Unpredictable(
      'the model does not know whether a packet whose headers have come or gone has room for ' +
        'another address in an announcement of FTP',
    );
}

function addAlgExpectation(
  { connections, controlConnections, nowMs }: ModelNode,
  control: Connection,
  port: number,
  isReply: boolean,
): void {
  addExpectation(connections, controlConnections, control, { port, isReply }, nowMs);
}

/** Of a TCP segment. */
function payloadOf({ frame, layout, baseKey }: Packet): Uint8Array {
  const transport = transportOf(frame, layout, baseKey, 0);
  return transport === undefined
    ? new Uint8Array()
    : frame.subarray(transport.at + tcpLength(transport), transport.end);
}
