/**
 * The way of each frame from host to host: which frame a switch made of which. A frame stays one
 * object from where it leaves a host or a switch to where it gets to the next.
 */
import type { FrameEvent, HostFrame, Observation } from '../domain/observation.js';
import type { Trace } from '../model/trace/trace.js';

/** A frame that went into a switch, what the model did with it, and what came out of it at once. */
export interface Hop {
  readonly entered: FrameEvent;
  readonly trace?: Trace;
  readonly left: readonly FrameEvent[];
}

export interface Journey {
  readonly sent: readonly HostFrame[];
  /** The hop that a frame came out of, and the port. */
  origin(frame: Uint8Array): { readonly hop: Hop; readonly port: string } | undefined;
  /** The last hop at which a frame, or something made of it, got to no host; else undefined. */
  deadEnd(frame: Uint8Array): Hop | undefined;
}

export function journeyOf(
  { frames, hostFrames = [] }: Observation,
  traces: readonly Trace[],
): Journey {
  const hops = hopsOf(frames, traces);
  const into = new Map<Uint8Array, readonly Hop[]>();
  for (const hop of hops)
    into.set(hop.entered.frame, [...(into.get(hop.entered.frame) ?? []), hop]);
  const arrived = new Set(
    hostFrames.filter(({ kind }) => kind !== 'sent').map(({ frame }) => frame),
  );
  const deadEnd = (frame: Uint8Array): Hop | undefined => {
    if (arrived.has(frame)) return undefined;
    for (const hop of into.get(frame) ?? []) {
      const ends = hop.left.map((event) => ({ event, end: deadEnd(event.frame) }));
      const isOver = ({ event, end }: (typeof ends)[number]) =>
        end === undefined && (arrived.has(event.frame) || into.has(event.frame));
      if (ends.some(isOver)) return undefined;
      return ends.findLast(({ end }) => end !== undefined)?.end ?? hop;
    }
    return undefined;
  };
  return {
    sent: hostFrames.filter(({ kind }) => kind === 'sent'),
    origin(frame) {
      for (const hop of hops) {
        const event = hop.left.find((one) => one.frame === frame);
        if (event !== undefined) return { hop, port: event.port };
      }
      return undefined;
    },
    deadEnd,
  };
}

/** A switch answers a frame at the instant at which it came in, and before the next one. */
function hopsOf(frames: readonly FrameEvent[], traces: readonly Trace[]): readonly Hop[] {
  const byFrame = new Map(traces.map((trace) => [trace.frame, trace]));
  const hops: { entered: FrameEvent; trace?: Trace; left: FrameEvent[] }[] = [];
  const last = new Map<string, (typeof hops)[number]>();
  for (const event of frames) {
    if (event.direction === 'in') {
      const trace = byFrame.get(event.frame);
      const hop = { entered: event, left: [], ...(trace === undefined ? {} : { trace }) };
      hops.push(hop);
      last.set(event.node, hop);
      continue;
    }
    const hop = last.get(event.node);
    if (hop !== undefined && hop.entered.timeUs === event.timeUs) hop.left.push(event);
  }
  return hops;
}
