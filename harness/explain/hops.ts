/**
 * The path of one vector, hop by hop: every frame into a node, what the node made of it, and what
 * came out; the model's beside the switch's.
 */
import type { Trace, TraceStep } from '../model/trace/trace.js';
import type { FrameEvent, Observation } from '../domain/observation.js';
import type { FlowId } from '../domain/switching.js';
import {
  describeFrame,
  differingFields,
  type FieldDifference,
} from '../packet/dissect/describe-frame.js';
import { flowKey } from '../compare/compare-counters.js';

/** A frame into a switch port, and all that followed from it on that node at that instant. */
export interface Hop {
  readonly timeUs: number;
  readonly node: string;
  readonly port: string;
  /** Missing where frames came out of a node and none had gone in. */
  readonly entered?: Crossing;
  readonly lookups: readonly Lookup[];
  readonly left: readonly (Crossing & { readonly port: string })[];
}

/** One frame at one port, as both sides saw it. */
export interface Crossing {
  /** As the model has it; as the switch has it where the model has none. */
  readonly frame: string;
  readonly seen:
    | 'by both'
    | 'by the model only'
    | 'by the switch only'
    | 'differently'
    | 'not observed';
  /** Where both saw it and it differs: the model's value is `expected`. */
  readonly fields: readonly FieldDifference[];
}

/** A table on the model's path, with what its flow did. */
export interface Lookup {
  readonly bridge: string;
  readonly table: number;
  /** Missing where nothing matched. */
  readonly flow?: FlowId;
  /** What OVN compiled the flow from; missing of a flow that is wanted as it is. */
  readonly source?: string;
  readonly writes: readonly string[];
  readonly outputs: readonly { readonly port: string; readonly by?: string }[];
  readonly drop?: string;
}

/**
 * @param traces the model's, one a frame that entered a switch, in the order of `model.frames`.
 * @param real what the switch did; undefined where the vector could not be played to its end.
 */
export function hopsOf(
  model: Observation,
  traces: readonly Trace[],
  real: Observation | undefined,
): readonly Hop[] {
  const predicted = passages(model.frames);
  if (real === undefined) return predicted.map(hopFromModel(traces, () => false));
  const seen = new Map(passages(real.frames).map((passage) => [passage.key, passage]));
  const traced = traces.values();
  const both = predicted.map((passage) => {
    const lookups =
      passage.entered === undefined ? [] : lookupsOf(traced.next().value?.steps ?? []);
    return hopOf(passage, seen.get(passage.key), lookups);
  });
  const known = new Set(predicted.map(({ key }) => key));
  const others = [...seen.values()]
    .filter(({ key }) => !known.has(key))
    .map((passage) => hopOf(undefined, passage, []));
  return [...both, ...others].sort((a, b) => a.timeUs - b.timeUs);
}

/**
 * The model's way of a vector that ran in a batch: who asked for neighbours for
 * all of them is not among `real`, and what the switches had learned of others by then sent fewer
 * copies out. So much as `real` has of it was seen by both.
 */
export function batchHops(
  model: Observation,
  traces: readonly Trace[],
  real: Observation,
): readonly Hop[] {
  const key = (node: string, port: string, direction: 'in' | 'out', frame: Uint8Array) =>
    `${node} ${port} ${direction} ${Buffer.from(frame).toString('latin1')}`;
  const known = new Set(
    real.frames.map(({ node, port, direction, frame }) => key(node, port, direction, frame)),
  );
  return passages(model.frames).map(hopFromModel(traces, (...at) => known.has(key(...at))));
}

type IsKnown = (node: string, port: string, direction: 'in' | 'out', frame: Uint8Array) => boolean;

function hopFromModel(traces: readonly Trace[], isKnown: IsKnown): (passage: NodePassage) => Hop {
  const traced = traces.values();
  const crossed = (...at: Parameters<IsKnown>): Crossing => ({
    frame: describeFrame(at[3]),
    seen: isKnown(...at) ? 'by both' : 'not observed',
    fields: [],
  });
  return ({ timeUs, node, port, entered, left }) => ({
    timeUs,
    node,
    port,
    ...(entered === undefined ? {} : { entered: crossed(node, port, 'in', entered) }),
    lookups: entered === undefined ? [] : lookupsOf(traced.next().value?.steps ?? []),
    left: left.map((departed) => ({
      port: departed.port,
      ...crossed(node, departed.port, 'out', departed.frame),
    })),
  });
}

/** What one side saw of a hop. */
interface NodePassage {
  /** Instant and port, numbered where several frames enter one port at one instant. */
  readonly key: string;
  readonly timeUs: number;
  readonly node: string;
  readonly port: string;
  readonly entered?: Uint8Array;
  readonly left: { readonly port: string; readonly frame: Uint8Array }[];
}

/** What comes out of a node belongs to the last frame that entered it at that instant. */
function passages(frames: readonly FrameEvent[]): readonly NodePassage[] {
  const found: NodePassage[] = [];
  const times = new Map<string, number>();
  const begin = (event: FrameEvent, entered?: Uint8Array): NodePassage => {
    const place = `${event.timeUs} ${event.node} ${entered === undefined ? '' : event.port}`;
    const nth = times.get(place) ?? 0;
    times.set(place, nth + 1);
    const passage = {
      key: `${place} ${nth}`,
      timeUs: event.timeUs,
      node: event.node,
      port: event.port,
      ...(entered === undefined ? {} : { entered }),
      left: [],
    };
    found.push(passage);
    return passage;
  };
  for (const event of frames) {
    if (event.direction === 'in') begin(event, event.frame);
    else
      (
        found.findLast(({ timeUs, node }) => timeUs === event.timeUs && node === event.node) ??
        begin(event)
      ).left.push({ port: event.port, frame: event.frame });
  }
  return found;
}

function hopOf(
  model: NodePassage | undefined,
  real: NodePassage | undefined,
  lookups: readonly Lookup[],
): Hop {
  const { timeUs, node, port } = (model ?? real) as NodePassage;
  const entered = crossing(model?.entered, real?.entered);
  return {
    timeUs,
    node,
    port,
    ...(entered === undefined ? {} : { entered }),
    lookups,
    left: departures(model?.left ?? [], real?.left ?? []),
  };
}

/** Frames of one port are paired in their order. */
function departures(model: NodePassage['left'], real: NodePassage['left']): Hop['left'] {
  const ports = [...new Set([...model, ...real].map(({ port }) => port))];
  return ports.flatMap((port) => {
    const [wanted, seen] = [model, real].map((all) =>
      all.filter((frame) => frame.port === port),
    ) as [NodePassage['left'], NodePassage['left']];
    return Array.from({ length: Math.max(wanted.length, seen.length) }, (_, index) =>
      crossing(wanted[index]?.frame, seen[index]?.frame),
    ).flatMap((found) => (found === undefined ? [] : [{ port, ...found }]));
  });
}

function crossing(
  model: Uint8Array | undefined,
  real: Uint8Array | undefined,
): Crossing | undefined {
  if (model === undefined)
    return real === undefined
      ? undefined
      : { frame: describeFrame(real), seen: 'by the switch only', fields: [] };
  if (real === undefined)
    return { frame: describeFrame(model), seen: 'by the model only', fields: [] };
  const same = Buffer.compare(model, real) === 0;
  return {
    frame: describeFrame(model),
    seen: same ? 'by both' : 'differently',
    fields: same ? [] : differingFields(model, real),
  };
}

/** What a flow did stands with the last lookup that found it: a resubmit may come back to it. */
function lookupsOf(steps: readonly TraceStep[]): readonly Lookup[] {
  const found: { -readonly [K in keyof Lookup]: Lookup[K] }[] = [];
  for (const step of steps) {
    if (step.kind === 'lookup') {
      found.push({
        bridge: step.bridge,
        table: step.table,
        ...(step.flow === undefined ? {} : { flow: step.flow }),
        writes: [],
        outputs: [],
      });
      continue;
    }
    if (step.kind === 'answer') continue;
    const { flow } = step;
    const at = found.findLast(
      (lookup) =>
        flow === undefined || (lookup.flow !== undefined && flowKey(lookup.flow) === flowKey(flow)),
    );
    if (at === undefined) continue;
    if (step.kind === 'write') at.writes = [...at.writes, step.field];
    else if (step.kind === 'output')
      at.outputs = [
        ...at.outputs,
        { port: step.port, ...(step.by === undefined ? {} : { by: step.by }) },
      ];
    else if (step.kind === 'drop') at.drop = step.why;
  }
  return found;
}
