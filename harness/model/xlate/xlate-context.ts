/**
 * One translation: a packet on its way through tables, from where it enters until it leaves, ends
 * or is frozen (Open vSwitch ofproto/ofproto-dpif-xlate.c).
 */
import type { Action } from '../../openflow/actions/actions.js';
import type { Rule } from '../tables/flow-tables.js';
import type { MegaflowDraft } from '../megaflow/unwildcard.js';
import type { IngressPacket } from '../l2/multicast-messages.js';
import type { ModelBridge } from '../model-bridge.js';
import type { Packet } from '../packet/packet.js';
import { datapathPacketOf } from './datapath/datapath-packet.js';
import { kernelActionsOf, type KernelActions } from './datapath/kernel-actions.js';
import type { ActionOrigin, FrozenAction, FreezeReason, StackItem } from './frozen.js';
import type { DatapathExecution, OdpAction } from './datapath/datapath-execution.js';
import { word } from '../../packet/flow-key/flow-key.js';
import { ethernetBytes } from '../tunnels/encapsulation.js';

/** What the parts of the pipeline need of each other. */
interface XlateCallbacks extends Omit<DatapathExecution, 'packetState'> {
  /** Executes `actions` one by one. */
  readonly doXlateActions: (at: XlateContext, actions: readonly Action[], list: ActionList) => void;
}

export interface XlateContext extends XlateCallbacks, DatapathExecution {
  /** Missing where nothing of it is kept for other packets. */
  megaflow: MegaflowDraft | undefined;
  bridge: ModelBridge;
  packet: Packet;
  origin: ActionOrigin;
  /** The flow at hand; none once the translation was frozen in it. */
  rule: Rule | undefined;
  /**
   * How many of the passage's edits there were when it began in this bridge: it does not see the
   * others.
   */
  tablesVersion: number;
  /** Of the packet as it was when the translation began: what its flows count. */
  readonly bytes: number;
  /** Of the outer headers of all tunnels that it has gone into since then. */
  outerBytes: number;
  /** The packet as it was then. */
  readonly ingressPacket: IngressPacket;
  /**
   * What is left to do once the translation is complete, in order: frames that leave, connections
   * that are matched on.
   */
  odpActions: OdpAction[];
  /** Whether the datapath got any action. */
  hasOdpActions: boolean;
  /**
   * Whether the datapath got an action that cannot be undone on the packet it has: cut it
   * off, track, hash or meter it.
   */
  isIrreversible: boolean;
  /** What the kernel makes of these actions, where it is the datapath. */
  kernelActions: KernelActions | undefined;
  /**
   * Whether actions for the datapath stand within another of its actions: in a clone with a copy
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
   * Whether the packet has come in, or was thawed, and nothing has been done with it:
   * mirrors see it then.
   */
  isIngress: boolean;
  /** The bits of mirrors that have had the packet, or had another send it to the same output. */
  mirrored: number;
  /** To which reserved address it goes, where a mirror has not copied it for that. */
  uncopied: number | undefined;
  /** Whether NORMAL has read where it goes. */
  readsDestination: boolean;
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
  /** No more actions are executed. */
  exits: boolean;
  freezing: FreezeReason | undefined;
  frozenActions: FrozenAction[];
  /** Why everything that the packet was sent to is lost. */
  error: string | undefined;
  /** The queue that the packet was meant for when the translation began. */
  readonly initialQueue: number;
  /** Where the packet came to through a tunnel when the translation began; zero otherwise. */
  readonly origTunnelDst: bigint;
  /** Whether congestion that it met in that tunnel has yet to be marked inside. */
  congestion: 'to be reported' | 'reported';
  /**
   * Whether what is seen of neighbours is remembered: of what the switch itself puts into a tunnel
   * it is not.
   */
  sideEffects: 'all' | 'none';
}

/**
 * What a list of actions is: a flow's, a bucket's, or those that were left when the translation was
 * aborted, each with its place.
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
    bytes: packet.frame.length - (packet.lacksEthernet === true ? ethernetBytes : 0),
    outerBytes: 0,
    ingressPacket: { frame: packet.frame, layout: packet.layout, padding: packet.padding },
    tablesVersion: frameRun.edits.length,
    origin: { table: 0, cookie: 0n, flow: undefined, meters: 'looked up' },
    rule: undefined,
    odpActions: [],
    packetState: datapathPacketOf(packet),
    hasOdpActions: false,
    isIrreversible: false,
    kernelActions: kernelActionsOf(packet, frameRun.node.behaviour),
    initialQueue: packet.key[word.skbPriority] ?? 0,
    isNested: false,
    isLastAction: true,
    isMetered: false,
    isTruncated: false,
    isLengthAmbiguous: false,
    isIngress: false,
    mirrored: 0,
    uncopied: undefined,
    readsDestination: false,
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
    congestion: 'to be reported',
    sideEffects: 'all',
  };
}
