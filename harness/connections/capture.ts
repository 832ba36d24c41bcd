/** What crosses devices of a real cluster meanwhile. */
import { systemProgram } from '../ovs/process/system-program.js';
import { framesOf, type CapturedFrame } from '../streams/captured.js';
import { captureProgram } from '../streams/stream-program.js';
import { inNamespace } from '../testbeds/netns/carrier.js';
import type { RealCluster } from '../throughput/cluster/real-cluster.js';
import { startTalker, type Talker } from './talker.js';

export interface Captures {
  /**
   * Ends them, and gives what each has seen, by the names they were started under.
   * @throws Unavailable where one has lost frames.
   */
  end(): Promise<ReadonlyMap<string, readonly CapturedFrame[]>>;
  close(): Promise<void>;
}

/** Headers of a tunnel and of what it carries, with all options. */
const capturedBytes = 200;

/** The network between nodes, where ends of uplinks are. */
export const betweenNodes = 'the network between nodes';

/**
 * At the pods named, and at each end of the network between nodes, by `betweenNodes`.
 * @param roomBytes a fault: what the buffers of captures take, where it is too little.
 */
export async function startCaptures(
  cluster: RealCluster,
  pods: readonly string[],
  roomBytes?: number,
): Promise<Captures> {
  const { between, plan } = cluster;
  const program = (device: string) =>
    [
      ...[systemProgram('perl'), '-e', captureProgram, device, String(capturedBytes)],
      ...(roomBytes === undefined ? [] : [String(roomBytes)]),
    ] as const;
  const started: { readonly name: string; readonly place: string; readonly talker: Talker }[] = [];
  const close = async () => void (await Promise.all(started.map(({ talker }) => talker.close())));
  try {
    for (const pod of pods)
      started.push({
        name: pod,
        place: pod,
        talker: startTalker(`the capture at ${pod}`, cluster.inHost(pod, program('eth0'))),
      });
    for (const index of plan.nodes.keys())
      started.push({
        name: betweenNodes,
        place: `end${index + 1} between nodes`,
        talker: startTalker(
          'the capture between nodes',
          inNamespace(between.carrier.pid, program(`end${index + 1}`)),
        ),
      });
    for (const { talker } of started) await talker.next(); // `ready`
  } catch (error) {
    await close();
    throw error;
  }
  return {
    end: async () => {
      await Promise.all(started.map(({ talker }) => talker.end()));
      const seen = new Map<string, readonly CapturedFrame[]>();
      for (const { name, place, talker } of started) {
        const frames = framesOf(`the capture at ${place}`, talker.lines);
        const those = name === betweenNodes ? frames.filter(isFromNode) : frames;
        seen.set(name, [...(seen.get(name) ?? []), ...those]);
      }
      return seen;
    },
    close,
  };
}

/** Of those that cross the end of an uplink: the others are seen at the end they came from. */
function isFromNode({ direction }: CapturedFrame): boolean {
  return direction === 'in';
}
