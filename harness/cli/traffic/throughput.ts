/** `flowbed throughput`: real traffic beside the baseline, held against the model. */
import { availableParallelism, cpus, release } from 'node:os';
import { cacheFolder } from '../../../images/cache.js';
import { openImage } from '../../../images/images.js';
import { k6Program, openK6, versionOfK6 } from '../../../images/k6.js';
import { openTool } from '../../../images/measuring-tools.js';
import { InputError, unknownName } from '../../base/errors/errors.js';
import { measureThroughput } from '../../throughput/measure-throughput.js';
import { measuredPaths } from '../../throughput/measured-paths.js';
import { measureNames, usualMeasures, type MeasureName } from '../../throughput/measures.js';
import { plantedFaults, type PlantedFault } from '../../throughput/planted-faults.js';
import { slownesses, type Slowness } from '../../throughput/planted-slowness.js';
import { printThroughput } from '../../throughput/print-throughput.js';
import { backendNamed, backends } from '../../testbeds/registry.js';
import { exitCodes, type Context } from '../context.js';

export interface ThroughputCommand {
  readonly backend: string;
  readonly image: string;
  readonly measure?: string;
  readonly policies: string;
  readonly turns: string;
  readonly seconds: string;
  readonly calibrate?: boolean;
  readonly usualPriority?: boolean;
  readonly plant?: string;
  readonly json?: boolean;
}

/** @returns the exit code. */
export async function throughput(
  context: Context,
  names: readonly string[],
  options: ThroughputCommand,
): Promise<number> {
  const backend = backendNamed(options.backend);
  if (backend.places === undefined)
    throw new InputError(
      `backend ${backend.name} has no real hosts to send traffic: choose ` +
        backends
          .filter(({ places }) => places !== undefined)
          .map(({ name }) => name)
          .join(', '),
    );
  const program = await programOfRequests(options.measure);
  const chosen = {
    paths:
      names.length === 0 ? measuredPaths : names.map((name) => named('path', name, measuredPaths)),
    measures:
      options.measure?.split(',').map(measureNamed) ??
      usualMeasures.filter((one) => one !== 'requests' || program !== undefined),
    policies: options.policies.split(',').map((text) => count('policies', text, 0, 10_000)),
    turns: count('turns', options.turns, 1, 1000),
    seconds: count('seconds', options.seconds, 1, 60),
    ...planted(options.plant),
  };
  const image = await openImage(options.image, context.say);
  const iperf3 = await openTool('iperf3', context.say);
  const leftOut = options.measure === undefined && program === undefined ? [noRequests] : [];
  for (const line of leftOut) context.say(line);
  const report = await measureThroughput({
    ...chosen,
    backend,
    places: await backend.places(image),
    image,
    iperf3,
    ...(program === undefined ? {} : { k6: { program, version: await versionOfK6(program) } }),
    leftOut,
    teardown: context.teardown,
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, Linux ${release()}`,
    processors: availableParallelism(),
    scheduling: options.usualPriority === true ? 'as usual' : 'before all else',
    cache: cacheFolder(),
    roundsOfCalibration: 8,
    calibration: options.calibrate === true ? 'new' : 'kept where it can be',
    say: context.say,
  });
  if (options.json === true) context.print(JSON.stringify(report, undefined, 2));
  else for (const line of printThroughput(report)) context.print(line);
  return exitCodes[report.verdict];
}

const noRequests =
  'requests are left out: there is no k6, on PATH or built here (./flowbed image build k6)';

/** @throws Unavailable where requests are asked for by name, and there is no k6. */
async function programOfRequests(measure: string | undefined): Promise<string | undefined> {
  if (measure === undefined) return await k6Program();
  return measure.split(',').includes('requests') ? await openK6() : undefined;
}

function named<T extends { readonly name: string }>(
  what: string,
  name: string,
  all: readonly T[],
): T {
  const found = all.find((one) => one.name === name);
  if (found === undefined)
    throw unknownName(
      what,
      name,
      all.map((one) => one.name),
    );
  return found;
}

function measureNamed(name: string): MeasureName {
  const found = measureNames.find((one) => one === name);
  if (found === undefined) throw unknownName('measure', name, measureNames);
  return found;
}

/** A fault by name, or what makes a path slower by so many percent: `shaper:25`. */
function planted(text: string | undefined): {
  readonly fault?: PlantedFault;
  readonly slowness?: Slowness;
} {
  if (text === undefined) return {};
  const [name = '', percent = '', ...more] = text.split(':');
  const kind = slownessKinds.find((one) => one === name);
  if (kind !== undefined) {
    if (more.length > 0 || !/^[1-9]\d?$/.test(percent))
      throw new InputError(
        `--plant ${kind} takes percent from 1 to 99 (${kind}:25), got "${text}"`,
      );
    return { slowness: { kind, percent: Number(percent) } };
  }
  const faults = Object.keys(plantedFaults) as PlantedFault[];
  const fault = faults.find((one) => one === text);
  if (fault === undefined) throw unknownName('fault', text, [...faults, ...slownessKinds]);
  return { fault };
}

const slownessKinds = Object.keys(slownesses) as Slowness['kind'][];

function count(option: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new InputError(`--${option} takes numbers from ${least} to ${most}, got "${text}"`);
  return value;
}
