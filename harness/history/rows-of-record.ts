/** A run's record as rows of the store. */
import { fieldOf, placeInTable } from '../domain/location.js';
import { sha256 } from '../base/files/digest.js';
import { aspects } from '../domain/verdict.js';
import { formatFlowId, type FlowCount } from '../domain/switching.js';
import { recordedInputs } from '../run/records/manifest.js';
import type { RunRecord, ScenarioRecord, VectorRecord } from '../run/records/run-record.js';
import type { ScenarioReport } from '../run/records/run-report.js';
import type { VectorReport } from '../run/judging/vector-report.js';
import { observedTraceOf } from '../run/records/trace-hash.js';
import { historyFormat, type HistoryRow } from './history-row.js';

/** What a run's rows have in common, beside what its report says. */
export interface NightContext {
  readonly night: string;
  readonly at: string;
  readonly machine: string;
  /** A digest of this program: it decides about results as much as any input does. */
  readonly program: string;
  readonly memoryKib: number | null;
  readonly gates: boolean;
  readonly folder: string;
}

/** `nodes=2 tunnel=geneve`, in the order of the scenario's axes. */
export function formatAxes(axes: Readonly<Record<string, string>>): string {
  return Object.entries(axes)
    .map(([axis, value]) => `${axis}=${value}`)
    .join(' ');
}

export function rowsOfRecord(record: RunRecord, night: NightContext): readonly HistoryRow[] {
  const inputs = recordedInputs(record).inputs;
  return record.report.scenarios.flatMap((scenario, index) => {
    const recorded = record.scenarios[index];
    const { scenario: _, axes: __, ...digests } = inputs[index] ?? {};
    return recorded === undefined
      ? []
      : rowsOfScenario(scenario, recorded, {
          ...emptyRow,
          ...commonOf(record, night),
          scenario: scenario.name,
          axes: formatAxes(scenario.axes),
          inputs: {
            image: record.report.imageDigest,
            program: night.program,
            ...(digests as Readonly<Record<string, string>>),
          },
        });
  });
}

const emptyRow = {
  format: historyFormat,
  vector: '',
  counters: {},
  work: {},
  converged_us: null,
  samples: [] as number[],
  baseline: [] as number[],
  unit: '',
  duration_ms: null,
  memory_kib: null,
  aspect: '',
  place: '',
  summary: '',
} as const;

function commonOf(
  { report: { backend, image, seed, versions } }: RunRecord,
  { night, at, machine, gates, folder }: NightContext,
): Pick<
  HistoryRow,
  'night' | 'at' | 'machine' | 'backend' | 'image' | 'seed' | 'versions' | 'gates' | 'folder'
> {
  return { night, at, machine, backend, image, seed, versions, gates, folder };
}

type CommonRow = Omit<HistoryRow, 'level' | 'verdict' | 'trace'>;

function rowsOfScenario(
  scenario: ScenarioReport,
  recorded: ScenarioRecord,
  common: CommonRow,
): readonly HistoryRow[] {
  const point: HistoryRow = {
    ...common,
    level: 'point',
    verdict: scenario.verdict,
    trace: scenario.traceHash,
    work: comparisonsMade(scenario.counts),
    duration_ms: scenario.durationMs,
    ...firstDifference(scenario.program, scenario.inconclusive?.cause),
  };
  const vectors = scenario.vectors.map((vector, index): HistoryRow => {
    const kept = recorded.vectors[index];
    return {
      ...common,
      level: 'vector',
      vector: vector.id,
      verdict: vector.verdict,
      ...(kept === undefined ? { trace: '' } : observedIn(kept, vector)),
      ...firstDifference(vector.differences, vector.inconclusive?.cause),
    };
  });
  const measured = (scenario.throughput ?? []).map(
    ({ path, unit, samples, baseline }): HistoryRow => ({
      ...common,
      level: 'measure',
      vector: path,
      verdict: 'conforms',
      trace: '',

      unit,
      samples,
      baseline,
    }),
  );
  return [point, ...vectors, ...measured];
}

function observedIn(
  kept: VectorRecord,
  { counts, work = {} }: VectorReport,
): Pick<HistoryRow, 'trace' | 'counters' | 'work' | 'converged_us'> {
  const passes = kept.real?.passes ?? kept.together?.passes ?? [];
  const left = kept.real ?? kept.together?.left;
  const trace = observedTraceOf(kept);
  return {
    trace: trace === '' ? '' : sha256(trace),
    counters: countersOf(left?.counts ?? []),
    work: {
      ...comparisonsMade(counts),
      ...workOf(work),
      'frames seen': passes.reduce((sum, { frames }) => sum + frames.length, 0),
      'connections left': left?.state.connections.length ?? 0,
      'macs left': left?.state.macs.length ?? 0,
    },
    converged_us: passes[0]?.frames.at(-1)?.timeUs ?? null,
  };
}

/** Names of their own, so that they cannot be taken for what else is counted. */
function workOf(work: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(work).map(([name, count]) => [`work ${name}`, count]));
}

function countersOf(counts: readonly FlowCount[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    counts.map(({ flow, packets }) => [
      `${flow.node} ${flow.bridge} ${formatFlowId(flow)}`,
      packets,
    ]),
  );
}

function comparisonsMade(counts: ScenarioReport['counts']): Readonly<Record<string, number>> {
  return Object.fromEntries(aspects.map((aspect) => [`compared ${aspect}`, counts[aspect].made]));
}

function firstDifference(
  differences: ScenarioReport['program'],
  cause: string | undefined,
): Pick<HistoryRow, 'aspect' | 'place' | 'summary'> {
  const first =
    differences.find(({ afterDivergence, at }) => !afterDivergence && at !== undefined) ??
    differences[0];
  if (first === undefined) return { aspect: '', place: '', summary: cause ?? '' };
  const { at } = first;
  return {
    aspect: first.aspect,
    place:
      at === undefined
        ? ''
        : [placeInTable(at), ...fieldOf(at).map((field) => `field ${field}`)].join(', '),
    summary: first.summary,
  };
}

/** What a program of a night printed, and how it ended. */
export interface Measurement {
  readonly name: string;
  readonly unit: string;
  readonly samples: readonly number[];
  readonly verdict: 'conforms' | 'diverges' | 'inconclusive';
  /** Why it has no sample, or what it complained of. */
  readonly summary: string;
}

export function measureRow(
  { name, unit, samples, verdict, summary }: Measurement,
  inputs: Readonly<Record<string, string>>,
  { night, at, machine, gates, folder }: NightContext,
): HistoryRow {
  return {
    ...emptyRow,

    night,
    at,
    machine,
    gates,
    folder,
    unit,
    verdict,
    summary,
    level: 'measure',
    scenario: name,
    axes: '',
    backend: '',
    image: '',
    seed: 0,
    versions: {},
    inputs: { ...inputs },
    trace: '',
    samples: [...samples],
  };
}

/** A point that could not be played at all: its vectors are not known. */
export function unplayedRow(
  point: Pick<HistoryRow, 'scenario' | 'axes' | 'backend' | 'image' | 'seed'>,
  why: string,
  { night, at, machine, gates, folder, program }: NightContext,
): HistoryRow {
  return {
    ...emptyRow,

    night,
    at,
    machine,
    gates,
    folder,
    ...point,
    level: 'point',
    verdict: 'inconclusive',
    trace: '',
    versions: {},
    inputs: { program },
    summary: why,
  };
}
