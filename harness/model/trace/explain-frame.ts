/** One packet through a node's switches, in all detail. */
import { assert, Unsupported } from '../../base/errors/errors.js';
import type { PacketIn } from '../../domain/switching.js';
import { word, type FlowKey } from '../../packet/flow-key/flow-key.js';
import type { Detail } from './trace-detail.js';
import type { ModelNode } from '../model-node.js';
import { parsePacket } from '../packet/parse-packet.js';
import { processFrame } from '../xlate/recirculate.js';
import type { FrameRun } from '../xlate/frame-run.js';
import type { TraceStep } from './trace.js';
import { tunnelDestination } from '../tunnels/tunnel-addresses.js';

/**
 * A packet at a port of a bridge, by OpenFlow number, with what is known of it beside its bytes:
 * registers, metadata, tunnel, connection.
 */
export interface PacketWithMetadata {
  readonly bridge: string;
  readonly ofport: number;
  readonly frame: Uint8Array;
  readonly known?: FlowKey;
  /** Where a packet continues that was thawed; the first by default. */
  readonly table?: number;
  /** What the tracker is taken to say, one each time that it is asked (`--ct-next`). */
  readonly assumedCtStates?: readonly number[];
}

/** Its outcome; `refused` where the model gave up, with all that was before. */
export interface Explained {
  readonly steps: readonly TraceStep[];
  readonly details: readonly Detail[];
  /** Sorted by port; frames of one port in order. `key` is the packet as it left. */
  readonly outputs: readonly {
    readonly port: string;
    readonly frame: Uint8Array;
    readonly key: FlowKey;
  }[];
  readonly packetIns: readonly PacketIn[];
  readonly refused?: Unsupported;
}

/** The same as `receiveFrame`, for those who want to see all of it. */
export function explainFrame(
  node: ModelNode,
  { bridge: name, ofport, frame, known, table = 0, assumedCtStates = [] }: PacketWithMetadata,
): Explained {
  const bridge = node.bridges.find(({ plan }) => plan.name === name);
  assert(bridge !== undefined, `node ${node.name} has no bridge ${name}`);
  const details: Detail[] = [];
  const passage: FrameRun = {
    node,
    outputs: [],
    packetIns: [],
    resumed: [],
    steps: [],
    edits: [],
    shortenedBridges: [],
    jammedPorts: [],
    details,
    assumedCtStates: [...assumedCtStates],
    recirculations: 0,
  };
  const explained = (refused?: Unsupported): Explained => {
    const outputs = passage.outputs
      .map((output) => ({ ...output, key: output.key ?? new Uint32Array() }))
      .toSorted((a, b) => (a.port < b.port ? -1 : a.port > b.port ? 1 : 0));
    return {
      steps: passage.steps,
      details,
      outputs,
      packetIns: passage.packetIns,
      ...(refused === undefined ? {} : { refused }),
    };
  };
  try {
    const packet = parsePacket(frame, ofport, node.tagsMax);
    if (known !== undefined)
      for (const [from, to] of metadataWords) packet.key.set(known.subarray(from, to), from);
    const arrived = { ...packet, tunnelDst: tunnelDestination(packet.key) };
    processFrame(passage, bridge, arrived, table);
    return explained();
  } catch (error) {
    if (error instanceof Unsupported) return explained(error);
    throw error;
  }
}

/**
 * The words of a key that are known of a packet beside its bytes, from and to; not its port, and
 * not what an action set leads to.
 */
const metadataWords = [
  [word.reg, word.actsetOutput],
  [word.packetType, word.ethSrc],
] as const;
