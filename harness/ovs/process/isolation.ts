/**
 * Keeping the host's network out of the switches. Open vSwitch listens to the kernel (rtnetlink(7))
 * whatever its options: a link, an address or a route that comes or goes where ovs-vswitchd runs
 * makes it forget where its tunnels end, `--disable-system-route` notwithstanding. In a network
 * namespace of its own (network_namespaces(7)) nothing comes or goes. Sockets in the file system
 * are the same in all of them (unix(7)).
 */
import { execFile } from 'node:child_process';
import { readlink } from 'node:fs/promises';
import { InputError } from '../../base/errors/errors.js';
import { systemProgram } from './system-program.js';

/** Whether daemons run in network namespaces of their own, and how or why not. */
export type Isolation =
  | { readonly network: 'own'; readonly how: string; readonly command: Command }
  | { readonly network: 'shared with the host'; readonly why: string };

type Command = readonly [file: string, ...args: string[]];

interface IsolationMethod {
  readonly how: string;
  readonly command: Command;
}

/**
 * In the order in which they are tried. `--map-current-user` keeps the owner of the daemon's files,
 * and who may read it in /proc. No namespace of processes, of mounts or of System V's objects
 * beside: daemons signal nobody, share no such object, and their sockets must be where this process
 * looks for them.
 */
export const isolationMethods = [
  { how: 'network namespaces', command: [systemProgram('unshare'), '--net', '--'] },
  {
    how: 'network namespaces within user namespaces',
    command: [systemProgram('unshare'), '--user', '--map-current-user', '--net', '--'],
  },
] as const satisfies readonly IsolationMethod[];

let tried: Promise<Isolation> | undefined;

/**
 * What the machine lets this process do, found out by doing it, once: settings that forbid it are
 * many (user.max_net_namespaces, AppArmor, seccomp). FLOWBED_ISOLATION=none does without.
 * @throws InputError for another value.
 */
export function isolation(): Promise<Isolation> {
  return (tried ??= requestedIsolation(process.env['FLOWBED_ISOLATION']));
}

/** @param asked the value of FLOWBED_ISOLATION. */
export async function requestedIsolation(asked: string | undefined): Promise<Isolation> {
  if (asked === 'none') return { network: 'shared with the host', why: 'FLOWBED_ISOLATION=none' };
  if (asked === undefined || asked === '') return await isolationBy(isolationMethods);
  throw new InputError(
    `FLOWBED_ISOLATION is "${asked}"; it may be none, or not set: ` +
      "then switches are kept apart from the host's network where that can be done",
  );
}

/** By the first of `candidates` that leads to another network namespace, or why none does. */
export async function isolationBy(candidates: readonly IsolationMethod[]): Promise<Isolation> {
  const reasons: string[] = [];
  for (const { how, command } of candidates) {
    const why = await whyNot(command);
    if (why === undefined) return { network: 'own', how, command };
    reasons.push(why);
  }
  return { network: 'shared with the host', why: [...new Set(reasons)].join('; ') };
}

/** `command` as it is to be started. It is one process, the same before and after. */
export function isolated(within: Isolation, command: Command): Command {
  if (within.network === 'shared with the host') return command;
  const [file, ...args] = within.command;
  return [file, ...args, ...command];
}

/** As a report prints it. */
export function describeIsolation(within: Isolation) {
  if (within.network === 'shared with the host') return within;
  return { network: within.network, how: within.how };
}

const namespace = '/proc/self/ns/net';

/** Starts a program that prints where it is; undefined when that is not where this process is. */
async function whyNot([file, ...args]: Command): Promise<string | undefined> {
  const there = await new Promise<{ stdout: string; failure?: string }>((resolve) => {
    const env = { PATH: process.env['PATH'], LC_ALL: 'C' };
    execFile(
      file,
      [...args, systemProgram('readlink'), namespace],
      { env },
      (error, stdout, stderr) => {
        resolve(error === null ? { stdout } : { stdout, failure: stderr.trim() || error.message });
      },
    );
  });
  if (there.failure !== undefined) return there.failure;
  const isHere = there.stdout.trim() === (await readlink(namespace));
  return isHere ? `${file} made no network namespace` : undefined;
}
