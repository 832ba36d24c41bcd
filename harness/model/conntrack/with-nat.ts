/** What is translated of a packet whose connection is, where a flow asks for it. */
import { ctStateBits } from '../../openflow/match/fields.js';
import type { Behaviour } from '../behaviour.js';
import { hasSeparateReplyEntry, type Connection } from './connection.js';
import { translatedBits } from './find-connection.js';
import type { CtRequest, Tracked } from './tracked.js';
import { reversed } from './tuple.js';

const { snat, dnat, rel, new: fresh } = ctStateBits;

type Part = 'src' | 'dst';

/**
 * The packet is translated where the flow asks for it and it was not done yet in this zone (Open
 * vSwitch lib/conntrack.c, handle_nat).
 */
export function withNat(said: Tracked, ctRequest: CtRequest, { datapath }: Behaviour): Tracked {
  const { connection, state, isReply } = said;
  if (connection === undefined || ctRequest.nat === undefined || (state & translatedBits) !== 0)
    return said;
  if (datapath === 'in the kernel') return withKernelNat(said, connection, ctRequest);
  const part = partOf(connection, isReply);
  return part === undefined ? said : translated(said, connection, part, bitOf(part));
}

/**
 * By the kernel (net/openvswitch/conntrack.c, ovs_ct_nat, ovs_ct_nat_execute; Linux 6.1). As long
 * as there was no answer, and where addresses stay as they are, the flow says which part is
 * translated: its bit is set even where nothing is. A flow that does not say leaves all as it is.
 * What is sent to another address has its source's bit as well.
 */
function withKernelNat(
  said: Tracked,
  connection: Connection,
  { nat, commits }: CtRequest,
): Tracked {
  const { state, isReply, isError } = said;
  const own = hasSeparateReplyEntry(connection) ? partOf(connection, isReply) : undefined;
  const isAsked =
    (state & fresh) !== 0 ||
    (isError === true && (state & rel) !== 0 && !isReply && commits === 'nothing');
  const part = own === undefined || isAsked ? nat?.to?.part : own;
  if (part === undefined) return said;
  const isSentElsewhere = own !== undefined && connection.natPart === 'dst' && !isReply;
  const bits = bitOf(part) | (isSentElsewhere ? snat : 0);
  return part === own ? translated(said, connection, part, bits) : { ...said, state: state | bits };
}

/** Of a packet in that direction. */
function partOf({ natPart }: Connection, isReply: boolean): Part | undefined {
  if (natPart === undefined || natPart === 'neither') return undefined;
  return (natPart === 'src') === isReply ? 'dst' : 'src';
}

function bitOf(part: Part): number {
  return part === 'src' ? snat : dnat;
}

function translated(said: Tracked, { original, reply }: Connection, part: Part, bits: number) {
  const { state, isReply, isError } = said;
  return {
    ...said,
    state: state | bits,
    nat: {
      part,
      isOfError: isError === true,
      tuple: reversed(isReply ? original : reply),
    },
  };
}
