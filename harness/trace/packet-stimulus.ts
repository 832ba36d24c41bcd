/**
 * What is sent into the switch: a packet at a port, with what the pipeline is to know of it from
 * the start.
 */
import { InputError, Unsupported, unknownName } from '../base/errors/errors.js';
import { checkRead } from '../model/fields/supported-fields.js';
import { keyOf, readField } from '../model/fields/field-values.js';
import type { NodePlan } from '../domain/plan/cluster-plan.js';
import type { BridgePlan } from '../domain/plan/bridge-plan.js';
import { noNames } from '../openflow/syntax/form.js';
import { parseMatch, type Match } from '../openflow/match/match.js';
import type { FieldMatch } from '../openflow/match/field-match.js';
import { reservedPorts } from '../openflow/syntax/ports.js';
import { printMatch } from '../openflow/match/print-match.js';
import { span, split } from '../openflow/syntax/text.js';
import { shortestFrame, type FilePacket } from '../packet/pcap/file-packet.js';
import { compose } from '../packet/compose/compose.js';
import { withIpv6Fragment } from '../packet/compose/ipv6-fragment.js';
import { extract } from '../packet/flow-key/extract/extract.js';
import { countTags, keyWords, word, type FlowKey } from '../packet/flow-key/flow-key.js';
import type { DumpedSwitch } from '../dumps/dumped-switch.js';
import { findPort, type PortPlace } from '../dumps/find-port.js';
import { wholeOption, withProtocol, type Completion } from './complete-packet.js';
import { putHeaders, type HeaderStack } from './header-stack.js';
import { thawedPlace, withoutTable, type ThawedAt } from './thawed-packet.js';
import {
  withOptionFields,
  optionFields,
  setPresent,
  isUnmapped,
} from '../model/fields/tunnel-options.js';

export interface PacketStimulus {
  readonly bridge: string;
  /** OpenFlow number; `ANY` where nobody says where the packet comes in. */
  readonly ofport: number;
  readonly frame: Uint8Array;
  /** Registers, tunnel, connection and metadata; zero where it is missing. */
  readonly metadataKey?: FlowKey;
  /** The same as a match, to be printed. */
  readonly metadata: Match;
  /** Where it continues, of a packet that was thawed. */
  readonly thawed?: ThawedAt;
  readonly completion?: Completion;
  /** What the tracker is taken to say, one each time that it is asked (`--ct-next`). */
  readonly assumedCtStates?: readonly number[];
}

/**
 * A flow as `ovs-appctl ofproto/trace` takes it (ovs-vswitchd(8)): fields that are not named are
 * zero, and one whole value each.
 * @param bridge the first one where none is named, or that of in_port's name.
 * @param packet its bytes, where FLOW only says how it comes in; otherwise they are made of the
 *   flow, with `payload` behind its headers, and all `headers` where FLOW has no words for them.
 * @throws InputError with the column in FLOW, Unsupported for what the model does not know.
 */
export function readFlow(
  text: string,
  target: DumpedSwitch,
  bridge: string | undefined,
  packet:
    | { readonly frame: Uint8Array }
    | { readonly payload: Uint8Array | undefined; readonly headers?: HeaderStack },
): PacketStimulus {
  const place = bridgeFor(text, target, bridge);
  const names = target.names.get(place.name) ?? noNames;
  const [fields, table] = withoutTable(text);
  const match = withOptionFields(
    parseMatch(split(span(fields, { file: 'FLOW', line: 1 }), /[,\s]/), names, 'refused'),
    optionFields(names.tunnelOptions),
  ).map(wholeOption);
  for (const entry of match) checkEntry(entry);
  const key = keyOf(match);
  for (const { field } of match) if (field.notation === 'option') setPresent(key, field, 'there');
  const ofport = match.some(({ field }) => field.name === 'in_port')
    ? (key[word.inPort] ?? 0)
    : reservedPorts.ANY;
  const thawed = thawedPlace(match, table, place, target);
  const metadata = match.filter(({ field }) => isMetadata(field.word));
  const inPacket = match.filter(({ field }) => !isMetadata(field.word) && field.name !== 'in_port');
  const metadataKey = metadata.length === 0 ? {} : { known: key };
  if ('frame' in packet) {
    if (inPacket.length > 0)
      throw new InputError(
        `FLOW: ${printMatch(inPacket)} stands in the packet's bytes; beside them FLOW only ` +
          'says how the packet comes in, as in_port=1,reg0=5',
      );
    return { bridge: place.name, ofport, frame: packet.frame, ...metadataKey, metadata, ...thawed };
  }
  if (packet.headers !== undefined) putHeaders(key, packet.headers);
  const completed = withProtocol(key, inPacket);
  return {
    bridge: place.name,
    ofport,
    frame: composeFrame(key, inPacket, packet.payload),
    ...metadataKey,
    metadata,
    ...thawed,
    ...completed,
  };
}

function bridgeFor(text: string, target: DumpedSwitch, bridge: string | undefined): BridgePlan {
  const { plan, names } = target;
  if (bridge !== undefined) return bridgeCalled(plan, bridge);
  const [, port = ''] = /(?:^|[\s,])in_port=("(?:[^"\\]|\\.)*"|[^\s,]+)/.exec(text) ?? [];
  const name = port.replace(/^"(.*)"$/, '$1');
  const owner =
    plan.bridges.find((candidate) => names.get(candidate.name)?.ports.has(name)) ?? plan.bridges[0];
  if (plan.bridges.length > 1 && /^\d/.test(name)) return findPort(target, name).bridge;
  if (owner === undefined) throw new InputError('there is no bridge');
  return owner;
}

/** @throws InputError naming the known ones. */
export function bridgeCalled({ bridges }: NodePlan, name: string): BridgePlan {
  const found = bridges.find((candidate) => candidate.name === name);
  if (found === undefined)
    throw unknownName(
      'bridge',
      name,
      bridges.map((candidate) => candidate.name),
    );
  return found;
}

/** Whether a word of the key is known beside the packet's bytes. */
function isMetadata(field: number): boolean {
  return field < word.ethSrc && field !== word.inPort;
}

/**
 * @throws InputError for a field that is not wholly given, Unsupported for one that the model does
 *   not know.
 */
function checkEntry(entry: FieldMatch): void {
  const { field, mask } = entry;
  const text = printMatch([entry]);
  if (isUnmapped(field))
    throw new InputError(
      `FLOW: ${field.name} stands for no option here: give what "ovs-ofctl dump-tlv-map" prints ` +
        'by --tlv-map',
    );
  if (field.name === 'packet_type')
    throw new Unsupported(
      'the model does not know packets without an Ethernet header (packet_type)',
    );
  if (field.notation !== 'vlan' && mask !== field.ones) {
    const instead = field.name === 'ct_state' ? ', such as ct_state=trk|new' : '';
    throw new InputError(
      `FLOW: ${text}: a packet has one value of ${field.matchName}: give all of it, without a ` +
        `mask${instead}`,
    );
  }
  if (isMetadata(field.word) && field.inFlows) checkRead(field);
}

/**
 * @throws InputError for a field that no frame would show again: ofproto/trace follows flows that
 *   no packet has.
 */
function composeFrame(key: FlowKey, asked: Match, payload: Uint8Array | undefined): Uint8Array {
  const frame = withIpv6Fragment(compose(key, payload), key);
  const read = new Uint32Array(keyWords);
  extract(frame, read, Math.max(1, countTags(key)));
  const unreproduced = asked.find(
    ({ field, value }) => field.name !== 'nd_options_type' && readField(read, field) !== value,
  );
  if (unreproduced !== undefined)
    throw new InputError(
      'FLOW: no packet that is made of it has ' +
        `${printMatch([unreproduced], { ...noNames, protocol: 'OpenFlow10' })}: give the ` +
        `packet's bytes ` +
        'by --packet',
    );
  return frame;
}

/** A packet of which only the bytes are known. @throws InputError for a port that is not there. */
export function stimulusAt(frame: Uint8Array, { bridge, ofport }: PortPlace): PacketStimulus {
  return { bridge: bridge.name, ofport, frame, metadata: [] };
}

/**
 * The bytes of a frame as hexadecimal digits. @throws InputError that says what of the text is no
 * frame.
 */
export function parseFrame(text: string): Uint8Array {
  return parseHex(text, '--packet', shortestFrame);
}

/** @param shortest in bytes. */
export function parseHex(text: string, option: string, shortest = 0): Uint8Array {
  const digits = text.replace(/\s/g, '');
  const wrong = /[^0-9a-f]/i.exec(digits)?.[0];
  const got =
    wrong !== undefined
      ? `"${wrong}" among them`
      : digits.length % 2 !== 0
        ? `${digits.length} digits`
        : `${digits.length / 2} bytes`;
  if (wrong !== undefined || digits.length % 2 !== 0 || digits.length / 2 < shortest) {
    throw new InputError(
      `${option}: expected ` +
        `${shortest > 0 ? `an Ethernet frame of at least ${shortest} bytes` : 'bytes'} as ` +
        `hexadecimal digits, two a byte, got ${got}`,
    );
  }
  return Uint8Array.from(Buffer.from(digits, 'hex'));
}

/**
 * Captured packets where they come in: at `place`, or each at the port that its interface is called
 * after; those that left there are passed over.
 */
export function stimuliFromCapture(
  packets: readonly FilePacket[],
  file: string,
  target: DumpedSwitch,
  place: PortPlace | undefined,
): readonly PacketStimulus[] {
  if (place !== undefined) return packets.map(({ frame }) => stimulusAt(frame, place));
  const names = target.plan.bridges.flatMap((bridge) => [
    bridge.name,
    ...bridge.ports.map(({ name }) => name),
  ]);
  return packets
    .filter(({ direction }) => direction !== 'outbound')
    .map((packet) => {
      if (packet.interface === undefined)
        throw new InputError(
          `byte ${packet.at}: the packet names no interface: say where packets come in, by ` +
            '--in-port',
          { file },
        );
      // Interfaces are called PORT, or NODE/PORT as in captures of runs.
      const name = [packet.interface, packet.interface.replace(/^.*\//, '')].find((candidate) =>
        names.includes(candidate),
      );
      if (name === undefined)
        throw new InputError(
          `byte ${packet.at}: no port is called after the interface "${packet.interface}": ` +
            `ports are ${names.slice(0, 20).join(', ')}; or say where packets come in, by ` +
            '--in-port',
          { file },
        );
      return stimulusAt(packet.frame, findPort(target, name));
    });
}
