/** What ovn-controller answers comes back to the bridge that it programs. */
import { fieldCalled } from '../../openflow/match/fields.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { copyFields, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import { answerOf } from '../ovn-controller/answer.js';
import type { Resumed } from '../ovn-controller/controller-answer.js';
import { writeField } from '../fields/field-values.js';
import type { Packet } from '../packet/packet.js';
import { parsePacket } from '../packet/parse-packet.js';
import type { XlateContext } from './xlate-context.js';
import type { Frozen } from './frozen.js';
import { noticeNeighbour, withMetadata, type Handed } from './waiting-packets.js';

/** Where: a translation that has come by a patch port goes back to the bridge that it began at. */
export type HandedOver = Pick<XlateContext, 'bridge' | 'frameRun' | 'origin'>;

export function handedOverIn({ bridge, frameRun, origin }: XlateContext): HandedOver {
  return { bridge, frameRun, origin };
}

/**
 * Whether ovn-controller is known to answer this: then the packet continues once all else is done
 * with it, or one that it makes begins.
 * @param waiting what is left of it; undefined where it does not wait.
 */
export function answerByOvn(
  { bridge, frameRun, origin }: HandedOver,
  handed: Handed,
  waiting: Frozen | undefined,
): boolean {
  if (bridge.plan.origin !== 'dumped') return false;
  const { userdata, packet, key } = handed;
  const { frame, tagsMax } = packet;
  noticeNeighbour(frameRun.node.learning, handed, waiting);
  const read = parsePacket(frame, 0, tagsMax);
  const answer = answerOf(userdata, withMetadata(read, key), bridge.plan.dns);
  switch (answer?.kind) {
    case undefined:
      return false;
    case 'silence':
      return true;
    case 'sent':
      frameRun.resumed.push({
        bridge,
        table: 0,
        packet: madePacket(answer.frame, key, tagsMax),
        // A trace shows them where the packet was handed over.
        actions: answer.actions.map((action) => ({
          action,
          origin: { ...origin, meters: 'not looked up' },
        })),
        stack: [],
        mirrored: 0,
      });
      return true;
    case 'resumed':
      if (waiting === undefined) return false;
      frameRun.resumed.push({ ...waiting, packet: resumedPacket(answer, key, tagsMax) });
      return true;
  }
}

/** From the controller, with the registers of the packet that it is about (reload_metadata). */
function madePacket(frame: Uint8Array, key: FlowKey, tagsMax: number): Packet {
  const packet = parsePacket(frame, reservedPorts.CONTROLLER, tagsMax);
  packet.key = copyFields(packet.key);
  for (let index = 0; index < registers; index++)
    packet.key[word.reg + index] = key[word.reg + index] ?? 0;
  packet.key.set(key.subarray(word.metadata, word.metadata + 2), word.metadata);
  return packet;
}

const registers = 16;

/** MLF_FROM_CTRL_BIT of MFF_LOG_FLAGS (OVN include/ovn/logical-fields.h). */
const fromController = { field: fieldCalled('reg10'), mask: 1n << 19n } as const;

function resumedPacket(
  { frame, result: { field, value, mask }, isMarked }: Resumed,
  key: FlowKey,
  tagsMax: number,
): Packet {
  const resumed = withMetadata(parsePacket(frame, 0, tagsMax), key);
  writeField(resumed.key, field, value, mask);
  if (isMarked === true) {
    const { field: flags, mask: bit } = fromController;
    writeField(resumed.key, flags, bit, bit);
  }
  return resumed;
}
