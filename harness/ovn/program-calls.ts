/** Programs that write northbound rows and plug ports themselves, as they are run on a node. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { withDeadline } from '../base/concurrency/deadline.js';
import { InputError, Unavailable, unknownName } from '../base/errors/errors.js';
import type { ProgramCall, ZonePlan } from '../domain/plan/northbound-plan.js';
import { ahead } from '../ovs/process/ahead.js';
import { withParentDeathSignal } from '../ovs/process/parent-death-signal.js';
import { supervisorMark } from '../ovs/process/supervisor.js';
import { socketPath } from '../ovs/workspace/socket-path.js';
import type { Chassis } from './chassis.js';
import type { Zone } from './zone.js';

/** Where the call finds what it works on. */
export interface ProgramPlace {
  /** The path of the northbound database's socket. */
  readonly northbound: string;
  /** The folder of the node's daemons. */
  readonly dir: string;
  /** What ends of wires are for its switch; dummies where it is missing. */
  readonly devices?: 'system';
}

const limitMs = 120_000;

/** The file that node runs for a program of harness/programs: one file, where it is built so. */
export function programFile(program: string): string {
  if (!/^[a-z][a-z-]*$/.test(program))
    throw new InputError(`"${program}" is no program: expected the name of a folder`);
  const one = new URL(`../../programs/${program.replaceAll('-', '_')}`, import.meta.url);
  return fileURLToPath(
    existsSync(one) ? one : new URL(`../programs/${program}/main.js`, import.meta.url),
  );
}

/**
 * Runs a zone's programs one after the other: ports get their numbers in this order. Those that
 * have run for the plan before are not run again; what is not wanted any more is undone first.
 */
export async function runPrograms(
  { programs = [] }: ZonePlan,
  { programs: earlier = [] }: Pick<ZonePlan, 'programs'>,
  zone: Zone,
  chassis: readonly Chassis[],
): Promise<void> {
  const textOf = (call: ProgramCall) => JSON.stringify(call);
  const [wanted, had] = [new Set(programs.map(textOf)), new Set(earlier.map(textOf))];
  const undone = earlier
    .filter((call) => !wanted.has(textOf(call)))
    .toReversed()
    .flatMap(({ undo }) => undo ?? []);
  for (const call of [...undone, ...programs.filter((one) => !had.has(textOf(one)))]) {
    const place = chassis.find(({ plan: { node } }) => node === call.node);
    if (place === undefined)
      throw unknownName(
        'node',
        call.node,
        chassis.map((one) => one.plan.node),
      );
    await place.whileAlive(zone.whileAlive(runCall(call, placeOf(zone, place))));
  }
}

function placeOf(zone: Zone, { vswitch: { dir, launch } }: Chassis): ProgramPlace {
  const { devices } = launch;
  return { northbound: zone.north.socket, dir, ...(devices === undefined ? {} : { devices }) };
}

/**
 * Runs it to its end; what it has put on its stdout.
 * @throws Unavailable with what it said where it fails.
 */
export async function runCall(call: ProgramCall, place: ProgramPlace): Promise<string> {
  const { stdout, stderr, code } = await ended(call, place);
  if (code === (call.dies === true ? 'SIGKILL' : 0)) return stdout;
  throw new Unavailable(
    `${call.what} on node ${call.node} failed: ${call.program} exited with ${String(code)}`,
    [],
    [stdout, stderr].flatMap((said) => said.split('\n')).filter((line) => line !== ''),
  );
}

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** The exit code, or the signal that ended it. */
  readonly code: number | string;
}

/** Runs it to its end, however that is. */
export async function ended(call: ProgramCall, place: ProgramPlace): Promise<Ended> {
  const filled = (one: string) => fill(one, place);
  const [file, ...args] = withParentDeathSignal(
    process.pid,
    ahead([process.execPath, programFile(call.program), ...call.args.map(filled)]),
  );
  const child = spawn(file, args, {
    env: {
      ...supervisorMark(),
      PATH: process.env['PATH'],
      ...Object.fromEntries(Object.entries(call.env).map(([key, one]) => [key, filled(one)])),
    },
  });
  const exited = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 'unknown'));
  });
  child.stdin.on('error', () => undefined); // it ended without reading: its exit says why
  child.stdin.end(filled(call.stdin));
  const said = Promise.all([text(child.stdout), text(child.stderr), exited]);
  try {
    const [stdout, stderr, code] = await withDeadline(said, limitMs, `${call.what} to end`);
    return { stdout, stderr, code };
  } finally {
    child.kill('SIGKILL');
  }
}

function fill(template: string, { northbound, dir, devices }: ProgramPlace): string {
  const stream = (port: string) => `unix:${socketPath(dir, port, '.port')}`;
  return template
    .replaceAll(/"\{interface ([^}]+)\}":true/g, (_, port: string) =>
      devices === 'system'
        ? '"type":"system"'
        : `"type":"dummy","options":${JSON.stringify({ stream: stream(port) })}`,
    )
    .replaceAll('{northbound}', `unix:${northbound}`)
    .replaceAll('{openvswitch}', `unix:${socketPath(dir, 'db.sock')}`);
}
