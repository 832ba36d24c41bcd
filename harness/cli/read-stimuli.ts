/** What the packet options say is sent: packets of a flow, or a capture. */
import { InputError } from '../base/errors/errors.js';
import { readCapture } from '../packet/pcap/read-capture.js';
import { findPort } from '../dumps/find-port.js';
import type { DumpedSwitch } from '../dumps/dumped-switch.js';
import { readInput } from '../base/files/read-input.js';
import {
  parseFrame,
  parseHex,
  type PacketStimulus,
  stimuliFromCapture,
  readFlow,
} from '../trace/packet-stimulus.js';
import type { PacketOptions } from './packet-options.js';

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

export async function readStimuli(
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
