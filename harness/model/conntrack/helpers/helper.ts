/**
 * What FTP and TFTP agree upon inside a connection: another one, that is expected from then on
 * (ovs-actions(7), "ct", alg; Open vSwitch lib/conntrack.c, handle_alg_ctl).
 */
import { Unsupported } from '../../../base/errors/errors.js';
import { word, type FlowKey } from '../../../packet/flow-key/flow-key.js';
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { Behaviour } from '../../behaviour.js';
import type { Connection, ConnectionTable, Helper } from '../connection.js';
import type { Expectation } from '../expectation.js';
import { keyOf, printTuple, type Tuple } from '../tuple.js';

const ftpPort = 21,
  tftpPort = 69;

/**
 * Who reads the packet: FTP's and TFTP's own ports are read whoever uses them, others where the
 * flow asks for it, or where the flow did that began the connection (get_alg_ctl_type).
 */
export function algTypeOf(
  key: FlowKey,
  ofFlow: Helper | undefined,
  connection: Connection | undefined,
  { helpers }: Behaviour,
): Helper | undefined {
  const protocol = key[word.nwProto];
  const asked = ofFlow ?? (helpers === 'of flows and connections' ? connection?.helper : undefined);
  if (asked !== undefined && protocol === (asked === 'ftp' ? ipProtocols.tcp : ipProtocols.udp))
    return asked;
  const [src, dst] = [key[word.tpSrc], key[word.tpDst]];
  if (protocol === ipProtocols.udp && dst === tftpPort) return 'tftp';
  return protocol === ipProtocols.tcp && (src === ftpPort || dst === ftpPort) ? 'ftp' : undefined;
}

/**
 * The helper that a new connection gets: the one that was asked for, unless another reads the
 * packet (ct_verify_helper).
 */
export function newConnectionHelper(
  reader: Helper | undefined,
  asked: Helper | undefined,
): Helper | undefined {
  return reader === undefined || reader === asked ? asked : undefined;
}

/** A connection in the direction of `tuple`, from any port. */
function expectationKey(tuple: Tuple): string {
  return keyOf({ ...tuple, src: { ...tuple.src, port: 0 } });
}

/**
 * Whether some connection expects one like `tuple`.
 * @throws Unsupported where that has expired: Open vSwitch keeps its expectations until a thread
 *   removes them, in real time.
 */
export function expectationFor(
  connections: ConnectionTable,
  controls: ReadonlySet<Connection>,
  tuple: Tuple,
  nowMs: number,
): Expectation | undefined {
  for (const control of controls) {
    const expected = control.expects?.get(expectationKey(tuple));
    if (expected === undefined) continue;
    if (connections.get(keyOf(control.original)) !== control || control.expiresAtMs <= nowMs)
      throw new Unsupported(
        `the model does not know whether ${printTuple(tuple)} is still expected: the ` +
          'connection that announced it has expired',
      );
    return expected;
  }
  return undefined;
}

/** What connections expected that are no longer there (expectation_clean). */
export function cleanExpectations(connections: ConnectionTable, controls: Set<Connection>): void {
  for (const control of controls)
    if (!connections.has(keyOf(control.original))) controls.delete(control);
}

/**
 * From now on the connection expects one to `port`: from the replying end to the originating one,
 * or, announced in a reply, the other way round (expectation_create).
 */
export function addExpectation(
  connections: ConnectionTable,
  controls: Set<Connection>,
  control: Connection,
  announced: { readonly port: number; readonly isReply: boolean },
  nowMs: number,
): void {
  const { original, reply, mark, label, natPart } = control;
  const direction = announced.isReply ? original : reply;
  const tuple: Tuple = { ...direction, dst: { ...direction.dst, port: announced.port } };
  if (expectationFor(connections, controls, tuple, nowMs) !== undefined) return;
  control.expects ??= new Map();
  control.expects.set(expectationKey(tuple), {
    mark,
    label,
    parent: original,
    reply:
      announced.isReply === (natPart === 'dst')
        ? { part: 'src', address: (announced.isReply ? reply : original).src.address }
        : { part: 'dst', address: announced.isReply ? reply.dst.address : original.dst.address },
  });
  controls.add(control);
}
