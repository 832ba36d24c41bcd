/** What a megaflow says is done with another packet: no table is looked up. */
import { assertNever } from '../../base/errors.js';
import { applyPatch, type KeptEvent, type Megaflow } from '../megaflows/megaflow.js';
import { commit, reread, setApart, settled, type Packet } from '../packet.js';
import { refusePutOff, wrap } from '../tunnels/wrap.js';
import { carriedBy, writtenOver } from './carried.js';
import { deliver, frameOf, shortestFrame } from './delivery.js';
import { forgetConnection, trackNow } from './tracking.js';
import type { Execution } from './translation.js';
import { takeOff } from './tunnel.js';

export function replay(
  { passage, recirculate }: Omit<Execution, 'carried'>,
  { counted, steps, events }: Megaflow,
  packet: Packet,
): void {
  const { node, steps: told } = passage;
  const { length } = packet.frame;
  const { nowMs } = node;
  for (const { record, longer } of counted) {
    record.packets++;
    record.bytes += length + longer;
    record.usedMs = nowMs;
  }
  for (const step of steps) told.push(step);
  const run: Execution = { passage, recirculate, carried: carriedBy(packet) };
  for (let index = 0; index < events.length; index++) {
    const event = events[index];
    if (
      event !== undefined &&
      carryOut(run, event, packet, index === events.length - 1 ? 'last' : 'others behind') ===
        'dropped'
    )
      return;
  }
}

function putIn(
  run: Execution,
  { patch }: Extract<KeptEvent, { readonly kind: 'commit' }>,
  packet: Packet,
): void {
  const before = packet.arrived;
  setApart(packet);
  applyPatch(patch, packet.key);
  commit(packet, 'set apart');
  run.carried = writtenOver(run.carried, before, packet.arrived);
}

/** What is done last with a packet may have the packet itself. */
function carryOut(
  run: Execution,
  event: KeptEvent,
  packet: Packet,
  place: 'last' | 'others behind',
): 'dropped' | undefined | void {
  switch (event.kind) {
    case 'commit':
      return putIn(run, event, packet);
    case 'output':
      return deliver(run, event.port, frameOf(run, packet));
    case 'take off': {
      const frame = frameOf(run, packet);
      return frame.length < shortestFrame
        ? undefined
        : takeOff(run, event.config, { frame, layout: packet.layout, padding: packet.padding });
    }
    case 'track':
      if (event.patch.isOfBytes) setApart(packet);
      applyPatch(event.patch, packet.key);
      if (place === 'others behind') return trackNow(run, event.request, settled(packet), 0);
      reread(packet);
      return trackNow(run, event.request, packet, 0);
    case 'forget':
      return forgetConnection(run);
    case 'encapsulate': {
      refusePutOff(
        event.envelope,
        packet.isRewritten || run.carried.changes.length > 0,
        run.passage.node.behaviour,
      );
      const frame = wrap(frameOf(run, packet), packet.hash, event.envelope);
      for (const port of event.ports) deliver(run, port, frame);
      return;
    }
    default:
      return assertNever(event);
  }
}
