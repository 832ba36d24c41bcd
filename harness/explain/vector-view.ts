/** One vector as reports show it. */
import type { FlowId } from '../domain/switching.js';
import type { PassName } from '../domain/test-vector.js';
import { type VectorRecord, readObservation } from '../run/records/run-record.js';
import type { VectorReport } from '../run/judging/vector-report.js';
import { targetOf, describeStimulus, describePromise, describeState } from './describe-stimulus.js';
import { describeNote } from './describe-note.js';
import { partyAt, type Party } from './party.js';
import { divergenceOf, type Divergence } from './divergence.js';
import { type Hop, hopsOf, batchHops } from './hops.js';
import { countedFlows, type CountedFlow } from './counted-flow.js';
import { levelsOf, type Levels } from './levels.js';
import { sideBySide, batchNotes, type Note } from './note.js';
import type { Prediction } from './prediction.js';

export interface VectorView {
  readonly report: VectorReport;
  /** The first word of the id: `ping`, `spoof-ip`. */
  readonly group: string;
  /** Who it is for: a party's name, or undefined for an address that nobody holds. */
  readonly to: string | undefined;
  readonly stimulus: string;
  readonly promise: string;
  readonly levels: Levels;
  /**
   * Whether it was played with others between two resets: then the switches output what the model
   * did.
   */
  readonly played: 'alone' | 'together';
  /** The pass that is shown: the one in which the first difference stands, or the first. */
  readonly pass: PassName;
  /** Of a timeline, what had happened before it. */
  readonly past?: readonly string[];
  /** All that were played. */
  readonly passes: readonly PassName[];
  readonly hops: readonly Hop[];
  /** Packets of all passes together. */
  readonly flows: readonly CountedFlow[];
  /** What the hosts noted in the pass. */
  readonly notes: readonly Note[];
  /** Connections and learned MACs when the vector is over. */
  readonly finalState: readonly Note[];
  /** Why the model could not be asked. */
  readonly predictionError?: string;
  readonly divergence?: Divergence;
}

export function vectorView(
  report: VectorReport,
  { real, together }: VectorRecord,
  pass: PassName,
  predicted: Prediction,
  parties: readonly Party[],
  sourceOf: (flow: FlowId) => string | undefined,
  equivalent: readonly (readonly FlowId[])[],
): VectorView {
  const played = (real ?? together)?.passes;
  const recorded = played?.find((candidate) => candidate.pass.name === pass);
  const seen = recorded === undefined ? undefined : readObservation(recorded);
  const crossed =
    together === undefined || seen === undefined
      ? hopsOf(predicted.observation, predicted.traces, seen)
      : batchHops(predicted.observation, predicted.traces, seen);
  const hops = crossed.map((hop) => ({
    ...hop,
    lookups: hop.lookups.map((lookup) => {
      const source = lookup.flow === undefined ? undefined : sourceOf(lookup.flow);
      return source === undefined ? lookup : { ...lookup, source };
    }),
  }));
  const target = targetOf(report.stimulus);
  const sent = pass === 'sibling' && report.sibling !== undefined ? report.sibling : report;
  const divergence = divergenceOf(report, hops);
  return {
    report,
    group: report.id.split('/')[0] ?? report.id,
    to: partyAt(parties, target)?.name,
    stimulus:
      describeStimulus(sent.stimulus, parties) + (pass === 'cold' ? '' : ` (the ${pass} pass)`),
    promise: describePromise(sent.intent),
    levels: levelsOf(report),
    played: together === undefined ? 'alone' : 'together',
    pass,
    passes: played?.map((one) => one.pass.name) ?? [],
    hops,
    flows: countedFlows(predicted.counts, real?.counts, equivalent),
    notes:
      together === undefined
        ? sideBySide(predicted.observation.notes.map(describeNote), seen?.notes.map(describeNote))
        : batchNotes(predicted.observation, seen),
    finalState: sideBySide(
      describeState(predicted.state),
      real === undefined ? undefined : describeState(real.state),
    ),
    ...(predicted.predictionError === undefined
      ? {}
      : { predictionError: predicted.predictionError }),
    ...(divergence === undefined ? {} : { divergence }),
  };
}
