/**
 * The place at which a promise stopped being true although model and switch agree: where a frame
 * came out that may not, or where what was to arrive ended.
 */
import type { Intent } from '../domain/intent.js';
import type { Location } from '../domain/location.js';
import type { Observation } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';
import type { Trace, TraceStep } from '../model/trace/trace.js';
import { describeFrame } from '../packet/dissect/describe-frame.js';
import { hostPacketIn } from './host-packets.js';
import { journeyOf, type Hop, type Journey } from './journey.js';
import { unpromisedArrival } from './judge-arrivals.js';
import { locateDecision } from './locate.js';

export interface BrokenPass {
  readonly intent: Intent;
  readonly stimulus: Stimulus;
  readonly seen: Observation;
  /** The model's, of this pass alone. */
  readonly traces: readonly Trace[];
}

/** Undefined where nothing is known of the way of its frames. */
export function locateBroken({ intent, stimulus, seen, traces }: BrokenPass): Location | undefined {
  const journey = journeyOf(seen, traces);
  return (
    whereItLeaked(certainOf(intent), stimulus, seen, journey) ??
    whereItEnded(journey) ??
    whoDroppedIt(seen) ??
    locateDecision(traces)
  );
}

/** Of several outcomes, the first; of a contradiction, what is known to happen. */
function certainOf(intent: Intent): Exclude<Intent, { kind: 'either' | 'contradicted' }> {
  if (intent.kind === 'contradicted') return certainOf(intent.instead);
  if (intent.kind !== 'either') return intent;
  const [first] = intent.outcomes;
  return first === undefined ? { kind: 'denied', why: intent.why } : certainOf(first);
}

function whereItLeaked(
  intent: Exclude<Intent, { kind: 'either' | 'contradicted' }>,
  stimulus: Stimulus,
  { hostFrames = [] }: Observation,
  journey: Journey,
): Location | undefined {
  const leaked = unpromisedArrival(intent, stimulus, hostFrames);
  const from = leaked === undefined ? undefined : journey.origin(leaked.frame);
  const output = from?.hop.trace?.steps.findLast(
    (step) => step.kind === 'output' && step.port === from.port,
  );
  return leaked === undefined || output?.kind !== 'output'
    ? undefined
    : {
        flow: output.flow,
        because: `model and switch send it out of ${output.port} here, to ${leaked.host}`,
      };
}

/** Packets first: what asks for an address may rightly get no answer. */
function whereItEnded(journey: Journey): Location | undefined {
  const isPacket = (frame: Uint8Array) => hostPacketIn(frame)?.kind !== 'neighbour';
  const inOrder = [
    ...journey.sent.filter(({ frame }) => isPacket(frame)),
    ...journey.sent.filter(({ frame }) => !isPacket(frame)),
  ];
  for (const { frame } of inOrder) {
    const end = journey.deadEnd(frame);
    const place = end === undefined ? undefined : endOf(end);
    if (place !== undefined) return place;
  }
  return undefined;
}

function endOf({ trace, left, entered }: Hop): Location | undefined {
  const steps = trace?.steps ?? [];
  const [gone] = left;
  if (gone !== undefined) {
    const output = steps.findLast((step) => step.kind === 'output' && step.port === gone.port);
    return output?.kind === 'output'
      ? {
          flow: output.flow,
          because:
            `model and switch send it out of ${gone.port} here, and nobody there takes ` +
            describeFrame(gone.frame),
        }
      : undefined;
  }
  const drop = steps.findLast((step) => step.kind === 'drop');
  if (drop?.kind !== 'drop') return undefined;
  const because = `model and switch drop it here: ${drop.why}`;
  if (drop.flow !== undefined) return { flow: drop.flow, because };
  const at = steps.findLast((step) => step.kind === 'lookup');
  return at?.kind === 'lookup' ? lookupPlace(entered.node, at, because) : undefined;
}

function lookupPlace(
  node: string,
  { bridge, table, flow, nearest = [] }: Extract<TraceStep, { kind: 'lookup' }>,
  because: string,
): Location {
  return flow === undefined
    ? { miss: { node, bridge, table, nearest }, because }
    : { flow, because };
}

function whoDroppedIt({ notes }: Observation): Location | undefined {
  const note = notes.find(({ kind }) => kind === 'dropped');
  return note?.kind === 'dropped'
    ? { host: note.host, because: `it drops it: ${note.why}` }
    : undefined;
}
