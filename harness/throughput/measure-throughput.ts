/** Measures paths beside the baseline, and compares with what is predicted. */
import type { Teardown } from '../base/concurrency/teardown.js';
import { canonicalJson, sha256 } from '../base/files/digest.js';
import type { Image } from '../ovs/process/image.js';
import type { Backend, Places } from '../testbeds/backend.js';
import { openRealCluster, type RealCluster } from './cluster/real-cluster.js';
import type { Scheduling } from './cluster/priority.js';
import { reportedHostNeeds } from './host-needs.js';
import { keepTrials, readTrials, type CalibrationKey } from './kept-trials.js';
import { asInOneRound, calibrate, referenceSamples, type Calibration } from './calibrate.js';
import { isMeasured, measuredPlan, podMtuOf, type MeasuredPath } from './measured-paths.js';
import { measurePath } from './measure-path.js';
import { measureOf, type MeasureName } from './measures.js';
import { plannedPath, type PlannedPath } from './planned-path.js';
import { faultedPlan, type PlantedFault } from './planted-faults.js';
import type { Slowness } from './planted-slowness.js';
import { referencePaths, referencePlan, segmentMtu } from './reference-paths.js';
import { fitWork } from './statistics/fit-work.js';
import { verdictOf, type ThroughputReport, type ThroughputResult } from './throughput-report.js';
import type { Command } from './traffic/run-program.js';
import type { TrialSettings } from './traffic/run-trial.js';
import { sliceSeconds } from './traffic/sliced-traffic.js';
import { fittedKinds } from './work-of-path.js';

export interface ThroughputOptions {
  readonly backend: Backend;
  readonly places: Places;
  readonly image: Image;
  readonly iperf3: { readonly command: Command; readonly version: string };
  /** The program; missing where no requests are measured. */
  readonly k6?: { readonly program: string; readonly version: string } | undefined;
  /** Measures that were not made, and why. */
  readonly leftOut?: readonly string[];
  readonly teardown: Teardown;
  readonly machine: string;
  /** Where calibrations are kept. */
  readonly cache: string;
  readonly calibration: 'kept where it can be' | 'new';
  readonly paths: readonly MeasuredPath[];
  readonly measures: readonly MeasureName[];
  readonly policies: readonly number[];
  readonly roundsOfCalibration: number;
  readonly turns: number;
  readonly seconds: number;
  /** Of the machine: what works at once. */
  readonly processors: number;
  readonly scheduling: Scheduling;
  readonly fault?: PlantedFault;
  readonly slowness?: Slowness;
  readonly say: (line: string) => void;
}

export async function measureThroughput(options: ThroughputOptions): Promise<ThroughputReport> {
  const { places, image, teardown } = options;
  const references = await openRealCluster(referencePlan, image, {
    places,
    teardown,
    podMtu: segmentMtu,
    scheduling: options.scheduling,
  });
  try {
    return await measureBeside(references, options);
  } finally {
    await references.close();
  }
}

async function measureBeside(
  references: RealCluster,
  options: ThroughputOptions,
): Promise<ThroughputReport> {
  const { backend, image, iperf3, machine } = options;
  const calibrations = new Map<MeasureName, CalibrationFrom>();
  for (const measure of options.measures) {
    const { calibration, from } = await calibrationOf(references, measure, options);
    const [need] = measureOf(measure).needs;
    calibrations.set(measure, { calibration: asInOneRound(calibration, need), from });
  }
  const results: ThroughputResult[] = [];
  for (const mode of new Set(options.paths.map((path) => path.mode)))
    for (const policies of options.policies)
      results.push(...(await measureCluster(references, mode, policies, calibrations, options)));
  return {
    schema: 1,
    backend: backend.name,
    switching: switchingOf(references),
    scheduling: references.scheduling,
    image: image.name,
    versions: {
      ...references.versions,
      iperf3: iperf3.version,
      ...(options.k6 === undefined ? {} : { k6: options.k6.version }),
    },
    machine,
    leftOut: [...(options.leftOut ?? [])],
    calibrations: [...calibrations].map(([measure, { calibration, from }]) => ({
      measure,
      from,
      ...fitOf(calibration),
    })),
    results,
    verdict: verdictOf(results),
  };
}

function fitOf(calibration: Calibration) {
  const { coefficients, residuals } = fitWork(fittedKinds, referenceSamples(calibration));
  const missed = residuals.map(({ path, relative }) => [path, relative] as const);
  return {
    nanoseconds: coefficients,
    missed: Object.fromEntries(missed),
    hosts: reportedHostNeeds(calibration),
  };
}

function switchingOf({ datapath }: RealCluster): ThroughputReport['switching'] {
  return datapath === 'system' ? 'in the kernel' : 'in ovs-vswitchd';
}

interface CalibrationFrom {
  readonly calibration: Calibration;
  readonly from: 'now' | 'before';
}

async function calibrationOf(
  references: RealCluster,
  measure: MeasureName,
  options: ThroughputOptions,
): Promise<CalibrationFrom> {
  const paths: PlannedPath[] = [];
  for (const path of referencePaths.filter((one) => isMeasured(one, measure)))
    paths.push(await plannedPath(referencePlan, path, measure));
  const key: CalibrationKey = {
    machine: options.machine,
    image: options.image.digest,
    backend: options.backend.name,
    switching: switchingOf(references),
    scheduling: references.scheduling,
    measure,
    seconds: options.seconds,
    slice: measureOf(measure).inSlices ? sliceSeconds : options.seconds,
    traffic: (measure === 'requests' ? options.k6 : options.iperf3)?.version ?? 'none',
    plan: sha256(canonicalJson(referencePlan)),
  };
  const before = options.calibration === 'new' ? undefined : await readTrials(options.cache, key);
  if (before !== undefined && paths.every(({ path }) => (before[path.name]?.length ?? 0) > 0))
    return {
      from: 'before',
      calibration: paths.map((one) => ({ ...one, trials: before[one.path.name] ?? [] })),
    };
  options.say(
    `calibrating ${measure}: ${paths.length} paths, ${options.roundsOfCalibration} rounds…`,
  );
  const calibration = await calibrate(
    references,
    paths,
    measure,
    options.roundsOfCalibration,
    settingsOf({ ...options, fault: undefined }),
  );
  const trials = calibration.map((one) => [one.path.name, one.trials] as const);
  await keepTrials(options.cache, key, Object.fromEntries(trials));
  return { calibration, from: 'now' };
}

function settingsOf({
  iperf3,
  k6,
  seconds,
  fault,
}: Pick<ThroughputOptions, 'iperf3' | 'k6' | 'seconds'> & {
  readonly fault?: PlantedFault | undefined;
}): TrialSettings {
  return {
    iperf3: iperf3.command,
    k6: k6?.program,
    seconds,
    ...(fault === 'proxy-pause' ? { proxyPauseMs: 100 } : {}),
  };
}

async function measureCluster(
  references: RealCluster,
  mode: MeasuredPath['mode'],
  policies: number,
  calibrations: ReadonlyMap<MeasureName, CalibrationFrom>,
  options: ThroughputOptions,
): Promise<readonly ThroughputResult[]> {
  const { places, image, teardown, fault, say } = options;
  const wanted = measuredPlan(mode, policies);
  const cluster = await openRealCluster(faultedPlan(wanted, fault), image, {
    places,
    teardown,
    podMtu: podMtuOf(mode),
    scheduling: references.scheduling,
    ...(fault === 'small-mtu' ? { faultyMtu: 600 } : {}),
  });
  const plan = wanted.northbound === undefined ? wanted : cluster.plan;
  const results: ThroughputResult[] = [];
  try {
    for (const path of options.paths.filter((one) => one.mode === mode))
      for (const measure of options.measures) {
        const calibration = calibrations.get(measure)?.calibration;
        if (calibration === undefined || !isMeasured(path, measure)) continue;
        say(`measuring ${measure} of ${path.name}, ${policies} policies…`);
        const asked = { path, measure, calibration, policies, settings: settingsOf(options) };
        results.push(await measurePath(asked, { references, cluster, plan }, options));
      }
  } finally {
    await cluster.close();
  }
  return results;
}
