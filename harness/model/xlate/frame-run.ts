/** One frame into a node, with all that it leads to. */
import type { PacketIn } from '../../domain/switching.js';
import type { FlowKey } from '../../packet/flow-key/flow-key.js';
import type { Edit } from '../tables/flows/edit-flows.js';
import type { ModelNode } from '../model-node.js';
import type { ModelBridge } from '../model-bridge.js';
import type { Detail } from '../trace/trace-detail.js';
import type { TraceStep } from '../trace/trace.js';
import type { Frozen } from './frozen.js';

/** What one frame into a node has led to so far. */
export interface FrameRun {
  readonly node: ModelNode;
  /** `key`: the packet as it left, where details are wanted. */
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
  /** What the tracker is to say next, in the place of what it says: bits of ct_state each. */
  readonly assumedCtStates?: number[];
  /** How often the packet at hand was frozen and thawed. */
  recirculations: number;
}
