/** `flowbed streams`: real stacks over links with rates, held to what was predicted. */
import { openImage } from '../../../images/images.js';
import { InputError, Unavailable, unknownName } from '../../base/errors/errors.js';
import { megabits } from '../../streams/judge-stream.js';
import { streamFaults, type StreamFault } from '../../streams/planted-faults.js';
import { runStream, type StreamResult } from '../../streams/run-stream.js';
import { streamScenarioNamed, streamScenarios } from '../../streams/scenarios.js';
import { runCalls, serviceFaults, type ServiceFault } from '../../streams/services/run-calls.js';
import { callsLines, type PlayedCalls } from './calls-lines.js';
import { exitCodes, type Context } from '../context.js';
import { commandInGuest } from '../runs/command-in-guest.js';
import { matrix, parseSettings } from '../scenarios/scenarios.js';

export interface StreamsOptions {
  readonly image: string;
  readonly world: string;
  readonly seed: string;
  readonly set?: string;
  readonly fault?: string;
  readonly json?: boolean;
}

/** As `--json` prints them. */
export interface StreamsReport {
  readonly format: 'flowbed/streams/1';
  readonly versions: Readonly<Record<string, string>>;
  readonly streams: readonly PlayedPoint[];
  /** Services that were called. */
  readonly calls: readonly PlayedCalls[];
}

interface PlayedPoint {
  readonly scenario: string;
  readonly axes: Readonly<Record<string, string>>;
  readonly result: StreamResult;
}

/** @returns the exit code. @throws InputError, Unavailable as `run` does. */
export async function streams(
  context: Context,
  names: readonly string[],
  options: StreamsOptions,
): Promise<number> {
  const seed = seedOf(options);
  const points = pointsOf(names, options);
  if (!['host', 'uml'].includes(options.world))
    throw unknownName('world', options.world, ['host', 'uml']);
  const report =
    options.world === 'uml'
      ? await playInGuest(context, names, options, seed)
      : await play(context, points, options);
  if (options.json === true) context.print(JSON.stringify(report, null, 1));
  else for (const line of lines(report)) context.print(line);
  return [...report.streams, ...report.calls].every(({ result }) => result.verdict === 'conforms')
    ? exitCodes.conforms
    : exitCodes.diverges;
}

function seedOf({ seed }: StreamsOptions): number {
  if (!/^\d{1,15}$/.test(seed))
    throw new InputError(`--seed: expected a whole number, got "${seed}"`);
  return Number(seed);
}

function pointsOf(names: readonly string[], { set, fault }: StreamsOptions) {
  const faults = { ...streamFaults, ...serviceFaults };
  if (fault !== undefined && !Object.hasOwn(faults, fault))
    throw unknownName('fault', fault, Object.keys(faults));
  const chosen = names.length === 0 ? streamScenarios : names.map(streamScenarioNamed);
  const settings = parseSettings(set, chosen);
  return chosen.flatMap((scenario) =>
    matrix(scenario, settings).map((axes) => ({ scenario, axes })),
  );
}

async function play(
  context: Context,
  points: ReturnType<typeof pointsOf>,
  { image: name, fault }: StreamsOptions,
): Promise<StreamsReport> {
  const image = await openImage(name, context.say);
  const streams: PlayedPoint[] = [];
  const calls: PlayedCalls[] = [];
  const versions: Record<string, string> = {};
  for (const { scenario, axes } of points) {
    if ('serviceOf' in scenario) {
      const point = scenario.serviceOf(axes);
      const open = { teardown: context.teardown };
      const result = await runCalls(point, image, open, fault as ServiceFault | undefined);
      Object.assign(versions, result.versions);
      calls.push({ scenario: scenario.name, axes, result });
      context.say(`${scenario.name}: ${calls.length} of ${points.length} points`);
      continue;
    }
    const result = await runStream(
      scenario.pointOf(axes),
      image,
      { teardown: context.teardown },
      fault as StreamFault | undefined,
    );
    Object.assign(versions, result.versions);
    streams.push({ scenario: scenario.name, axes, result });
    context.say(`${scenario.name}: ${streams.length} of ${points.length} streams`);
  }
  return { format: 'flowbed/streams/1', versions, streams, calls };
}

async function playInGuest(
  context: Context,
  names: readonly string[],
  { image, set, fault }: StreamsOptions,
  seed: number,
): Promise<StreamsReport> {
  await openImage(image, context.say);
  const given = { image, set, fault, world: 'host', seed: String(seed) };
  const words = Object.entries(given).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, value],
  );
  const { printed, code } = await commandInGuest(
    context,
    ['streams', '--json', ...names, ...words],
    seed,
  );
  if (code > exitCodes.diverges)
    throw new Unavailable(`the guest ended with ${code} and without results: see above`);
  return JSON.parse(printed) as StreamsReport;
}

function lines({ streams, calls, versions }: StreamsReport): readonly string[] {
  const results = streams.flatMap(({ scenario, axes, result }) => {
    const point = Object.entries(axes).map(([axis, value]) => `${axis}=${value}`);
    const { predicted, measured, losses, differences } = result;
    const [usual] = measured.frames;
    return [
      `${result.verdict === 'conforms' ? '✔' : '✘'} ${scenario} ${point.join(' ')}`,
      `    expected ${megabits(predicted.goodput)}: ${predicted.payload} of ` +
        `${predicted.frameBytes} bytes a frame`,
      `    measured ${megabits(measured.goodput)}: ${usual?.payload ?? 0} of ` +
        `${usual?.bytes ?? 0} bytes a frame, ${result.receivedBytes} bytes in all`,
      ...(losses.lost === 0 && losses.retransmissions.length === 0
        ? []
        : [
            `    ${losses.sent} packets sent, ${losses.lost} of them lost; ` +
              `${losses.retransmissions.length} sent again: ` +
              `${count(losses.retransmissions, 'lost before')} for one that was lost, ` +
              `${count(losses.retransmissions, 'spurious')} for none`,
          ]),
      ...differences.map((difference) => `    ${difference}`),
    ];
  });
  const all = [...streams, ...calls];
  const diverging = all.filter(({ result }) => result.verdict === 'diverges').length;
  return [
    ...results,
    ...calls.flatMap(callsLines),
    '',
    `versions  ${Object.entries(versions)
      .map(([program, version]) => `${program} ${version}`)
      .join(', ')}`,
    `verdict   ${diverging === 0 ? 'conforms' : `diverges: ${diverging} of ${all.length}`}`,
  ];
}

function count(of: StreamResult['losses']['retransmissions'], why: string): number {
  return of.filter((one) => one.why === why).length;
}
