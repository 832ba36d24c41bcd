/** What `trace` and `check` are asked about: a switch out of files, and packets. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../base/errors/errors.js';
import { readInput } from '../base/files/read-input.js';
import { readCapture } from '../packet/pcap/read-capture.js';
import { bridgesOf } from '../dumps/ovsdb/database-bridges.js';
import { readDatabase } from '../dumps/ovsdb/read-database.js';
import { readScript } from '../trace/script/read-script.js';
import type { Script } from '../trace/script/script.js';
import { readShow } from '../dumps/dumped-ports.js';
import type { TextSource } from '../dumps/text-source.js';
import {
  stimuliFromCapture,
  parseFrame,
  parseHex,
  readFlow,
  type PacketStimulus,
} from '../trace/packet-stimulus.js';
import type { Context } from './context.js';
import { dumpedSwitch, type BridgeSources, type DumpedSwitch } from '../dumps/dumped-switch.js';
import { withPorts } from '../dumps/find-port.js';
import { findPort } from '../dumps/find-port.js';

export interface PacketOptions {
  readonly flows?: string;
  readonly groups?: string;
  readonly meters?: string;
  readonly ports?: string;
  readonly tlvMap?: string;
  /** `NAME`, which the flows of `--flows` are of, or `NAME=DIR`. */
  readonly bridge: readonly string[];
  readonly ovsdb?: string;
  readonly inPort?: string;
  readonly packet?: string;
  readonly pcap?: string;
  readonly l7?: string;
  readonly l7Len?: string;
  readonly script?: string;
  /**
   * What a switch remembers when a script begins; of `fdb`, `NAME=FILE` where there are several
   * bridges.
   */
  readonly conntrack?: string;
  readonly fdb?: readonly string[];
}

export interface PacketRequest {
  readonly target: DumpedSwitch;
  /** In the order in which they are sent. */
  readonly stimuli: readonly PacketStimulus[];
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
  if (options.conntrack !== undefined || (options.fdb ?? []).length > 0)
    throw new InputError(
      '--conntrack and --fdb are the state of a switch when a script begins: give the ' +
        'packets by --script',
    );
  const target = await readSwitch(options, say);
  const stimuli = await readStimuli(words, options, target);
  return { target: withPorts(target, stimuli), stimuli };
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
  const { inPort, packet, pcap, l7, l7Len } = options;
  const [other] = Object.entries({
    FLOW: words[0],
    '--in-port': inPort,
    '--packet': packet,
    '--pcap': pcap,
    '--l7': l7,
    '--l7-len': l7Len,
  }).filter(([, given]) => given !== undefined);
  if (other !== undefined)
    throw new InputError(
      `--script says what comes in, line by line: leave ${other[0]} out, or write "inject ` +
        'PORT FLOW" into the script',
    );
  const target = await readSwitch(options, say);
  const macs = await Promise.all(
    (options.fdb ?? []).map(async (given) => ({
      bridge: bridgeOfFdb(given, target),
      source: await readSource(given.replace(/^[^=]*=/, '')),
    })),
  );
  return readScript(await readSource(file), target, {
    macs,
    ...(options.conntrack === undefined
      ? {}
      : { connections: await readSource(options.conntrack) }),
  });
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

async function readSwitch(options: PacketOptions, say: Context['say']): Promise<DumpedSwitch> {
  const database =
    options.ovsdb === undefined
      ? undefined
      : bridgesOf(readDatabase(await readSource(options.ovsdb)));
  const bridges = await readBridges(options, [...(database?.keys() ?? [])]);
  const target = dumpedSwitch(bridges, database, say);
  for (const note of target.notes) say(`note: ${note}`);
  return target;
}

async function readBridges(
  options: PacketOptions,
  recorded: readonly string[],
): Promise<readonly BridgeSources[]> {
  const folders = options.bridge.filter((bridge) => bridge.includes('='));
  const names = options.bridge.filter((bridge) => !bridge.includes('='));
  if (names.length > 1)
    throw new InputError(
      `--bridge: only one bridge has the flows of --flows, got ${names.join(' and ')}; others ` +
        'are given as NAME=DIR',
    );
  const twice = folders
    .map((bridge) => bridge.replace(/=.*/, ''))
    .find((name, index, all) => all.indexOf(name) < index || names.includes(name));
  if (twice !== undefined) throw new InputError(`--bridge: ${twice} is given twice`);
  const { flows, groups, meters, ports, tlvMap } = options;
  const others = Object.entries({ groups, meters, ports, 'tlv-map': tlvMap }).filter(
    ([, file]) => file !== undefined,
  );
  if (flows === undefined && (names.length > 0 || others.length > 0))
    throw new InputError(
      '--flows is missing: ' +
        `${names.length > 0 ? `--bridge ${names[0]}` : `--${others[0]?.[0]}`} is about the ` +
        'bridge whose flows it gives',
    );
  if (flows === undefined && folders.length === 0)
    throw new InputError(
      'give the flows of a bridge by --flows FILE, or all that is known of one by --bridge ' +
        'NAME=DIR',
    );
  const own =
    flows === undefined ? [] : [await mainBridge({ flows, ...options }, names[0], recorded)];
  return [...own, ...(await Promise.all(folders.map(readFolder)))];
}

/** A bridge that nobody names is called as `show` or the database calls it. */
async function mainBridge(
  { flows, groups, meters, ports, tlvMap }: PacketOptions & { readonly flows: string },
  name: string | undefined,
  recorded: readonly string[],
): Promise<BridgeSources> {
  const shown = ports === undefined ? undefined : await readSource(ports);
  const bridgeName =
    name ??
    (shown === undefined ? undefined : readShow(shown).local) ??
    (recorded.length === 1 ? recorded[0] : undefined);
  if (bridgeName === undefined && recorded.length > 1)
    throw new InputError(
      `--bridge is missing: are the flows of --flows those of ${recorded.join(' or ')}?`,
    );
  return {
    bridge: bridgeName ?? 'br0',
    flows: await readSource(flows),
    ...(shown === undefined ? {} : { ports: shown }),
    ...(groups === undefined ? {} : { groups: await readSource(groups) }),
    ...(meters === undefined ? {} : { meters: await readSource(meters) }),
    ...(tlvMap === undefined ? {} : { tunnelOptions: await readSource(tlvMap) }),
  };
}

const fileNames = {
  flows: 'flows',
  ports: 'ports',
  groups: 'groups',
  meters: 'meters',
  tunnelOptions: 'tlv-map',
} as const;

/** `NAME=DIR`: files called flows, ports, groups, meters and tlv-map, with .txt behind or not. */
async function readFolder(text: string): Promise<BridgeSources> {
  const [, bridge = '', dir = ''] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  if (bridge === '' || dir === '')
    throw new InputError(`--bridge: expected NAME or NAME=DIR, got "${text}"`);
  const present = await readdir(dir).catch((error: unknown) => {
    throw new InputError(`--bridge ${bridge}: cannot read the folder: ${reasonOf(error)}`);
  });
  const found = Object.entries(fileNames).flatMap(([what, name]) => {
    const [file, ...more] = [name, `${name}.txt`].filter((candidate) =>
      present.includes(candidate),
    );
    if (more.length > 0)
      throw new InputError(`--bridge ${bridge}: ${dir} has both ${name} and ${name}.txt`);
    return file === undefined ? [] : [{ what, file: join(dir, file) }];
  });
  const sources = Object.fromEntries(
    await Promise.all(found.map(async ({ what, file }) => [what, await readSource(file)] as const)),
  );
  if (sources['flows'] === undefined)
    throw new InputError(
      `--bridge ${bridge}: there is no file "flows" or "flows.txt" in ${dir}; files that are ` +
        `read are ${Object.values(fileNames).join(', ')}`,
    );
  return { bridge, flows: sources['flows'], ...sources };
}

async function readStimuli(
  words: readonly string[],
  options: PacketOptions,
  target: DumpedSwitch,
): Promise<readonly PacketStimulus[]> {
  const { inPort, packet, pcap } = options;
  if (words.length > 2)
    throw new InputError(
      `expected [BRIDGE] FLOW, got ${words.length} arguments; FLOW is one argument: put it ` +
        'into quotes',
    );
  const [flow, bridge] = [words.at(-1), words.length === 2 ? words[0] : undefined];
  if (packet !== undefined && pcap !== undefined)
    throw new InputError('--packet and --pcap both give packets: give one of them');
  if (flow !== undefined && inPort !== undefined)
    throw new InputError(
      `FLOW and --in-port both say where the packet comes in: write in_port=${inPort} in FLOW`,
    );
  const payload = readPayload(options);
  if (packet === undefined && pcap === undefined) {
    if (flow === undefined)
      throw new InputError(
        'which packet? Give FLOW, as in "in_port=1,tcp,nw_src=10.0.0.1,tp_dst=80,nw_ttl=64", ' +
          'or its bytes by --packet or --pcap',
      );
    return [readFlow(flow, target, bridge, { payload })];
  }
  if (payload !== undefined)
    throw new InputError(
      '--l7 and --l7-len are about packets made of FLOW, not about those of --packet and --pcap',
    );
  const place = inPort === undefined ? undefined : findPort(target, inPort);
  const packets =
    packet === undefined
      ? readCapture(await readInput(pcap ?? ''), pcap ?? '')
      : [{ at: 0, frame: parseFrame(packet) }];
  if (flow !== undefined)
    return packets.map(({ frame }) => readFlow(flow, target, bridge, { frame }));
  if (packet !== undefined && place === undefined)
    throw new InputError(
      '--packet: where does it come in? Give --in-port, or FLOW such as in_port=1',
    );
  return stimuliFromCapture(packets, pcap ?? '', target, place);
}

const longestPayload = 64_000;

/** What stands behind the headers, where it is asked for. */
function readPayload({ l7, l7Len }: PacketOptions): Uint8Array | undefined {
  if (l7 !== undefined && l7Len !== undefined)
    throw new InputError('--l7 and --l7-len both say what the packet carries: give one of them');
  if (l7 !== undefined) return parseHex(l7, '--l7');
  if (l7Len === undefined) return undefined;
  if (!/^\d{1,5}$/.test(l7Len) || Number(l7Len) > longestPayload)
    throw new InputError(
      `--l7-len: expected a number of bytes from 0 to ${longestPayload}, got "${l7Len}"`,
    );
  return Uint8Array.from({ length: Number(l7Len) }, (_, index) => index);
}

async function readSource(file: string): Promise<TextSource> {
  return { text: (await readInput(file)).toString('utf8'), file };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
