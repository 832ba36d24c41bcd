/** Meters on a packet's way (ovs-actions(7), "meter", "controller"): the datapath asks them once it comes to them. */
import type { Meter } from '../../openflow/meters.js';
import { meterPasses } from '../meters.js';
import { leaveToDatapath, type DatapathAction, type Translation } from './translation.js';

/** The packet, and all that would have been done with it; a meter that is not there lets everything pass. */
export function meter(at: Translation, id: Meter['id']): void {
  at.isLasting = true;
  at.isMetered = true;
  leaveToDatapath(at, 'meter', metered(at, id));
}

/**
 * Of what a controller is told, and of nothing else: by the action's own meter, or, where it has none that is there, by the bridge's meter for
 * controllers (ofproto/ofproto.c, ofproto_fix_controller_action; ofproto-dpif-xlate.c, put_controller_user_action).
 */
export function meteredForController(at: Translation, own: number | undefined): DatapathAction {
  const { meters } = at.bridge;
  return metered(at, own !== undefined && meters.has(own) ? own : 'controller');
}

function metered(at: Translation, id: Meter['id']): DatapathAction {
  const { node, steps } = at.passage;
  const state = at.bridge.meters.get(id);
  const { length } = at.packet.frame; // what is pending is not there yet
  const { flow } = at.place;
  return () => {
    if (state === undefined || meterPasses(state, length, node.nowMs)) return undefined;
    steps.push({ kind: 'drop', ...(flow === undefined ? {} : { flow }), why: `meter ${id} drops it` });
    return 'dropped';
  };
}
