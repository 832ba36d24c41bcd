/** A packet that has come in, before anything is done with it. */
import { word } from '../../packet/flow-key/flow-key.js';
import { isMirrorOutput } from '../l2/mirrors.js';
import { unwildcardInPort } from '../megaflow/unwildcard.js';
import { refusesPacket } from './may-receive.js';
import { mirrorIngress } from './send.js';
import type { XlateContext } from './xlate-context.js';

/** Where Open vSwitch keeps flows of its own. */
const ownTable = 254;

/**
 * Mirrors see the packet once its flow is found, or none is; a packet that comes in at their own
 * outputs is dropped.
 */
export function processIngress(ctx: XlateContext): 'reserved' | 'NO_RECV' | undefined {
  if (!ctx.isIngress) return undefined;
  ctx.isIngress = false;
  const inPort = ctx.packet.key[word.inPort] ?? 0;
  if (dependsOnPort(ctx)) unwildcardInPort(ctx.megaflow);
  if (isMirrorOutput(ctx.bridge.mirrors, inPort)) return 'reserved';
  const refusal = refusesPacket(ctx, inPort) ? ('NO_RECV' as const) : undefined;
  // Mirrors do not see what may not come in (ofproto-dpif-xlate.c, xlate_actions).
  if (ctx.bridge.mirrors.length === 0 || refusal !== undefined) return refusal;
  // Where no flow is found, one of the switch's own drops the packet, and mirrors see it all the
  // same.
  if (ctx.origin.flow === undefined)
    ctx.origin = {
      ...ctx.origin,
      flow: {
        node: ctx.frameRun.node.name,
        bridge: ctx.bridge.plan.name,
        table: ownTable,
        priority: 0,
        match: '',
      },
    };
  mirrorIngress(ctx, inPort);
  return refusal;
}

/** Whether its settings decide over a packet. */
function dependsOnPort({ bridge: { mirrors, ports } }: XlateContext): boolean {
  return mirrors.length > 0 || [...ports.values()].some(({ receive }) => receive === 'never');
}
