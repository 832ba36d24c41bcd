/**
 * Patch ports: the packet continues in another bridge of the node, without registers, tunnels and
 * connections (ovs-vswitchd.conf.db(5), "type").
 */
import { assert } from '../../base/errors/errors.js';
import { reservedPorts } from '../../openflow/syntax/ports.js';
import { clearWords, word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { ModelBridge } from '../model-bridge.js';
import { copyOf, type Packet } from '../packet/packet.js';
import { xlateApart, xlateClone, commitBeforeClone } from './clone.js';
import { clearErrors } from './mpls-errors.js';
import { resubmit } from './xlate-table.js';
import type { XlateContext } from './xlate-context.js';
import { refusesPacket } from './may-receive.js';
import { stepFlow, traceDrop } from './trace-steps.js';

export function patchPortOutput(
  ctx: XlateContext,
  peer: { readonly bridge: string; readonly port: string },
): void {
  const other = ctx.frameRun.node.bridges.find(({ plan }) => plan.name === peer.bridge);
  const inPort = other?.plan.ports.find(({ name }) => name === peer.port)?.ofport;
  assert(
    other !== undefined && inPort !== undefined,
    `port ${peer.port} of bridge ${peer.bridge} is the other end of a patch port`,
  );
  ctx.frameRun.steps.push({
    kind: 'patch',
    ...stepFlow(ctx),
    bridge: peer.bridge,
    port: peer.port,
  });
  const { packet } = ctx;
  if (refusesPacket({ ...ctx, bridge: other }, inPort))
    return traceDrop(ctx, `${peer.port} of ${peer.bridge} has NO_RECV`);
  const { frame, layout, baseKey, isParsed } = xlateInBridge(ctx, other, inPort, copyOf(packet));
  ctx.packet = { ...packet, frame, layout, baseKey, isParsed: packet.isParsed && isParsed };
}

/**
 * The packet enters another bridge, and is returned as it was left there. Whatever happens there,
 * also what fails, it continues here as if nothing had.
 */
export function xlateInBridge(
  ctx: XlateContext,
  nextBridge: ModelBridge,
  inPort: number,
  entering: Packet,
): Packet {
  const { bridge, tablesVersion, packet, stack, actionSet, hasGroupInSet, mirrored } = ctx;
  Object.assign(ctx, {
    bridge: nextBridge,
    tablesVersion: ctx.frameRun.edits.length,
    packet: entering,
    stack: [],
    actionSet: [],
    hasGroupInSet: false,
    ...(nextBridge === bridge ? {} : { mirrored: 0 }),
  });
  clearMetadata(entering.key, inPort);
  const { megaflow } = ctx;
  const metadata = megaflow?.metadata ?? 'as it came';
  if (megaflow !== undefined) megaflow.metadata = 'initial';
  // The flow that is found there is executed as a clone (ofproto-dpif-xlate.c, patch_port_output);
  // where none is, as a clone without actions.
  xlateApart(
    ctx,
    () => {
      commitBeforeClone(ctx);
      resubmit(ctx, 0, inPort, 'by its fields', xlateClone);
    },
    ctx.isLastAction ? 'last' : 'others behind',
  );
  if (megaflow !== undefined) megaflow.metadata = metadata;
  clearErrors(ctx);
  const left = ctx.packet;
  Object.assign(ctx, {
    bridge,
    tablesVersion,
    packet,
    stack,
    actionSet,
    hasGroupInSet,
    exits: false,
    ...(nextBridge === bridge ? {} : { mirrored }),
  });
  return left;
}

function clearMetadata(key: FlowKey, inPort: number): void {
  key[word.inPort] = inPort;
  clearWords(key, word.reg, word.conjId);
  clearWords(key, word.tunId, word.pktMark);
  key[word.actsetOutput] = reservedPorts.UNSET;
}
