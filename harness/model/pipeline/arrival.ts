/** A packet that has come in, before anything is done with it. */
import { word } from '../../packet/flow-key.js';
import { isMirrorOutput } from '../mirrors.js';
import { mirrorArriving } from './output.js';
import type { Translation } from './translation.js';

/** Where Open vSwitch keeps flows of its own. */
const ownTable = 254;

/**
 * Mirrors see the packet once its flow is found, or none is; of what comes in at their own outputs
 * nothing is carried out.
 */
export function arrive(at: Translation): 'reserved' | undefined {
  if (!at.isArriving) return undefined;
  at.isArriving = false;
  const inPort = at.packet.key[word.inPort] ?? 0;
  if (isMirrorOutput(at.bridge.mirrors, inPort)) return 'reserved';
  if (at.bridge.mirrors.length === 0) return undefined;
  // Where no flow is found, one of the switch's own drops the packet, and mirrors see it all the
  // same.
  if (at.place.flow === undefined)
    at.place = {
      ...at.place,
      flow: {
        node: at.passage.node.name,
        bridge: at.bridge.plan.name,
        table: ownTable,
        priority: 0,
        match: '',
      },
    };
  mirrorArriving(at, inPort);
  return undefined;
}
