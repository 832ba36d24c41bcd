/** What the packet options say is sent: packets of a flow, or a capture. */
import { InputError } from '../../base/errors/errors.js';
import { readCapture } from '../../packet/pcap/read-capture.js';
import { findPort } from '../../dumps/find-port.js';
import type { DumpedSwitch } from '../../dumps/dumped-switch.js';
import { readInput } from '../../base/files/read-input.js';
import {
  parseFrame,
  parseHex,
  type PacketStimulus,
  stimuliFromCapture,
  readFlow,
} from '../../trace/packet-stimulus.js';
import type { PacketOptions } from './packet-options.js';
import type { Context } from '../context.js';
import { readAssumedStates } from '../../trace/assumed-states.js';
import { isDatapathFlow, readDatapathFlow } from '../../trace/datapath-flow.js';
import { arrivalPort, readDatapathPorts, type ArrivalPort } from '../../trace/datapath-ports.js';
import type { HeaderStack } from '../../trace/header-stack.js';

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

/** `[BRIDGE] FLOW [PACKET]`, and what stands in options. */
export interface PacketWords {
  readonly flow: string | undefined;
  readonly bridge: string | undefined;
  readonly packet: string | undefined;
}

/** A packet of at least an Ethernet header, as bytes. */
const packetWord = /^([0-9a-f]{2}){14,}$/i;

/** @throws InputError for more words than that. */
export function readWords(words: readonly string[], option: string | undefined): PacketWords {
  const last = words.at(-1) ?? '';
  const hasPacket = words.length > 1 && packetWord.test(last);
  const others = hasPacket ? words.slice(0, -1) : words;
  if (others.length > 2)
    throw new InputError(
      `expected [BRIDGE] FLOW [PACKET], got ${words.length} arguments; FLOW is one argument: ` +
        'put it into quotes',
    );
  if (hasPacket && option !== undefined)
    throw new InputError('--packet and the last argument both give a packet: give one of them');
  return {
    flow: others.at(-1),
    bridge: others.length === 2 ? others[0] : undefined,
    packet: hasPacket ? last : option,
  };
}

/**
 * Names of datapaths, which stand where a bridge may: the name of a port decides which bridge is
 * meant.
 */
const datapathName = /^([a-z]+@)?ovs-[a-z]+$|^(system|netdev|dummy)$/;

/** A flow of the bridge, and what the notation of a datapath says beside it. */
interface BridgeWords extends PacketWords {
  readonly headers?: HeaderStack;
}

/** A flow in the notation of a datapath as one of the bridge. */
async function ofBridge(
  { flow, bridge, packet }: PacketWords,
  { dpif }: PacketOptions,
  target: DumpedSwitch,
  say: Context['say'],
): Promise<BridgeWords> {
  if (flow === undefined || !isDatapathFlow(flow)) return { flow, bridge, packet };
  const isDatapath = bridge !== undefined && datapathName.test(bridge);
  const bridges = target.plan.bridges.map(({ name }) => name);
  const wanted = { bridges, datapath: isDatapath ? bridge : undefined };
  const numbered =
    dpif === undefined
      ? undefined
      : readDatapathPorts((await readInput(dpif)).toString('utf8'), dpif, wanted);
  const known = { ...(numbered === undefined ? {} : { numbered }), tunnels: target.tunnels };
  const { text, notes, headers, ...read } = readDatapathFlow(flow, {
    portAt: (port, tunnel) => onBridge(arrivalPort(port, tunnel, known), target),
    tunnelOptions: target.names.get(bridges[0] ?? '')?.tunnelOptions ?? new Map(),
  });
  for (const note of notes) say(`note: ${note}`);
  return {
    flow: text,
    bridge: isDatapath ? read.bridge : (bridge ?? read.bridge),
    packet,
    headers,
  };
}

/**
 * The port as the bridge that is given knows it. @throws InputError where it is a port of another
 * bridge.
 */
function onBridge(port: ArrivalPort, { plan, names, unlisted }: DumpedSwitch): ArrivalPort {
  if (port.bridge === undefined) return port;
  const owner = plan.bridges.find(({ name }) => name === port.bridge);
  if (owner !== undefined && names.get(owner.name)?.ports.has(port.name) === true) return port;
  const [only, ...others] = owner === undefined ? plan.bridges : [owner];
  const isOne = only !== undefined && others.length === 0 && unlisted.has(only.name);
  if (isOne && port.ofport !== undefined)
    return { bridge: only.name, name: String(port.ofport), ofport: port.ofport };
  throw new InputError(
    `packets come in at ${port.name} of ${port.bridge} there; what is given is of ` +
      plan.bridges.map(({ name }) => name).join(', '),
  );
}

/** @throws InputError for a wrong request, and with the column for what FLOW has wrong. */
export async function readStimuli(
  words: readonly string[],
  options: PacketOptions,
  target: DumpedSwitch,
  say: Context['say'],
): Promise<readonly PacketStimulus[]> {
  const assumedCtStates = readAssumedStates(options.ctNext ?? []);
  const given = readWords(words, options.packet);
  const read = await readPackets(await ofBridge(given, options, target, say), options, target);
  for (const { thawed, completion } of read)
    for (const known of [thawed, completion]) if (known !== undefined) say(`note: ${known.note}`);
  return assumedCtStates.length === 0
    ? read
    : read.map((stimulus) => ({ ...stimulus, assumedCtStates }));
}

async function readPackets(
  { flow, bridge, packet, headers }: BridgeWords,
  options: PacketOptions,
  target: DumpedSwitch,
): Promise<readonly PacketStimulus[]> {
  const { inPort, pcap } = options;
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
    return [
      readFlow(flow, target, bridge, { payload, ...(headers === undefined ? {} : { headers }) }),
    ];
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
