/**
 * What the page's script works on: the view of a run with every text, flow and path once, so that
 * thousands of vectors fit.
 */
import type { VerdictKind } from '../../harness/domain/verdict.js';
import type { Crossing } from '../../harness/explain/hops.js';
import type { Levels } from '../../harness/explain/levels.js';
import type { Note } from '../../harness/explain/note.js';
import type { Divergence } from '../../harness/explain/divergence.js';
import type { Inconclusive } from '../../harness/run/judging/vector-report.js';

/** An index into `PageData.texts`. */
export type Text = number;

export interface PageData {
  readonly texts: readonly string[];
  readonly scenarios: readonly ScenarioData[];
}

export interface ScenarioData {
  readonly label: string;
  readonly parties: readonly {
    readonly name: string;
    readonly kind: 'pod' | 'node' | 'external';
    readonly node: string;
    readonly ip: string;
  }[];
  readonly flows: readonly FlowData[];
  /** The model's lookups for one frame. */
  readonly paths: readonly (readonly LookupData[])[];
  readonly vectors: readonly VectorData[];
}

export interface FlowData {
  readonly node: string;
  readonly bridge: string;
  readonly table: number;
  /** `priority=200,ip,nw_dst=10.10.1.0/24` */
  readonly text: string;
}

/** A table without a matching flow has -1 for it. */
export type LookupData = readonly [
  bridge: Text,
  table: number,
  flow: number,
  writes: Text,
  outcome: Text,
];

export interface VectorData {
  readonly id: string;
  readonly group: Text;
  readonly from: Text;
  /** A party's name, or -1 for an address that nobody holds. */
  readonly to: Text | -1;
  readonly stimulus: Text;
  readonly promise: Text;
  readonly verdict: VerdictKind;
  readonly levels: Levels;
  /** What it was in the state before, where it has changed. */
  readonly was?: Text;
  /** The frames of its hops, in a line each. */
  readonly frames: readonly string[];
  readonly hops: readonly HopData[];
  /** The path is left out: the page would be too large. */
  readonly cut: boolean;
  /**
   * It was played with others: the path is the model's alone, and what the switch did is known of
   * its own frames.
   */
  readonly isTogether: boolean;
  /** Flows and what they counted; -1 where the switch was not asked. */
  readonly counted: readonly (readonly [flow: number, model: number, real: number])[];
  readonly notes: readonly NoteData[];
  /** Connections and learned MACs when it is over. */
  readonly finalState: readonly NoteData[];
  /** Of each aspect that there was something to compare of. */
  readonly counts: readonly (readonly [
    aspect: Text,
    expected: number,
    made: number,
    skipped: number,
  ])[];
  readonly differences: readonly DifferenceData[];
  readonly inconclusive?: Inconclusive;
  readonly predictionError?: string;
  readonly divergence?: Divergence;
}

export type NoteData = readonly [text: Text, seen: Note['seen']];

export interface HopData {
  readonly timeUs: number;
  readonly node: Text;
  readonly port: Text;
  readonly entered?: CrossingData;
  readonly path: number;
  readonly left: readonly (readonly [port: Text, crossing: CrossingData])[];
}

/** `frame` is an index into the vector's `frames`: no other vector has the same. */
export type CrossingData = readonly [
  frame: number,
  seen: Crossing['seen'],
  fields: readonly (readonly [name: string, expected: string, actual: string])[],
];

export interface DifferenceData {
  readonly between: string;
  readonly summary: Text;
  readonly expected: Text;
  readonly actual: Text;
  readonly at?: { readonly place: string; readonly flow: string; readonly because: string };
}
