/**
 * One translation: a packet on its way through tables, from where it enters until it leaves, ends
 * or is put off (Open vSwitch ofproto/ofproto-dpif-xlate.c).
 */
import { assert, Unpredictable } from '../../base/errors.js';
import type { FlowId, PacketIn } from '../../nouns/switching.js';
import type { Action, ControllerAction } from '../../openflow/actions.js';
import { copyKey, type FlowKey } from '../../packet/flow-key.js';
import type { Rule } from '../classifier.js';
import type { Edit } from '../flows/edit.js';
import type { Event, Recording } from '../megaflows/recording.js';
import type { Received } from '../memberships.js';
import { idOf, type ModelBridge, type ModelNode } from '../node.js';
import { commit, type Packet } from '../packet.js';
import type { Detail } from '../detail.js';
import { carriedBy, writtenOver, type Carried } from './carried.js';
import type { TraceStep } from '../trace.js';

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
export interface Passage {
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
  readonly shortened: ModelBridge[];
  /** Ports that a frame did not fit through. */
  readonly clogged: string[];
  /** Missing where nobody asks for them. */
  readonly details?: Detail[];
  /** How often the packet at hand was put off and taken up again. */
  recirculations: number;
}

/** Where an action stands: what a controller is told of, and what steps are told by. */
export interface Place {
  readonly table: number;
  readonly cookie: bigint;
  readonly flow: FlowId | undefined;
  /**
   * Of its controllers: those of flows are looked up, those of what a controller lets go on are not
   * (ofproto/ofproto.c, ofproto_check_ofpacts).
   */
  readonly meters: 'looked up' | 'not looked up';
}

export interface FrozenAction {
  readonly action: Action;
  readonly place: Place;
}

/** Why a translation is broken off, to go on later with what is left to do. */
export type Freezing =
  /** The packet is read anew: what stands behind the labels. */
  | { readonly kind: 'reread' }
  /** The datapath hashes the packet first. */
  | { readonly kind: 'hash'; readonly algorithm: 'L4' | 'symmetric L4'; readonly basis: number }
  /** A controller resumes it. */
  | { readonly kind: 'pause'; readonly action: ControllerAction; readonly place: Place };

/** Everything that a translation needs to go on. */
export interface Frozen {
  readonly bridge: ModelBridge;
  /** Looked up where no actions are left. */
  readonly table: number;
  readonly packet: Packet;
  readonly actions: readonly FrozenAction[];
  /** Of the flow that it goes on in until an action finds its place again, where one is told of. */
  readonly cookie?: bigint;
  readonly stack: readonly StackItem[];
  /** The mirrors that have had it. */
  readonly mirrored: number;
}

export interface StackItem {
  readonly value: bigint;
  bytes: number;
}

/** What carries out what is left to the datapath. */
export interface Execution {
  readonly passage: Passage;
  /** Of the datapath's packet. */
  carried: Carried;
  /** A translation of its own, after this one. */
  readonly recirculate: (frozen: Frozen) => void;
  /** Where it goes on from, for a fragment that does. */
  readonly thawedAt?: string;
}

/** What the parts of the pipeline need of each other. */
interface Machine extends Omit<Execution, 'carried'> {
  /** Carries out `actions` one by one. */
  readonly carryOut: (at: Translation, actions: readonly Action[], list: ActionList) => void;
}

export interface Translation extends Machine, Execution {
  /** Missing where nothing of it is kept for other packets. */
  recording: Recording | undefined;
  bridge: ModelBridge;
  packet: Packet;
  place: Place;
  /** The flow at hand; none once the translation was broken off in it. */
  rule: Rule | undefined;
  /**
   * How many of the passage's edits there were when it began in this bridge: it does not see the
   * others.
   */
  sees: number;
  /** Of the packet as it was when the translation began: what its flows count. */
  readonly bytes: number;
  /** The packet as it was then. */
  readonly received: Received;
  /**
   * What is left to do once the translation is complete, in order: frames that leave, connections
   * that are looked at.
   */
  datapath: DatapathAction[];
  /** Whether the datapath was told to do anything. */
  hasTold: boolean;
  /**
   * Whether the datapath was told to do what cannot be taken back from the packet it has: cut it
   * off, track, hash or meter it.
   */
  isLasting: boolean;
  /**
   * Whether what the datapath is told stands within another of its actions: in a clone with a copy
   * of its own, behind check_pkt_larger.
   */
  isNested: boolean;
  /** Whether nothing is left to do behind the action at hand. */
  isLast: boolean;
  /** A meter that it came to may drop all that is behind. */
  isMetered: boolean;
  /**
   * Copies of it were cut off: how much is cut off hangs on what has gone into its bytes before.
   */
  isCutOff: boolean;
  /**
   * It was sent to ports in an order that only the switch knows, and how long it is until it is
   * sent again hangs on which of them was the last.
   */
  isLengthOpen: boolean;
  /**
   * Whether the packet has come in, or was taken up again, and nothing has been done with it:
   * mirrors see it then.
   */
  isArriving: boolean;
  /** The bits of mirrors that have had the packet, or had another send it to the same output. */
  mirrored: number;
  /** The bytes that a copy for a mirror has at most; 0 where it has all, or is none. */
  snapLength: number;
  depth: number;
  lookups: number;
  /** What the datapath's actions take so far, at least and at most. */
  actionBytes: number;
  mostActionBytes: number;
  stack: StackItem[];
  actionSet: Action[];
  hasGroupInSet: boolean;
  isInActionSet: boolean;
  /** Nothing more is carried out. */
  exits: boolean;
  freezing: Freezing | undefined;
  frozen: FrozenAction[];
  /** Why everything that the packet was sent to is lost. */
  error: string | undefined;
  /** Where the packet came to through a tunnel when the translation began; zero otherwise. */
  readonly cameTo: bigint;
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
export type DatapathAction = (behind: number) => 'dropped' | void;

export function execute(actions: readonly DatapathAction[], behind = 0): 'dropped' | undefined {
  for (let index = 0; index < actions.length; index++)
    if (actions[index]?.(actions.length - index - 1 + behind) === 'dropped') return 'dropped';
  return undefined;
}

/**
 * What is left to do once the translation is complete; `event`, where it is recorded, is what is
 * kept of it, or why nothing can be.
 */
export function leaveToDatapath(
  at: Translation,
  event: Event | string | undefined,
  carryOut: DatapathAction,
  kind: 'output' | 'other' = 'other',
): void {
  if (typeof event === 'string') keepNothing(at, event);
  else if (event !== undefined) at.recording?.events.push(event);
  at.hasTold = true;
  at.mostActionBytes += mostActionBytes[kind];
  at.datapath.push(carryOut);
}

/**
 * What the datapath is told by `work` stands within another of its actions.
 * @throws Unpredictable where that may be more than such an action can hold: Open vSwitch ends
 *   itself by an assertion then (lib/netlink.c, nl_msg_end_nested).
 */
export function nested(at: Translation, work: () => void): void {
  const { isNested, mostActionBytes } = at;
  at.isNested = true;
  work();
  at.isNested = isNested;
  if (at.mostActionBytes - mostActionBytes > limits.nestedBytes)
    throw new Unpredictable(
      'the model does not know whether what is done in a clone or behind check_pkt_larger ' +
        'takes more than 64 kB: Open vSwitch ends itself over it',
    );
}

/** No megaflow is made of the translation. */
export function keepNothing(at: Translation, why: string): void {
  if (at.recording === undefined) return;
  const leftOut = at.passage.node.megaflows?.told.leftOut;
  leftOut?.set(why, (leftOut.get(why) ?? 0) + 1);
  at.recording = undefined;
}

/** The packet's changes go into its bytes. */
export function commitChanges(at: Translation): void {
  const { packet, recording } = at;
  const before = packet.arrived;
  at.isLengthOpen = false;
  if (commit(packet) === 'as they were') return;
  const after = packet.arrived;
  at.mostActionBytes += mostActionBytes.change;
  at.datapath.push(() => {
    at.carried = writtenOver(at.carried, before, after);
  });
  if (recording === undefined) return;
  if (packet.isWrapped) keepNothing(at, 'what a tunnel sends is changed');
  else recording.events.push({ kind: 'commit', key: copyKey(packet.key) });
}

/**
 * What a list of actions is: a flow's, a bucket's, or those that were left when the translation was
 * broken off, each with its place.
 */
export type ActionList =
  | { readonly kind: 'flow' }
  | { readonly kind: 'bucket' }
  | { readonly kind: 'frozen'; readonly places: readonly Place[] };

export const ofFlow: ActionList = { kind: 'flow' };

export function beginTranslation(
  { passage, carryOut, recirculate }: Machine,
  bridge: ModelBridge,
  packet: Packet,
): Translation {
  return {
    passage,
    carryOut,
    recirculate,
    recording: undefined,
    bridge,
    packet,
    bytes: packet.frame.length,
    received: { frame: packet.frame, layout: packet.layout, padding: packet.padding },
    sees: passage.edits.length,
    place: { table: 0, cookie: 0n, flow: undefined, meters: 'looked up' },
    rule: undefined,
    datapath: [],
    carried: carriedBy(packet),
    hasTold: false,
    isLasting: false,
    isNested: false,
    isLast: true,
    isMetered: false,
    isCutOff: false,
    isLengthOpen: false,
    isArriving: false,
    mirrored: 0,
    snapLength: 0,
    depth: 0,
    lookups: 0,
    actionBytes: 0,
    mostActionBytes: 0,
    stack: [],
    actionSet: [],
    hasGroupInSet: false,
    isInActionSet: false,
    exits: false,
    freezing: undefined,
    frozen: [],
    error: undefined,
    cameTo: packet.cameTo ?? 0n,
    congestion: 'to be told',
    sideEffects: 'all',
  };
}

export function placeOf(at: Translation, rule: Rule): Place {
  return {
    table: rule.flow.table,
    cookie: rule.flow.cookie,
    flow: idOf(at.passage.node, at.bridge, rule),
    meters: 'looked up',
  };
}

/** The flow at hand, as steps name it. */
export function blame(at: Translation): { readonly flow: FlowId } {
  return { flow: flowOf(at) };
}

function flowOf({ place }: Translation): FlowId {
  assert(place.flow !== undefined, 'actions are those of a flow');
  return place.flow;
}

export function noteDrop(at: Translation, why: string): void {
  at.passage.steps.push({ kind: 'drop', flow: flowOf(at), why });
}

export function noteWrite(at: Translation, field: string): void {
  at.passage.steps.push({ kind: 'write', flow: flowOf(at), field });
}

/**
 * Whether there is room for one more lookup or group; where there is not, nothing at all comes of
 * the packet.
 * @throws Unpredictable where Open vSwitch looks no further, and carries out what it has
 *   (ofproto-dpif-xlate.c, xlate_resubmit_resource_check): more copies than any port takes.
 */
export function hasRoom(at: Translation): boolean {
  const used = at.stack.reduce((sum, { bytes }) => sum + bytes + 1, 0);
  if (at.depth >= limits.depth) at.error = `more than ${limits.depth} resubmits deep`;
  else if (at.lookups >= limits.lookups) at.error = `more than ${limits.lookups} resubmits`;
  else if (at.actionBytes > limits.actionBytes)
    throw new Unpredictable(
      'the model does not know at which of its lookups a packet has 64 kB of actions, and ' +
        'goes no further',
    );
  else if (used >= limits.stackBytes)
    at.error = `more than ${limits.stackBytes} bytes on the stack`;
  if (at.error !== undefined) noteDrop(at, at.error);
  return at.error === undefined;
}
