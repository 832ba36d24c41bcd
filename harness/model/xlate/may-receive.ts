import { word } from '../../packet/flow-key/flow-key.js';
import { macAt } from '../l2/xlate-normal.js';
import type { XlateContext } from './xlate-context.js';

const spanningTree = 0x0180c2000000;

/** BPDUs of a spanning tree come in all the same (ofproto/ofproto-dpif-xlate.c, may_receive). */
export function refusesPacket({ bridge, packet }: XlateContext, inPort: number): boolean {
  return (
    bridge.ports.get(inPort)?.receive === 'never' && macAt(packet.key, word.ethDst) !== spanningTree
  );
}
