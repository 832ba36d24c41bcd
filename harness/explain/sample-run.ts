/**
 * Runs with their records for the tests of reports: the model, with a fault or without, stands in
 * for the switches.
 */
import { sha256 } from '../base/files/digest.js';
import { assert } from '../base/errors/errors.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import type { Scenario } from '../domain/scenario.js';
import { noCounts } from '../domain/verdict.js';
import { assembleRun } from '../run/shards/assemble-run.js';
import { intentExpectedIn } from '../run/judging/expected-intent.js';
import { passesOf } from '../run/passes.js';
import {
  recordOutcome,
  type ObservedVectorPass,
  type RunRecord,
  type VectorRecord,
} from '../run/records/run-record.js';
import { runScenario, type ScenarioRun } from '../run/run-scenario.js';
import type { Switches } from '../testbeds/testbed.js';
import { openModelSwitches } from '../testbeds/model/model-switches.js';
import { withEmulatedHosts } from '../lockstep/emulated-hosts.js';

export interface Sample {
  readonly scenario: Scenario;
  readonly axes: Readonly<Record<string, string>>;
  /** What stands in for the switches: by default the model. */
  readonly open?: (plan: ClusterPlan) => Switches;
  /** Ids of the vectors to run; by default all of them. */
  readonly only?: readonly string[];
}

const seed = 1;

/** A run of some scenarios, one after the other, as if on Open vSwitch. */
export async function sampleRun(samples: readonly Sample[]): Promise<RunRecord> {
  const runs: ScenarioRun[] = [];
  for (const { scenario, axes, open = openModelSwitches, only } of samples) {
    runs.push(
      await runScenario(scenario, axes, {
        seed,
        nowMs: () => 0,
        openReal: (plan) => Promise.resolve(open(plan)),
        ...(only === undefined ? {} : { only: ({ id }) => only.includes(id) }),
      }),
    );
  }
  const { report, scenarios } = assembleRun(runs, {
    again: './flowbed run --image trixie --seed 1',
    seed,
    backend: 'sim',
    image: 'trixie',
    imageDigest: sha256('trixie'),
    isolation: {
      network: 'shared with the host',
      why: 'unshare: unshare failed: Operation not permitted',
    },
  });
  return {
    report: { ...report, versions: { 'ovs-vswitchd': '3.5.0', 'ovsdb-server': '3.5.0' } },
    scenarios,
  };
}

/** A run whose vectors are played and not judged: for what depends on size alone. */
export async function unjudgedRun(
  scenario: Scenario,
  axes: Readonly<Record<string, string>>,
): Promise<RunRecord> {
  const empty = await sampleRun([{ scenario, axes, only: [] }]);
  const [report, record] = [empty.report.scenarios[0], empty.scenarios[0]];
  assert(report !== undefined && record !== undefined, 'a run of one scenario');
  const model = openModelSwitches(record.plan);
  const cluster = withEmulatedHosts(model, record.plan, { seed, hosts: 'start afresh' });
  const vectors: VectorRecord[] = [];
  for (const vector of scenario.vectors(record.topology)) {
    await model.reset();
    const passes = passesOf({ scenario, topology: record.topology, seed, depth: 'all' }, vector);
    const played: ObservedVectorPass[] = [];
    for (const pass of passes)
      played.push({ pass, real: await cluster.play(vector.id, pass.stimulus) });
    vectors.push({
      vector,
      real: recordOutcome(played, { counts: await model.counts(), state: await model.state() }),
    });
  }
  const reports = vectors.map(({ vector }) => ({
    id: vector.id,
    stimulus: { ...vector.stimulus },
    intent: { ...intentExpectedIn({ scenario, topology: record.topology }, vector.stimulus) },
    verdict: 'conforms' as const,
    counts: noCounts,
    differences: [],
  }));
  return {
    report: { ...empty.report, scenarios: [{ ...report, vectors: reports }] },
    scenarios: [{ ...record, vectors }],
  };
}

/** The model with other flows than the plan's on `bridge` of `node`, as if the switch held them. */
export function openWithFlows(
  node: string,
  bridge: string,
  change: (flows: readonly string[]) => readonly string[],
): (plan: ClusterPlan) => Switches {
  return (plan) =>
    openModelSwitches({
      nodes: plan.nodes.map((each) =>
        each.node === node
          ? {
              ...each,
              bridges: each.bridges.map((held) =>
                held.name === bridge ? { ...held, flows: change(held.flows) } : held,
              ),
            }
          : each,
      ),
    });
}

/** The model until `calls` calls were made, and then the failure that `cause` makes. */
export function openFailing(calls: number, cause: () => Error): (plan: ClusterPlan) => Switches {
  return (plan) => {
    const model = openModelSwitches(plan);
    let made = 0;
    return {
      ...model,
      call: (asked) => (++made > calls ? Promise.reject(cause()) : model.call(asked)),
    };
  };
}
