/**
 * Meters on a packet's way (ovs-actions(7), "meter", "controller"): the datapath asks them once it
 * comes to them.
 */
import { Unpredictable } from '../../../base/errors/errors.js';
import type { ControllerAction } from '../../../openflow/actions/actions.js';
import { isPlain } from '../../../openflow/actions/kinds/output-actions.js';
import type { Meter } from '../../../openflow/meters.js';
import { meterPasses, type MeterState } from '../../tables/meters.js';
import type { XlateContext } from '../xlate-context.js';
import { putOdpAction } from '../odp-actions.js';
import type { OdpAction } from '../datapath/datapath-execution.js';
import type { ActionOrigin } from '../frozen.js';

/**
 * The packet, and all that would have been done with it; a meter that is not there lets everything
 * pass.
 */
export function xlateMeter(ctx: XlateContext, id: Meter['id']): void {
  ctx.isIrreversible = true;
  ctx.isMetered = true;
  putOdpAction(ctx, 'meter', metered(ctx, ctx.bridge.meters.get(id)));
}

/**
 * Of packet-ins, and of nothing else: by the action's own meter, or, where it has
 * none that is there, by the bridge's meter for controllers (ofproto/ofproto.c,
 * ofproto_fix_controller_action; ofproto-dpif-xlate.c, put_controller_user_action). Where meters
 * were not looked up, it is number 0 of the datapath, whatever the action says: the first that a
 * bridge of the node was given.
 */
export function meteredForController(
  ctx: XlateContext,
  action: ControllerAction,
  meterLookup: ActionOrigin['meters'],
): OdpAction {
  const {
    bridge: { meters },
    frameRun: { node },
  } = ctx;
  if (meterLookup === 'looked up' || isPlain(action))
    return metered(ctx, meters.get(action.meter ?? 'controller') ?? meters.get('controller'));
  return metered(ctx, node.bridges.flatMap((bridge) => [...bridge.meters.values()])[0]);
}

function metered(ctx: XlateContext, state: MeterState | undefined): OdpAction {
  const { node, steps } = ctx.frameRun;
  const { length } = ctx.packet.frame; // what is pending is not there yet
  const { flow } = ctx.origin;
  return () => {
    if (state === undefined || meterPasses(state, length, node.nowMs)) return undefined;
    if (node.behaviour.datapath === 'in the kernel')
      throw new Unpredictable(
        'it is nondeterministic which packets a meter of the kernel drops: its clock runs',
      );
    steps.push({
      kind: 'drop',
      ...(flow === undefined ? {} : { flow }),
      why: `meter ${state.meter.id} drops it`,
    });
    return 'dropped';
  };
}
