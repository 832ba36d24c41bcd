/** What `trace` and `check` are asked about: a switch out of files, and packets. */
import { InputError } from '../../base/errors/errors.js';
import {
  readInitialState,
  readScript,
  type InitialStateSources,
} from '../../trace/script/read-script.js';
import type { InitialState, Script } from '../../trace/script/script.js';
import type { PacketStimulus } from '../../trace/packet-stimulus.js';
import type { Context } from '../context.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import { withPorts } from '../../dumps/find-port.js';
import { withMetPorts } from '../../trace/taken-for-granted.js';
import { preparedNode } from '../../trace/script/prepared-node.js';
import { playScript } from '../../trace/script/play-script.js';
import { tracePacket } from '../../trace/trace-packets.js';
import type { PacketOptions } from './packet-options.js';
import { readSource, readSwitch } from './read-switch.js';
import { readStimuli } from './read-stimuli.js';

export interface PacketRequest {
  readonly target: DumpedSwitch;
  /** In the order in which they are sent. */
  readonly stimuli: readonly PacketStimulus[];
  /** What the switch remembers when the first comes. */
  readonly initialState: InitialState;
}

/**
 * @param words `[BRIDGE] [FLOW]`. @throws InputError for a wrong request, and with its place for
 *   what a file or FLOW has wrong.
 */
export async function readRequest(
  words: readonly string[],
  options: PacketOptions,
  say: Context['say'],
): Promise<PacketRequest> {
  const dumped = await readSwitch(options, say);
  const stimuli = await readStimuli(words, options, dumped, say);
  const sources = await readStateSources(options, dumped);
  const listed = withPorts(dumped, [...stimuli, ...portsOfMacs(sources, dumped)]);
  const initialState = readInitialState(sources, listed);
  const target = withMetPorts(
    listed,
    (into) => {
      const node = preparedNode(into, initialState);
      return stimuli.map((stimulus) => tracePacket(node, stimulus));
    },
    say,
  );
  return { target, stimuli, initialState };
}

async function readStateSources(
  { fdb = [], conntrack }: PacketOptions,
  target: DumpedSwitch,
): Promise<InitialStateSources> {
  const macs = await Promise.all(
    fdb.map(async (given) => ({
      bridge: bridgeOfFdb(given, target),
      source: await readSource(given.replace(/^[^=]*=/, '')),
    })),
  );
  return { macs, ...(conntrack === undefined ? {} : { connections: await readSource(conntrack) }) };
}

/**
 * A script in the place of packets. @throws InputError for a wrong request, and with its place for
 * what the script or another file has wrong.
 */
export async function readScriptRequest(
  words: readonly string[],
  { script: file = '', ...options }: PacketOptions,
  say: Context['say'],
): Promise<Script> {
  const { inPort, packet, pcap, l7, l7Len, dpif, ctNext = [] } = options;
  const [other] = Object.entries({
    FLOW: words[0],
    '--in-port': inPort,
    '--packet': packet,
    '--pcap': pcap,
    '--l7': l7,
    '--l7-len': l7Len,
    '--dpif': dpif,
    '--ct-next': ctNext[0],
  }).filter(([, given]) => given !== undefined);
  if (other !== undefined)
    throw new InputError(
      `--script says what comes in, line by line: leave ${other[0]} out, or write "inject ` +
        'PORT FLOW" into the script',
    );
  const target = await readSwitch(options, say);
  const script = readScript(
    await readSource(file),
    target,
    await readStateSources(options, target),
  );
  const met = withMetPorts(
    script.target,
    (into) =>
      playScript({ ...script, target: into }).flatMap(({ result }) =>
        result.kind === 'packet' ? [result.packet] : [],
      ),
    say,
  );
  return { ...script, target: met };
}

/** Ports that `fdb/show` names by their numbers are there, where nobody has listed them. */
function portsOfMacs(
  { macs }: InitialStateSources,
  { unlisted }: DumpedSwitch,
): readonly { readonly bridge: string; readonly ofport: number }[] {
  return macs.flatMap(({ bridge, source }) =>
    unlisted.has(bridge)
      ? [...source.text.matchAll(/^\s*(\d+)\s+\d+\s+(?:[\da-f]{2}:){5}/gm)].map(([, port]) => ({
          bridge,
          ofport: Number(port),
        }))
      : [],
  );
}

/** @param given `FILE`, or `BRIDGE=FILE`. */
function bridgeOfFdb(given: string, { plan: { bridges } }: DumpedSwitch): string {
  const [, named] = /^([^=]*)=/.exec(given) ?? [];
  const [only, ...others] = bridges.map(({ name }) => name);
  if (named === undefined && others.length > 0)
    throw new InputError(
      `--fdb ${given}: of which bridge? Give it as ${only}=${given}, of ` +
        bridges.map(({ name }) => name).join(', '),
    );
  return named ?? only ?? '';
}
