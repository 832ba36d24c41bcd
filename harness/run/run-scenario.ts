/**
 * One scenario at one point of its matrix: the model and real switches in step, vector by vector.
 */
import { sha256 } from '../base/files/digest.js';
import { attempt } from '../base/errors/outcome.js';
import { notCompared, type VectorCounts } from '../compare/not-compared.js';
import type { KnownContradiction } from '../domain/known-contradiction.js';
import type { Scenario } from '../domain/scenario.js';
import { addCounts, noCounts, verdictOn, worstVerdict } from '../domain/verdict.js';
import { policyCoverage } from '../kube/policy-coverage.js';
import type { Network } from '../kube/objects.js';
import {
  mergeShards,
  shardsOf,
  workloadOf,
  runShard,
  type Shard,
  type ShardOptions,
  type ShardOutcome,
} from './shards.js';
import { matricesOf } from './reachability-matrix.js';
import type { Depth } from './passes.js';
import type { ScenarioRecord } from './run-record.js';
import type { ScenarioReport } from './run-report.js';
import type { VectorReport } from './vector-report.js';
import { serviceCoverage } from './service-coverage.js';
import type { JudgedVector } from './vector-judgement.js';

export interface ScenarioRunOptions extends ShardOptions {
  /**
   * On how many clusters at most vectors run at once; by default on one. Results do not depend on
   * it.
   */
  readonly maxShards?: number;
  /**
   * Runs a shard: by `here`, the default, or in another process. Where it throws `Unavailable`, all
   * of that shard is inconclusive.
   */
  readonly runShard?: (
    shard: Shard,
    here: () => Promise<ShardOutcome>,
    listener: ShardListener,
  ) => Promise<ShardOutcome>;
  /** Real milliseconds since some fixed point, for durations that people read. */
  readonly nowMs: () => number;
  /** Called at the beginning, and after each vector. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Gets the progress of shards. */
export interface ShardListener {
  readonly onStarted: () => void;
  /** Behind each vector. */
  readonly onJudged: () => void;
}

export interface ScenarioRun {
  readonly report: ScenarioReport;
  readonly record: ScenarioRecord;
  readonly versions: Readonly<Record<string, string>>;
}

/**
 * @throws InputError when the scenario's topology or flows are wrong; environment failures become
 *   `inconclusive`.
 */
export async function runScenario(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
  options: ScenarioRunOptions,
): Promise<ScenarioRun> {
  const workload = workloadOf(scenario, axes, options);
  const { topology, adaptations, after } = workload.transitionPlan;
  const onJudged = progressOf(workload.vectors.length, options);
  let startedMs: number | undefined;
  const onStarted = () => {
    startedMs ??= options.nowMs();
  };
  const runHere = (_: Shard, here: () => Promise<ShardOutcome>) => {
    onStarted();
    return here();
  };
  const { runShard: play = runHere } = options;
  const outcomes = await Promise.all(
    shardsOf(workload, options.maxShards ?? 1).map(async (shard) => {
      const played = await attempt(() =>
        play(shard, () => runShard(workload, shard, options, onJudged), { onStarted, onJudged }),
      );
      return played.kind === 'ok'
        ? played.value
        : await runShard(
            workload,
            shard,
            { ...options, openReal: () => Promise.reject(played.cause) },
            () => undefined,
          );
    }),
  );
  const { program, programCount, judged, switchesLost, versions, timeline, compiled } = mergeShards(
    workload,
    outcomes,
  );
  const plan = compiled ?? workload.transitionPlan.plan;
  const programCounts = { ...noCounts, program: programCount };
  const cause =
    switchesLost ??
    (judged.length === 0
      ? { cause: 'there was no vector to run', evidence: [], remedies: [] }
      : undefined);
  const verdicts = [
    verdictOn(program, programCounts),
    ...judged.map(({ report }) => report.verdict),
    ...(cause === undefined ? [] : (['inconclusive'] as const)),
  ];
  return {
    versions,
    record: {
      topology,
      plan,
      vectors: judged.map(({ record }) => record),
      ...(timeline === undefined ? {} : { timeline }),
    },
    report: {
      name: scenario.name,
      title: scenario.title,
      axes: { ...axes },
      verdict: worstVerdict(verdicts),
      traceHash: sha256(judged.map(({ observed }) => observed).join('\n')),
      counts: addCounts([programCounts, ...judged.map(({ report }) => report.counts)]),
      durationMs: Math.round(options.nowMs() - (startedMs ?? 0)),
      ...policiesOf(topology),
      ...servicesIn(topology, judged),
      ...knownDivergencesIn(
        scenario.controlPlane.known ?? [],
        judged.map(({ report }) => report),
      ),
      ...(adaptations.length === 0 ? {} : { otherwise: [...adaptations] }),
      ...(after === undefined ? {} : { after }),
      program: [...program],
      notCompared: notCompared({
        ...countVectors(judged, options.depth, timeline === undefined ? 'alone' : 'in a timeline'),
        hasControllers: plan.nodes.some(({ bridges }) =>
          bridges.some(({ controllers = [] }) => controllers.length > 0),
        ),
      }).map((one) => ({ ...one })),
      ...(cause === undefined ? {} : { inconclusive: cause }),
      ...matricesIn(judged.map(({ report }) => report)),
      vectors: judged.map(({ report }) => report),
    },
  };
}

/** How many vectors were played how, of those that were played. */
function countVectors(
  judged: readonly JudgedVector[],
  depth: Depth | undefined,
  how: 'alone' | 'in a timeline',
): Omit<VectorCounts, 'hasControllers'> {
  const isCold = ({ record }: JudgedVector) => depth === 'cold' || record.vector.depth === 'cold';
  return how === 'in a timeline'
    ? { batched: 0, cold: 0, inTimeline: judged.length }
    : {
        batched: judged.filter(({ record }) => record.together !== undefined).length,
        cold: judged.filter(isCold).length,
        inTimeline: 0,
      };
}

/** How much of the policy language the cluster's policies use. */
function policiesOf({ objects }: Network): Pick<ScenarioReport, 'policies'> {
  const count =
    objects === undefined
      ? 0
      : objects.networkPolicies.length + objects.clusterNetworkPolicies.length;
  return objects === undefined || count === 0
    ? {}
    : { policies: { count, coverage: { ...policyCoverage(objects) } } };
}

/** Which of the cluster's Services were asked for. */
function servicesIn(
  topology: Network,
  judged: readonly JudgedVector[],
): Pick<ScenarioReport, 'services'> {
  const services = serviceCoverage(
    topology,
    judged.map(({ record }) => record.vector.stimulus),
  );
  return services === undefined
    ? {}
    : {
        services: { count: services.count, notAsked: services.notAsked.map((one) => ({ ...one })) },
      };
}

function matricesIn(vectors: readonly VectorReport[]): Pick<ScenarioReport, 'matrices'> {
  const matrices = matricesOf(vectors, 'played');
  if (matrices.length === 0) return {};
  return {
    matrices: matrices.map(({ sources, destinations, promised, observed = [], service }) => ({
      service,
      sources: [...sources],
      destinations: [...destinations],
      promised: [...promised],
      observed: [...observed],
    })),
  };
}

/** Known divergences in vectors that conform: they occurred there. */
function knownDivergencesIn(
  known: readonly KnownContradiction[],
  vectors: readonly VectorReport[],
): Pick<ScenarioReport, 'known'> {
  const is = ({ kind, ...intent }: VectorReport['intent'], name: string) =>
    kind === 'contradicted' && intent['by'] === name;
  const occurs = ({ verdict, intent, sibling }: VectorReport, name: string) =>
    verdict === 'conforms' &&
    (is(intent, name) || (sibling !== undefined && is(sibling.intent, name)));
  const met = known.map((one) => ({
    ...one,
    vectors: vectors.filter((vector) => occurs(vector, one.name)).length,
  }));
  const found = met.filter(({ vectors: count }) => count > 0);
  return found.length === 0 ? {} : { known: found };
}

/** Reports the beginning, and gives what is to be called after each of `total` vectors. */
function progressOf(total: number, { onProgress }: ScenarioRunOptions): () => void {
  let done = 0;
  onProgress?.(done, total);
  return () => onProgress?.(++done, total);
}
