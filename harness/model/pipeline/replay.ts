/** What a megaflow says is done with another packet: no table is looked up. */
import { assertNever } from '../../base/errors.js';
import { applyPatch, type KeptEvent, type Megaflow } from '../megaflows/megaflow.js';
import { commit, settled, type Packet } from '../packet.js';
import { wrap } from '../tunnels/wrap.js';
import { carriedBy, refuseChanged } from './carried.js';
import { deliver, frameOf, shortestFrame } from './delivery.js';
import { forgetConnection, trackNow } from './tracking.js';
import type { Execution } from './translation.js';
import { takeOff } from './tunnel.js';

export function replay(course: Omit<Execution, 'carried'>, { counted, steps, events }: Megaflow, packet: Packet): void {
  const { node, steps: told } = course.passage;
  const { length } = packet.frame;
  for (const { record, longer } of counted) {
    record.packets++;
    record.bytes += length + longer;
    record.usedMs = node.nowMs;
  }
  for (const step of steps) told.push(step);
  const run: Execution = { ...course, carried: carriedBy(packet) };
  for (const event of events) if (carryOut(run, event, packet) === 'dropped') return;
}

function carryOut(run: Execution, event: KeptEvent, packet: Packet): 'dropped' | undefined | void {
  switch (event.kind) {
    case 'commit':
      applyPatch(event.patch, packet.key);
      commit(packet);
      return;
    case 'output':
      return deliver(run, event.port, frameOf(run, packet));
    case 'take off': {
      const frame = frameOf(run, packet);
      return frame.length < shortestFrame ? undefined : takeOff(run, event.config, { frame, layout: packet.layout, padding: packet.padding });
    }
    case 'track':
      applyPatch(event.patch, packet.key);
      return trackNow(run, event.request, settled(packet), 0);
    case 'forget':
      return forgetConnection(run);
    case 'encapsulate': {
      refuseChanged(run, 'a tunnel that it enters');
      const frame = wrap(packet.frame, packet.hash, event.envelope);
      for (const port of event.ports) deliver(run, port, frame);
      return;
    }
    default:
      return assertNever(event);
  }
}
