/** What a runtime says by environment variables (CNI specification, "Parameters"). */
import type { Attachment } from '../../control/ovn-cni/names.js';
import { CniError, codes } from './cni-error.js';

export const commands = ['ADD', 'DEL', 'CHECK', 'GC', 'STATUS', 'VERSION'] as const;
export type Command = (typeof commands)[number];

/** The pod that Kubernetes runs in the container; nothing is known where others run it. */
export interface PodIdentity {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
}

export interface Request {
  readonly attachment: Attachment;
  /** Path of the network namespace. May be empty for DEL. */
  readonly netns: string;
  readonly pod: PodIdentity;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function commandOf(env: Environment): Command {
  const given = env['CNI_COMMAND'] ?? '';
  const command = commands.find((one) => one === given);
  if (command !== undefined) return command;
  throw invalid(
    given === ''
      ? 'CNI_COMMAND is not set'
      : `CNI_COMMAND is "${given}": expected one of ${commands.join(', ')}`,
  );
}

/** What ADD, DEL and CHECK are about. @throws CniError that names the variable. */
export function requestOf(command: 'ADD' | 'DEL' | 'CHECK', env: Environment): Request {
  const containerId = required(env, 'CNI_CONTAINERID', command);
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(containerId))
    throw invalid(
      `CNI_CONTAINERID is "${containerId}": expected letters, digits, "_", "." and "-", ` +
        'beginning with a letter or digit',
    );
  const ifname = required(env, 'CNI_IFNAME', command);
  if (Buffer.byteLength(ifname) > 15 || /[/:\s]/.test(ifname) || /^\.\.?$/.test(ifname))
    throw invalid(
      `CNI_IFNAME is "${ifname}": expected a name that Linux takes for an interface, of at most ` +
        '15 bytes without "/", ":" and blanks',
    );
  const netns = command === 'DEL' ? (env['CNI_NETNS'] ?? '') : required(env, 'CNI_NETNS', command);
  return { attachment: { containerId, ifname }, netns, pod: podIn(env['CNI_ARGS'] ?? '') };
}

function required(env: Environment, variable: string, command: string): string {
  const value = env[variable] ?? '';
  if (value === '') throw invalid(`${variable} is not set, and ${command} needs it`);
  return value;
}

const podKeys = {
  K8S_POD_NAME: 'name',
  K8S_POD_NAMESPACE: 'namespace',
  K8S_POD_UID: 'uid',
} as const;
/** Keys that are known and not of use here. */
const otherKeys = ['IgnoreUnknown', 'K8S_POD_INFRA_CONTAINER_ID'];

/** `IgnoreUnknown=1;K8S_POD_NAMESPACE=shop;K8S_POD_NAME=db`, in the order that anyone likes. */
function podIn(text: string): PodIdentity {
  const pairs = text
    .split(';')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw invalid(`CNI_ARGS has "${pair}": expected KEY=VALUE;KEY=VALUE`);
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    });
  const ignoring = pairs.some(
    ([key, value]) => key === 'IgnoreUnknown' && ['1', 'true'].includes(value.toLowerCase()),
  );
  const unknown = pairs.find(([key]) => !(key in podKeys) && !otherKeys.includes(key));
  if (unknown !== undefined && !ignoring)
    throw invalid(
      `CNI_ARGS has "${unknown[0]}": known are ${Object.keys(podKeys).join(', ')}; ` +
        'IgnoreUnknown=1 lets others pass',
    );
  return Object.fromEntries(
    pairs.flatMap(([key, value]) =>
      key in podKeys && value !== '' ? [[podKeys[key as keyof typeof podKeys], value]] : [],
    ),
  );
}

function invalid(message: string): CniError {
  return new CniError(codes.invalidEnvironment, message);
}
