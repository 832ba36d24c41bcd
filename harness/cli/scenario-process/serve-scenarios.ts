/**
 * Runs scenarios' code for another process, which makes the verdicts (scenario-link.ts), and ends
 * with it. Whatever that code does to this process, the other one gets data from it, or nothing.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { serialiseError, type SerialisedError } from '../../base/errors/serialised-error.js';
import { assert, InputError } from '../../base/errors/errors.js';
import type { Scenario } from '../../domain/scenario.js';
import type { Timeline } from '../../domain/timeline.js';
import { describeThrown, exitNow, guardExit } from '../processes/guard-exit.js';
import { watchScenarios } from '../processes/watchdog.js';
import { importScenario, registerImportHooks } from './import-scenario.js';
import {
  framed,
  frameReader,
  unframed,
  type Answer,
  type Argument,
  type Request,
} from './messages.js';
import { answersAt, requestsAt } from './descriptors.js';
import { shapeOf } from './shape-of.js';
import { described, NoData, outcomeOf } from './thrown.js';

/** What both processes know by a number. Those of the other one are below 0. */
const known = new Map<number, unknown>();
let lastId = 0;
const scenarios = new Map<number, Scenario>();

const channel = new Socket({ fd: requestsAt, readable: true, writable: false });
const write = writeSync;
const endNow = exitNow;

/**
 * It stays whole, however the process is halted or ended meanwhile.
 * @throws NoData for what no process can give to another: functions, promises.
 */
function answer(message: Answer): void {
  let bytes: Buffer;
  try {
    bytes = framed(message);
  } catch (error) {
    throw new NoData(`gave what is no data: ${describeThrown(error)}`);
  }
  for (let done = 0; done < bytes.length; ) done += write(answersAt, bytes, done);
}

function reportBeside(error: SerialisedError): void {
  answer({ kind: 'beside', error });
}

function give(value: unknown, parts: readonly object[] = []): void {
  const firstId = lastId + 1;
  for (const part of parts) known.set(++lastId, part);
  answer({ kind: 'given', value, known: parts, firstId });
}

/** Whoever is loaded may await what nothing left can end: then the process would just end. */
let loading: { readonly name: string; readonly file: string } | undefined;
process.on('beforeExit', () => {
  if (loading === undefined) return;
  const { name, file } = loading;
  loading = undefined;
  channel.ref();
  const error = new InputError(
    `scenario ${name} cannot be loaded: it awaits something at its top level that nothing which ` +
      'is left can bring about',
    { file },
  );
  answer({ kind: 'threw', thrown: described(error) });
});

async function load({ scenario, file, name }: Extract<Request, { kind: 'load' }>): Promise<void> {
  loading = { name, file };
  channel.unref();
  try {
    const loaded = await importScenario(file, name);
    const shape = shapeOf(loaded);
    scenarios.set(scenario, loaded);
    give(shape);
  } finally {
    channel.ref();
    loading = undefined;
  }
}

function valueOf(argument: Argument): unknown {
  switch (argument.kind) {
    case 'known':
      return known.get(argument.id);
    case 'given':
      return argument.value;
    case 'introduced':
      known.set(argument.id, argument.value);
      return argument.value;
  }
}

function scenarioOf(id: number): Scenario {
  const scenario = scenarios.get(id);
  assert(scenario !== undefined, `scenario ${id} is loaded`);
  return scenario;
}

function call({ scenario, path, args }: Extract<Request, { kind: 'call' }>): void {
  let owner: unknown = scenarioOf(scenario);
  for (const member of path.slice(0, -1)) owner = memberOf(owner, member);
  const called = memberOf(owner, path.at(-1) ?? '');
  assert(typeof called === 'function', `${path.join('.')} is a function`);
  const value: unknown = Reflect.apply(called, owner, args.map(valueOf));
  if (value instanceof Promise)
    throw new NoData('gave a promise: it has to give what it is asked for at once');
  give(value, path.length === 1 ? partsOf(path[0], value) : []);
}

function memberOf(owner: unknown, name: string): unknown {
  assert(typeof owner === 'object' && owner !== null, `there is an object with ${name}`);
  return Reflect.get(owner, name);
}

/** Clusters of a scenario: it is asked about them again and again. */
function partsOf(path: string | undefined, value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  if (path === 'topology') return [value];
  if (path !== 'timeline') return [];
  const { cluster, steps } = value as Partial<Timeline>;
  const later = Array.isArray(steps)
    ? (steps as Timeline['steps']).flatMap((step) =>
        step.kind === 'cluster' ? [step.cluster] : [],
      )
    : [];
  return [cluster, ...later].filter((one) => typeof one === 'object');
}

function intents({ scenario, topology, stimuli }: Extract<Request, { kind: 'intents' }>): void {
  const asked = scenarioOf(scenario);
  const network = valueOf(topology) as Parameters<Scenario['intent']>[0];
  const { promises } = asked.controlPlane;
  give(stimuli.map((stimulus) => outcomeOf(() => asked.intent(network, stimulus, promises))));
}

async function serve(request: Request): Promise<void> {
  switch (request.kind) {
    case 'load':
      return await load(request);
    case 'call':
      call(request);
      return;
    case 'intents':
      intents(request);
      return;
    case 'finish':
      for (let turns = 0; turns < 2; turns++) await new Promise((turn) => setImmediate(turn));
      give(undefined);
  }
}

guardExit((error) => {
  reportBeside(serialiseError(error));
});
await watchScenarios((error) => {
  reportBeside(serialiseError(error));
}).catch((refused: unknown) => {
  reportBeside(serialiseError(refused));
  endNow(0);
});
if (process.argv[2] === 'anywhere') registerImportHooks();
channel.on(
  'data',
  frameReader((bytes) => {
    void serve(unframed(bytes) as Request).catch((thrown: unknown) => {
      answer({ kind: 'threw', thrown: described(thrown) });
    });
  }),
);
channel.on('close', () => endNow(0));
give(undefined); // it is there
