/** What a megaflow says is done with another packet: no table is looked up. */
import { assertNever } from '../../../base/errors/errors.js';
import type { MegaflowEvent, Megaflow } from '../../megaflow/megaflow.js';
import { applyPatch } from '../../megaflow/patch.js';
import { unshareKey, type Packet } from '../../packet/packet.js';
import { commit, reparse, reparsed } from '../../packet/commit-packet.js';
import { refuseLateChecksum, encapsulate } from '../../tunnels/encapsulate.js';
import { datapathPacketOf, withCommit } from './datapath-packet.js';
import { deliver, frameOf, shortestFrame } from './deliver.js';
import { executeCtClear, executeCt } from './execute-ct.js';
import type { DatapathExecution } from './datapath-execution.js';
import { tunnelPop } from '../actions/tunnel-pop.js';

export function executeMegaflow(
  { frameRun, recirculate }: Omit<DatapathExecution, 'packetState'>,
  { credited, steps, events }: Megaflow,
  packet: Packet,
): void {
  const { node, steps: traceSteps } = frameRun;
  const { length } = packet.frame;
  const { nowMs } = node;
  for (const { record, extraBytes, outerBytes } of credited) {
    record.packets++;
    record.bytes += length + extraBytes;
    record.outerBytes += outerBytes;
    record.usedMs = nowMs;
  }
  for (const step of steps) traceSteps.push(step);
  const run: DatapathExecution = { frameRun, recirculate, packetState: datapathPacketOf(packet) };
  for (let index = 0; index < events.length; index++) {
    const event = events[index];
    if (
      event !== undefined &&
      executeEvent(run, event, packet, index === events.length - 1 ? 'last' : 'others behind') ===
        'dropped'
    )
      return;
  }
}

function executeCommit(
  run: DatapathExecution,
  { patch }: Extract<MegaflowEvent, { readonly kind: 'commit' }>,
  packet: Packet,
): void {
  const before = packet.baseKey;
  run.frameRun.node.work.rewrites++;
  unshareKey(packet);
  applyPatch(patch, packet.key);
  commit(packet, 'set apart');
  run.packetState = withCommit(run.packetState, before, packet.baseKey);
}

/** What is done last with a packet may have the packet itself. */
function executeEvent(
  run: DatapathExecution,
  event: MegaflowEvent,
  packet: Packet,
  place: 'last' | 'others behind',
): 'dropped' | undefined | void {
  switch (event.kind) {
    case 'commit':
      return executeCommit(run, event, packet);
    case 'output':
      return deliver(run, event.port, frameOf(run, packet));
    case 'decapsulate': {
      const frame = frameOf(run, packet);
      return frame.length < shortestFrame
        ? undefined
        : tunnelPop(run, event.config, { frame, layout: packet.layout, padding: packet.padding });
    }
    case 'track':
      if (event.patch.isOfBytes) unshareKey(packet);
      applyPatch(event.patch, packet.key);
      if (place === 'others behind') return executeCt(run, event.request, reparsed(packet), 0);
      reparse(packet);
      return executeCt(run, event.request, packet, 0);
    case 'forget':
      return executeCtClear(run);
    case 'encapsulate': {
      refuseLateChecksum(
        event.envelope,
        packet.isRewritten || run.packetState.changes.length > 0,
        run.frameRun.node.behaviour,
      );
      run.frameRun.node.work.encapsulations++;
      const frame = encapsulate(frameOf(run, packet), packet.hash, event.envelope);
      for (const port of event.ports) deliver(run, port, frame);
      return;
    }
    default:
      return assertNever(event);
  }
}
