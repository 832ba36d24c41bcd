/**
 * What OpenFlow did with each frame that came in at a logical port: the logical flows that its
 * flows were compiled from, on all nodes that it came through, and where it came out.
 */
import { assert } from '../../base/errors/errors.js';
import type { ClusterPlan } from '../../domain/plan/cluster-plan.js';
import type { FrameEvent, Observation } from '../../domain/observation.js';
import type { FlowId } from '../../domain/switching.js';
import type { Trace, TraceStep } from '../../model/trace/trace.js';
import { boundPorts, zoneNodes } from './bound-ports.js';

export interface LogicalPassage {
  readonly node: string;
  readonly logicalPort: string;
  readonly frame: Uint8Array;
  /** Flows of bridges that were met, in order. */
  readonly flows: readonly FlowId[];
  /** What the connection tracker said, to the flow that asked: ct_state and ct_mark. */
  readonly tracked: readonly TrackerAnswer[];
  /** Logical ports that it came out of. */
  readonly outputs: readonly string[];
}

interface TrackerAnswer {
  readonly flow: FlowId;
  readonly state: number;
  readonly mark: number;
}

interface Hop {
  readonly entered: FrameEvent;
  readonly steps: readonly TraceStep[];
  readonly left: FrameEvent[];
}

/**
 * @param traces one a frame that entered a switch, in the order of the frames. Chassis of other
 *   zones than that of the first are left out, with what comes back from them.
 * @param unprogrammed nodes whose switches have no flows: OVN's databases do not know, and what
 *   comes to one of them is left out.
 */
export function logicalPassages(
  plan: ClusterPlan,
  { frames }: Observation,
  traces: readonly Trace[],
  unprogrammed: ReadonlySet<string> = new Set(),
): readonly LogicalPassage[] {
  const hops = hopsIn(frames, traces);
  const ports = boundPorts(plan);
  const followers = followersOf(hops, (event) => ports.has(`${event.node} ${event.port}`));
  return hops.flatMap((hop) => {
    const { node, port, frame } = hop.entered;
    const logicalPort = ports.get(`${node} ${port}`);
    if (logicalPort === undefined) return [];
    const nodes = zoneNodes(plan, node);
    const met = withFollowers(hop, followers, nodes);
    if (met.some(({ entered }) => unprogrammed.has(entered.node))) return [];
    const steps = met.flatMap((one) => one.steps);
    return [
      {
        node,
        logicalPort,
        frame,
        flows: steps.flatMap((step) =>
          step.kind === 'lookup' && step.flow !== undefined ? [step.flow] : [],
        ),
        tracked: trackerAnswers(steps),
        outputs: met.flatMap(({ left }) =>
          left.flatMap((event) => ports.get(`${event.node} ${event.port}`) ?? []),
        ),
      },
    ];
  });
}

/** A flow that asks writes ct_state, then ct_mark. */
function trackerAnswers(steps: readonly TraceStep[]): readonly TrackerAnswer[] {
  const written = steps.filter((step) => step.kind === 'write' && step.value !== undefined);
  return written.flatMap((step, index) => {
    if (step.kind !== 'write' || step.field !== 'ct_state') return [];
    const next = written[index + 1];
    const mark = next?.kind === 'write' && next.field === 'ct_mark' ? next.value : undefined;
    assert(step.value !== undefined && mark !== undefined, 'the tracker says both');
    return [{ flow: step.flow, state: step.value, mark }];
  });
}

/** What leaves a node belongs to the last frame that entered it at that instant. */
function hopsIn(frames: readonly FrameEvent[], traces: readonly Trace[]): readonly Hop[] {
  const hops: Hop[] = [];
  const next = traces.values();
  for (const event of frames) {
    if (event.direction === 'in')
      hops.push({ entered: event, steps: next.next().value?.steps ?? [], left: [] });
    else
      hops
        .findLast(({ entered }) => entered.timeUs === event.timeUs && entered.node === event.node)
        ?.left.push(event);
  }
  return hops;
}

/** A frame on the wire between nodes is the next one that enters another node with these bytes. */
function followersOf(
  hops: readonly Hop[],
  isLogical: (event: FrameEvent) => boolean,
): ReadonlyMap<Hop, readonly Hop[]> {
  const claimed = new Set<Hop>();
  return new Map(
    hops.map((hop) => {
      const followers = hop.left.flatMap((left) => {
        if (isLogical(left)) return [];
        const follower = hops.find(
          (other) =>
            !claimed.has(other) &&
            !isLogical(other.entered) &&
            other.entered.timeUs >= left.timeUs &&
            other.entered.node !== left.node &&
            Buffer.compare(other.entered.frame, left.frame) === 0,
        );
        if (follower !== undefined) claimed.add(follower);
        return follower ?? [];
      });
      return [hop, followers] as const;
    }),
  );
}

/** @param nodes on others it is not followed. */
function withFollowers(
  hop: Hop,
  followers: ReadonlyMap<Hop, readonly Hop[]>,
  nodes: ReadonlySet<string>,
): readonly Hop[] {
  const next = (followers.get(hop) ?? []).filter(({ entered }) => nodes.has(entered.node));
  return [hop, ...next.flatMap((follower) => withFollowers(follower, followers, nodes))];
}
