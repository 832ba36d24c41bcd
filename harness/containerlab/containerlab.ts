/** containerlab's commands (https://containerlab.dev/cmd/deploy/), each as a function. */
import { access, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { ExecaError } from 'execa';
import { InputError, Unavailable } from '../base/errors/errors.js';
import { commandFailure, failureOf } from './cli-failure.js';
import {
  eventSchema,
  execSchema,
  interfacesSchema,
  labsSchema,
  readOutput,
  type ContainerInterfaces,
  type LabContainer,
  type LabEvent,
  type Labs,
} from './cli-output.js';
import { readLabFile } from './lab-file.js';

export interface ContainerlabOptions {
  /** Its path, or its name on PATH: `containerlab` unless given. */
  readonly program?: string;
  /** `docker` unless given; events are those of docker alone. */
  readonly runtime?: 'docker' | 'podman';
  /** Where it makes folders, of labs and of its own: where it is started unless given. */
  readonly labFolders?: string;
  /** Real milliseconds after which a command is given up and killed; ten minutes unless given. */
  readonly limitMs?: number;
}

/** A lab by its topology file, or one that runs by its name. */
export type LabReference = { readonly file: string } | { readonly name: string };

export interface ExecResult {
  /** PREFIX-LAB-NODE */
  readonly container: string;
  readonly command: readonly string[];
  readonly exitCode: number;
  /** A JSON document where the command printed one: containerlab reads it. */
  readonly stdout: unknown;
  readonly stderr: string;
}

export interface Containerlab {
  /** Such as 0.79.0. */
  readonly version: () => Promise<string>;
  /** Whether the file is a lab: schema, nodes, links. Touches nothing. */
  readonly validate: (file: string) => Promise<void>;
  /** Starts what does not run yet, and gives all containers of the lab. */
  readonly deploy: (
    file: string,
    options?: { readonly reconfigure?: boolean; readonly maxWorkers?: number },
  ) => Promise<readonly LabContainer[]>;
  /** The containers of a lab; none where it does not run. */
  readonly inspect: (lab: LabReference) => Promise<readonly LabContainer[]>;
  /** Those of all labs of this machine, by the lab's name. */
  readonly inspectAll: () => Promise<Labs>;
  readonly interfaces: (lab: LabReference) => Promise<readonly ContainerInterfaces[]>;
  /**
   * Runs a command in a node, or in each where none is named. What it ends with is a result, not
   * a failure.
   */
  readonly exec: (
    lab: LabReference,
    command: readonly string[],
    node?: string,
  ) => Promise<readonly ExecResult[]>;
  /** Events of all labs, until the signal is aborted; with what runs already, if asked for. */
  readonly events: (
    signal: AbortSignal,
    options?: { readonly initialState?: boolean; readonly interfaceStats?: boolean },
  ) => AsyncIterable<LabEvent>;
  /** All nodes of the lab where none is named. */
  readonly start: (lab: LabReference, nodes?: readonly string[]) => Promise<void>;
  readonly stop: (lab: LabReference, nodes?: readonly string[]) => Promise<void>;
  /** Has nodes save their configuration; a copy of it, if a folder is named. */
  readonly save: (lab: LabReference, copyTo?: string) => Promise<void>;
  /** Removes the lab, and its folder with `cleanup`. */
  readonly destroy: (
    lab: LabReference,
    options?: { readonly cleanup?: boolean; readonly graceful?: boolean },
  ) => Promise<void>;
}

/**
 * Every function throws `InputError` where a file does not exist (containerlab would take its name
 * for a URL) and `Unavailable`, with containerlab's own words, where it fails or is missing.
 */
export function openContainerlab(options: ContainerlabOptions = {}): Containerlab {
  const run = (args: readonly string[]) => runCommand(options, args);
  const json = ['--format', 'json'];
  const quiet = async (command: string, lab: LabReference, args: readonly string[]) => {
    await run([command, ...(await argumentsOf(lab)), ...args]);
  };
  const inspectAll = async () =>
    readOutput('inspect', await run(['inspect', '--all', ...json]), labsSchema);
  const nodesOf = (nodes: readonly string[] = []) => nodes.flatMap((node) => ['--node', node]);
  return {
    version: async () => (await run(['version', '--short'])).trim(),
    validate: (file) => quiet('validate', { file }, []),
    deploy: async (file, { reconfigure = false, maxWorkers } = {}) => {
      const args = [
        ...(reconfigure ? ['--reconfigure'] : []),
        ...(maxWorkers === undefined ? [] : ['--max-workers', String(maxWorkers)]),
      ];
      const text = await run(['deploy', ...(await argumentsOf({ file })), ...args, ...json]);
      return Object.values(readOutput('deploy', text, labsSchema)).flat();
    },
    // It fails for a lab that does not run, in words that are no interface: all labs are asked for.
    inspect: async (lab) => (await inspectAll())[await nameOf(lab)] ?? [],
    inspectAll,
    interfaces: async (lab) => {
      const text = await run(['inspect', 'interfaces', ...(await argumentsOf(lab)), ...json]);
      return readOutput('inspect interfaces', text, interfacesSchema);
    },
    exec: async (lab, command, node) => {
      const label = node === undefined ? [] : ['--label', `clab-node-name=${node}`];
      const args = [...(await argumentsOf(lab)), ...label, '--cmd', quoted(command), ...json];
      const output = readOutput('exec', await run(['exec', ...args]), execSchema);
      return Object.entries(output).flatMap(([container, results]) =>
        results.map((result) => ({
          container,
          command: result.cmd,
          exitCode: result['return-code'],
          stdout: result.stdout,
          stderr: result.stderr,
        })),
      );
    },
    events: (signal, { initialState = false, interfaceStats = false } = {}) =>
      followEvents(options, signal, [
        ...(initialState ? ['--initial-state'] : []),
        ...(interfaceStats ? ['--interface-stats'] : []),
      ]),
    start: (lab, nodes) => quiet('start', lab, nodesOf(nodes)),
    stop: (lab, nodes) => quiet('stop', lab, nodesOf(nodes)),
    save: (lab, copyTo) => quiet('save', lab, copyTo === undefined ? [] : ['--copy', copyTo]),
    destroy: (lab, { cleanup = false, graceful = false } = {}) =>
      quiet('destroy', lab, [
        ...(cleanup ? ['--cleanup'] : []),
        ...(graceful ? ['--graceful'] : []),
      ]),
  };
}

async function argumentsOf(lab: LabReference): Promise<readonly string[]> {
  if ('name' in lab) return ['--name', lab.name];
  try {
    await access(lab.file);
  } catch {
    throw new InputError(`${lab.file} does not exist; expected a topology file of containerlab`);
  }
  return ['--topo', lab.file];
}

async function nameOf(lab: LabReference): Promise<string> {
  if ('name' in lab) return lab.name;
  await argumentsOf(lab);
  return readLabFile(await readFile(lab.file, 'utf8'), lab.file).name;
}

/** A command line of which containerlab makes the same words again (github.com/google/shlex). */
export function quoted(command: readonly string[]): string {
  return command.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(' ');
}

const defaultLimitMs = 10 * 60_000;

/** Of its environment: no look for a newer version, no colours, messages in English. */
const environment = { CLAB_VERSION_CHECK: 'disable', NO_COLOR: '1', LC_ALL: 'C' };

/** @returns stdout. */
async function runCommand(
  {
    program = 'containerlab',
    runtime = 'docker',
    limitMs = defaultLimitMs,
    labFolders,
  }: ContainerlabOptions,
  args: readonly string[],
): Promise<string> {
  const { execa, ExecaError } = await import('execa');
  try {
    const { stdout } = await execa(program, ['--runtime', runtime, ...args], {
      env: {
        ...environment,
        ...(labFolders === undefined ? {} : { CLAB_LABDIR_BASE: labFolders, TMPDIR: labFolders }),
      },
      stdin: 'ignore',
      timeout: limitMs,
      maxBuffer: 64 << 20,
    });
    return stdout;
  } catch (error) {
    throw error instanceof ExecaError
      ? commandFailure(error as ExecaError, program, args, limitMs)
      : error;
  }
}

/** @throws Unavailable when it ends by itself. */
async function* followEvents(
  { program = 'containerlab', runtime = 'docker' }: ContainerlabOptions,
  signal: AbortSignal,
  args: readonly string[],
): AsyncGenerator<LabEvent> {
  const { execa } = await import('execa');
  const command = ['--runtime', runtime, 'events', '--format', 'json', ...args];
  const child = execa(program, command, {
    env: environment,
    stdin: 'ignore',
    buffer: { stdout: false },
    cancelSignal: signal,
    reject: false,
  });
  try {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.trim() !== '') yield readOutput('events', line, eventSchema);
  } finally {
    child.kill('SIGTERM');
  }
  const result = await child;
  if (!signal.aborted)
    throw result.code === 'ENOENT'
      ? new Unavailable(`${program} is not installed`)
      : new Unavailable(
          'containerlab events ended: ' +
            (failureOf(result.stderr) ?? `exit code ${result.exitCode}`),
        );
}
