/**
 * One translation: a packet on its way through tables, from where it enters until it leaves, ends
 * or is put off (Open vSwitch ofproto/ofproto-dpif-xlate.c).
 */
import { assert, Unpredictable } from '../../base/errors/errors.js';
import type { FlowId, PacketIn } from '../../domain/switching.js';
import type { Action } from '../../openflow/actions/actions.js';
import { copyKey, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { Rule } from '../tables/flow-tables.js';
import type { Edit } from '../tables/flows/edit-flows.js';
import type { DatapathEvent, MegaflowDraft } from '../megaflow/unwildcard.js';
import type { IngressPacket } from '../l2/multicast-messages.js';
import { idOf, type ModelNode } from '../model-node.js';
import type { ModelBridge } from '../model-bridge.js';
import { commit, type Packet } from '../packet.js';
import type { Detail } from '../trace/trace-detail.js';
import { datapathPacketOf, withCommit, type DatapathPacket } from './datapath/datapath-packet.js';
import type { TraceStep } from '../trace/trace.js';
import type { ActionOrigin, FrozenAction, FreezeReason, Frozen, StackItem } from './frozen.js';

/**
 * Limits of ovs-vswitchd: resubmit depth and resubmits a translation (ovs-actions(7), "resubmit"),
 * and what the stack takes.
 */
export const limits = {
  depth: 64,
  lookups: 4096,
  stackBytes: 65536,
  actionBytes: 65535,
  nestedBytes: 65531,
} as const;

/**
 * What one more of them takes among the datapath's actions, at least: a number, or a cookie of 48
 * bytes and whom to tell (lib/odp-util.c, odp_put_userspace_action).
 */
export const actionBytes = { output: 8, controller: 64 } as const;

/**
 * And at most: an output that is cut off; the header of a tunnel, or whom to tell and what was
 * pending before; a change of all that a packet has.
 */
const mostActionBytes = { output: 16, other: 640, change: 512 } as const;

/** What one frame into a node has led to so far. */
export interface FrameRun {
  readonly node: ModelNode;
  /** `key`: the packet as it left, where details are told. */
  readonly outputs: { readonly port: string; readonly frame: Uint8Array; readonly key?: FlowKey }[];
  readonly packetIns: PacketIn[];
  /** Packets that waited for a controller and go on once nothing else is left to do. */
  readonly resumed: Frozen[];
  readonly steps: TraceStep[];
  /** What packets have learned so far. */
  readonly edits: Edit[];
  /** Bridges of flows whose timeouts have become shorter. */
  readonly shortenedBridges: ModelBridge[];
  /** Ports that a frame did not fit through. */
  readonly jammedPorts: string[];
  /** Missing where nobody asks for them. */
  readonly details?: Detail[];
  /** How often the packet at hand was put off and taken up again. */
  recirculations: number;
}

/** What carries out what is left to the datapath. */
export interface DatapathExecution {
  readonly frameRun: FrameRun;
  /** Of the datapath's packet. */
  packetState: DatapathPacket;
  /** A translation of its own, after this one. */
  readonly recirculate: (frozen: Frozen) => void;
  /** Where it goes on from, for a fragment that does. */
  readonly reassemblyKey?: string;
}

/** What the parts of the pipeline need of each other. */
interface XlateCallbacks extends Omit<DatapathExecution, 'packetState'> {
  /** Carries out `actions` one by one. */
  readonly doXlateActions: (at: XlateContext, actions: readonly Action[], list: ActionList) => void;
}

export interface XlateContext extends XlateCallbacks, DatapathExecution {
  /** Missing where nothing of it is kept for other packets. */
  megaflow: MegaflowDraft | undefined;
  bridge: ModelBridge;
  packet: Packet;
  origin: ActionOrigin;
  /** The flow at hand; none once the translation was broken off in it. */
  rule: Rule | undefined;
  /**
   * How many of the passage's edits there were when it began in this bridge: it does not see the
   * others.
   */
  tablesVersion: number;
  /** Of the packet as it was when the translation began: what its flows count. */
  readonly bytes: number;
  /** The packet as it was then. */
  readonly ingressPacket: IngressPacket;
  /**
   * What is left to do once the translation is complete, in order: frames that leave, connections
   * that are looked at.
   */
  odpActions: OdpAction[];
  /** Whether the datapath was told to do anything. */
  hasOdpActions: boolean;
  /**
   * Whether the datapath was told to do what cannot be taken back from the packet it has: cut it
   * off, track, hash or meter it.
   */
  isIrreversible: boolean;
  /**
   * Whether what the datapath is told stands within another of its actions: in a clone with a copy
   * of its own, behind check_pkt_larger.
   */
  isNested: boolean;
  /** Whether nothing is left to do behind the action at hand. */
  isLastAction: boolean;
  /** A meter that it came to may drop all that is behind. */
  isMetered: boolean;
  /**
   * Copies of it were cut off: how much is cut off hangs on what has gone into its bytes before.
   */
  isTruncated: boolean;
  /**
   * It was sent to ports in an order that only the switch knows, and how long it is until it is
   * sent again hangs on which of them was the last.
   */
  isLengthAmbiguous: boolean;
  /**
   * Whether the packet has come in, or was taken up again, and nothing has been done with it:
   * mirrors see it then.
   */
  isIngress: boolean;
  /** The bits of mirrors that have had the packet, or had another send it to the same output. */
  mirrored: number;
  /** The bytes that a copy for a mirror has at most; 0 where it has all, or is none. */
  snapLength: number;
  depth: number;
  lookups: number;
  /** What the datapath's actions take so far, at least and at most. */
  actionBytes: number;
  maxActionBytes: number;
  stack: StackItem[];
  actionSet: Action[];
  hasGroupInSet: boolean;
  isInActionSet: boolean;
  /** Nothing more is carried out. */
  exits: boolean;
  freezing: FreezeReason | undefined;
  frozenActions: FrozenAction[];
  /** Why everything that the packet was sent to is lost. */
  error: string | undefined;
  /** Where the packet came to through a tunnel when the translation began; zero otherwise. */
  readonly origTunnelDst: bigint;
  /** Whether congestion that it met in that tunnel has yet to be told inside. */
  congestion: 'to be told' | 'told';
  /**
   * Whether what is seen of neighbours is remembered: of what the switch itself puts into a tunnel
   * it is not.
   */
  sideEffects: 'all' | 'none';
}

/**
 * What the datapath does once a packet is translated, with so many others `behind`; a packet that a
 * meter drops, or that waits for others, is gone for all of them.
 */
export type OdpAction = (behind: number) => 'dropped' | void;

export function executeActions(actions: readonly OdpAction[], behind = 0): 'dropped' | undefined {
  for (let index = 0; index < actions.length; index++)
    if (actions[index]?.(actions.length - index - 1 + behind) === 'dropped') return 'dropped';
  return undefined;
}

/**
 * What is left to do once the translation is complete; `event`, where it is recorded, is what is
 * kept of it, or why nothing can be.
 */
export function putOdpAction(
  ctx: XlateContext,
  event: DatapathEvent | string | undefined,
  action: OdpAction,
  kind: 'output' | 'other' = 'other',
): void {
  if (typeof event === 'string') avoidCaching(ctx, event);
  else if (event !== undefined) ctx.megaflow?.events.push(event);
  ctx.hasOdpActions = true;
  ctx.maxActionBytes += mostActionBytes[kind];
  ctx.odpActions.push(action);
}

/**
 * What the datapath is told by `work` stands within another of its actions.
 * @throws Unpredictable where that may be more than such an action can hold: Open vSwitch ends
 *   itself by an assertion then (lib/netlink.c, nl_msg_end_nested).
 */
export function xlateNested(ctx: XlateContext, xlateInner: () => void): void {
  const { isNested, maxActionBytes } = ctx;
  ctx.isNested = true;
  xlateInner();
  ctx.isNested = isNested;
  if (ctx.maxActionBytes - maxActionBytes > limits.nestedBytes)
    throw new Unpredictable(
      'the model does not know whether what is done in a clone or behind check_pkt_larger ' +
        'takes more than 64 kB: Open vSwitch ends itself over it',
    );
}

/** No megaflow is made of the translation. */
export function avoidCaching(ctx: XlateContext, why: string): void {
  if (ctx.megaflow === undefined) return;
  const leftOut = ctx.frameRun.node.megaflows?.stats.uncached;
  leftOut?.set(why, (leftOut.get(why) ?? 0) + 1);
  ctx.megaflow = undefined;
}

/** The packet's changes go into its bytes. */
export function commitChanges(ctx: XlateContext): void {
  const { packet, megaflow } = ctx;
  const before = packet.baseKey;
  ctx.isLengthAmbiguous = false;
  if (commit(packet) === 'as they were') return;
  const after = packet.baseKey;
  ctx.maxActionBytes += mostActionBytes.change;
  ctx.odpActions.push(() => {
    ctx.packetState = withCommit(ctx.packetState, before, after);
  });
  if (megaflow === undefined) return;
  if (packet.isEncapsulated) avoidCaching(ctx, 'what a tunnel sends is changed');
  else megaflow.events.push({ kind: 'commit', key: copyKey(packet.key) });
}

/**
 * What a list of actions is: a flow's, a bucket's, or those that were left when the translation was
 * broken off, each with its place.
 */
export type ActionList =
  | { readonly kind: 'flow' }
  | { readonly kind: 'bucket' }
  | { readonly kind: 'frozen'; readonly origins: readonly ActionOrigin[] };

export const flowActionList: ActionList = { kind: 'flow' };

export function newXlateContext(
  { frameRun, doXlateActions, recirculate }: XlateCallbacks,
  bridge: ModelBridge,
  packet: Packet,
): XlateContext {
  return {
    frameRun,
    doXlateActions,
    recirculate,
    megaflow: undefined,
    bridge,
    packet,
    bytes: packet.frame.length,
    ingressPacket: { frame: packet.frame, layout: packet.layout, padding: packet.padding },
    tablesVersion: frameRun.edits.length,
    origin: { table: 0, cookie: 0n, flow: undefined, meters: 'looked up' },
    rule: undefined,
    odpActions: [],
    packetState: datapathPacketOf(packet),
    hasOdpActions: false,
    isIrreversible: false,
    isNested: false,
    isLastAction: true,
    isMetered: false,
    isTruncated: false,
    isLengthAmbiguous: false,
    isIngress: false,
    mirrored: 0,
    snapLength: 0,
    depth: 0,
    lookups: 0,
    actionBytes: 0,
    maxActionBytes: 0,
    stack: [],
    actionSet: [],
    hasGroupInSet: false,
    isInActionSet: false,
    exits: false,
    freezing: undefined,
    frozenActions: [],
    error: undefined,
    origTunnelDst: packet.tunnelDst ?? 0n,
    congestion: 'to be told',
    sideEffects: 'all',
  };
}

export function originOf(ctx: XlateContext, rule: Rule): ActionOrigin {
  return {
    table: rule.flow.table,
    cookie: rule.flow.cookie,
    flow: idOf(ctx.frameRun.node, ctx.bridge, rule),
    meters: 'looked up',
  };
}

/** The flow at hand, as steps name it. */
export function stepFlow(ctx: XlateContext): { readonly flow: FlowId } {
  return { flow: flowAtHand(ctx) };
}

function flowAtHand({ origin }: XlateContext): FlowId {
  assert(origin.flow !== undefined, 'actions are those of a flow');
  return origin.flow;
}

export function traceDrop(ctx: XlateContext, why: string): void {
  ctx.frameRun.steps.push({ kind: 'drop', flow: flowAtHand(ctx), why });
}

export function traceWrite(ctx: XlateContext, field: string): void {
  ctx.frameRun.steps.push({ kind: 'write', flow: flowAtHand(ctx), field });
}

/**
 * Whether there is room for one more lookup or group; where there is not, nothing at all comes of
 * the packet.
 * @throws Unpredictable where Open vSwitch looks no further, and carries out what it has
 *   (ofproto-dpif-xlate.c, xlate_resubmit_resource_check): more copies than any port takes.
 */
export function checkResubmitResources(ctx: XlateContext): boolean {
  const used = ctx.stack.reduce((sum, { bytes }) => sum + bytes + 1, 0);
  if (ctx.depth >= limits.depth) ctx.error = `more than ${limits.depth} resubmits deep`;
  else if (ctx.lookups >= limits.lookups) ctx.error = `more than ${limits.lookups} resubmits`;
  else if (ctx.actionBytes > limits.actionBytes)
    throw new Unpredictable(
      'the model does not know at which of its lookups a packet has 64 kB of actions, and ' +
        'goes no further',
    );
  else if (used >= limits.stackBytes)
    ctx.error = `more than ${limits.stackBytes} bytes on the stack`;
  if (ctx.error !== undefined) traceDrop(ctx, ctx.error);
  return ctx.error === undefined;
}
