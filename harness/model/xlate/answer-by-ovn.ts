/** What ovn-controller answers comes back to the bridge that it programs. */
import { copyFields, word } from '../../packet/flow-key/flow-key.js';
import { answerOf } from '../ovn-controller/answer.js';
import { writeField } from '../fields/field-values.js';
import type { Packet } from '../packet/packet.js';
import { parsePacket } from '../packet/parse-packet.js';
import type { XlateContext } from './xlate-context.js';
import type { Frozen } from './frozen.js';

/**
 * Whether ovn-controller is known to answer this: then the packet continues once all else is done
 * with it.
 * @param waiting what is left of it.
 */
export function answerByOvn(
  { bridge, frameRun }: XlateContext,
  userdata: readonly number[],
  packet: Packet,
  waiting: Frozen,
): boolean {
  if (bridge.plan.origin !== 'dumped') return false;
  const answer = answerOf(userdata, packet);
  if (answer?.kind !== 'resumed') return false;
  const { field, value, mask } = answer.result;
  const resumed = withMetadata(parsePacket(answer.frame, 0, packet.tagsMax), packet);
  writeField(resumed.key, field, value, mask);
  frameRun.resumed.push({ ...waiting, packet: resumed });
  return true;
}

/** What is known of a packet beside its bytes: port, registers, metadata, tunnel, connection. */
function withMetadata(packet: Packet, { key }: Packet): Packet {
  packet.key = copyFields(packet.key);
  packet.key.set(key.subarray(0, word.ethSrc));
  return packet;
}
