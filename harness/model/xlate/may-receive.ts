import { word } from '../../packet/flow-key/flow-key.js';
import { noType } from '../../packet/flow-key/extract/extract.js';
import { macAt } from '../l2/xlate-normal.js';
import type { XlateContext } from './xlate-context.js';

const spanningTree = 0x0180c2000000;

/**
 * BPDUs of a spanning tree, which have no EtherType, come in all the same
 * (ofproto/ofproto-dpif-xlate.c, may_receive; lib/flow.h, is_stp).
 */
export function refusesPacket({ bridge, packet: { key } }: XlateContext, inPort: number): boolean {
  const isBpdu = key[word.ethType] === noType && macAt(key, word.ethDst) === spanningTree;
  return bridge.ports.get(inPort)?.receive === 'never' && !isBpdu;
}
