/**
 * Meters on a packet's way (ovs-actions(7), "meter", "controller"): the datapath asks them once it
 * comes to them.
 */
import type { ControllerAction } from '../../openflow/actions.js';
import { isPlain } from '../../openflow/actions/output.js';
import type { Meter } from '../../openflow/meters.js';
import { meterPasses, type MeterState } from '../meters.js';
import {
  leaveToDatapath,
  type DatapathAction,
  type Place,
  type Translation,
} from './translation.js';

/**
 * The packet, and all that would have been done with it; a meter that is not there lets everything
 * pass.
 */
export function meter(at: Translation, id: Meter['id']): void {
  at.isLasting = true;
  at.isMetered = true;
  leaveToDatapath(at, 'meter', metered(at, at.bridge.meters.get(id)));
}

/**
 * Of what a controller is told, and of nothing else: by the action's own meter, or, where it has
 * none that is there, by the bridge's meter for controllers (ofproto/ofproto.c,
 * ofproto_fix_controller_action; ofproto-dpif-xlate.c, put_controller_user_action). Where meters
 * were not looked up, it is number 0 of the datapath, whatever the action says: the first that a
 * bridge of the node was given.
 */
export function meteredForController(
  at: Translation,
  action: ControllerAction,
  looked: Place['meters'],
): DatapathAction {
  const {
    bridge: { meters },
    passage: { node },
  } = at;
  if (looked === 'looked up' || isPlain(action))
    return metered(at, meters.get(action.meter ?? 'controller') ?? meters.get('controller'));
  return metered(at, node.bridges.flatMap((bridge) => [...bridge.meters.values()])[0]);
}

function metered(at: Translation, state: MeterState | undefined): DatapathAction {
  const { node, steps } = at.passage;
  const { length } = at.packet.frame; // what is pending is not there yet
  const { flow } = at.place;
  return () => {
    if (state === undefined || meterPasses(state, length, node.nowMs)) return undefined;
    steps.push({
      kind: 'drop',
      ...(flow === undefined ? {} : { flow }),
      why: `meter ${state.meter.id} drops it`,
    });
    return 'dropped';
  };
}
