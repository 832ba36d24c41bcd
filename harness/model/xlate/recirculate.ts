/**
 * A frame's translations, one after the other: as it enters, and each time that it is thawed.
 */
import { Unpredictable } from '../../base/errors/errors.js';
import type { ModelBridge } from '../model-bridge.js';
import { isFragment } from '../conntrack/fragments/fragments.js';
import type { Packet } from '../packet/packet.js';
import { reparse } from '../packet/commit-packet.js';
import { reassemblyKey } from './datapath/reassemble.js';
import { refuseSpoken } from './spoken-protocols.js';
import { xlate, type XlateIn } from './xlate.js';
import type { FrameRun } from './frame-run.js';
import type { Frozen } from './frozen.js';

/**
 * A frame enters `bridge`; its key says at which port. @param table another than the first where
 * the packet is one that is thawed.
 */
export function processFrame(
  passage: FrameRun,
  bridge: ModelBridge,
  packet: Packet,
  table = 0,
): void {
  refuseSpoken(bridge, packet.key);
  const xin = xlateIn(passage);
  xlate(xin, { bridge, table, packet, actions: nothing, stack: nothing, mirrored: 0 });
  lookUpInTurn(xin);
  resumePackets(xin);
}

/** What has waited for a controller continues, `passage.resumed`, and all that it leads to. */
export function processResumed(passage: FrameRun): void {
  resumePackets(xlateIn(passage));
}

/** With packets that recirculate and have not been looked up yet. */
interface Passage extends XlateIn {
  readonly waiting: { readonly frozen: Frozen; readonly recirculations: number }[];
}

function xlateIn(frameRun: FrameRun): Passage {
  const xin: Passage = {
    frameRun,
    waiting: [],
    recirculate: (frozen) => {
      if (frameRun.node.recirculated === 'at once') recirculate(xin, frozen);
      else xin.waiting.push({ frozen, recirculations: frameRun.recirculations });
    },
  };
  return xin;
}

function lookUpInTurn(xin: Passage): void {
  const { frameRun, waiting } = xin;
  const { recirculations } = frameRun;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    frameRun.recirculations = next.recirculations;
    recirculate(xin, next.frozen);
  }
  frameRun.recirculations = recirculations;
}

function resumePackets(xin: Passage): void {
  const { resumed } = xin.frameRun;
  for (let times = 0, next = resumed.shift(); next !== undefined; times++, next = resumed.shift()) {
    if (times >= maxResumes)
      throw new Unpredictable(`the model does not resume one packet more than ${maxResumes} times`);
    xin.recirculate(next);
    lookUpInTurn(xin);
  }
}

const nothing: readonly never[] = [];

/** A packet that is paused again whenever it is resumed never ends. */
const maxResumes = 64;

/**
 * The packet is reparsed and continues where it was frozen; past the datapath's limit it is dropped
 * silently. A kernel that keeps no flows hands it to ovs-vswitchd each time, and counts from none.
 * @throws Unpredictable for one that may recirculate for ever there.
 */
function recirculate(xin: XlateIn, frozen: Frozen): void {
  const { frameRun } = xin;
  const { packet } = frozen;
  const { recirculations } = frameRun.node.behaviour;
  if (frameRun.recirculations >= recirculations) {
    if (frameRun.node.recirculated === 'in its turn')
      throw new Unpredictable(
        'the model does not follow a packet that recirculates more than ' +
          `${recirculations} times in a kernel that keeps no flows: it may do so for ever`,
      );
    frameRun.steps.push({ kind: 'drop', why: `more than ${recirculations} recirculations` });
    return;
  }
  frameRun.recirculations++;
  frameRun.node.work.recirculations++;
  const own = isFragment(packet) ? { ...xin, reassemblyKey: reassemblyKey(frozen) } : xin;
  reparse(packet);
  xlate(own, frozen);
  frameRun.recirculations--;
}
