/** Frames as people talk about them: where two differ, and what one is in a line. */
import { arpOperations } from './arp.js';
import { dissect } from './dissect.js';
import { icmpTypes } from './icmp.js';

/** The values of a frame's fields by name, in the order of its bytes. */
type Values = ReadonlyMap<string, string>;

function valuesOf(frame: Uint8Array): Values {
  return new Map(dissect(frame).map(({ name, value }) => [name, value]));
}

export interface FieldDifference {
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
}

/**
 * The fields whose values differ, `absent` where one frame has no such field, in the order of `expected`. Empty for equal
 * frames only. Then a differing length as `frame.length`, and last the checksums that are right in both frames, which
 * differ because something else does.
 */
export function differingFields(expected: Uint8Array, actual: Uint8Array): readonly FieldDifference[] {
  const [expectedValues, actualValues] = [valuesOf(expected), valuesOf(actual)];
  const differences = [...new Set([...expectedValues.keys(), ...actualValues.keys()])]
    .map((name) => ({ name, expected: expectedValues.get(name) ?? 'absent', actual: actualValues.get(name) ?? 'absent' }))
    .filter((field) => field.expected !== field.actual);
  const length = { name: 'frame.length', expected: `${expected.length}`, actual: `${actual.length}` };
  return [
    ...differences.filter((field) => !isConsequence(field)),
    ...(expected.length === actual.length ? [] : [length]),
    ...differences.filter(isConsequence),
  ];
}

/** Whether both are checksums without a remark, so right ones. */
function isConsequence({ name, expected, actual }: FieldDifference): boolean {
  return name.endsWith('.checksum') && [expected, actual].every((value) => /^0x[0-9a-f]{4}$/.test(value));
}

/** The value of a field on one level of a frame; empty when there is no such field. */
type Fields = (name: string) => string;

/**
 * One line in tcpdump's spirit, down to the innermost header, with the names of wrong checksums at its end:
 * `0a:00:0a:0a:00:02 > 0a:00:0a:0a:00:01 IPv4 10.10.0.2 > 10.10.1.2 ICMP echo request id 77 seq 1 ttl 64`. Never throws.
 */
export function describeFrame(frame: Uint8Array): string {
  const values = valuesOf(frame);
  const wrong = [...values].filter(([, value]) => value.endsWith('(invalid)')).map(([name]) => `[wrong ${name}]`);
  return [describeLink((name) => values.get(name) ?? ''), ...wrong].join(' ');
}

function describeLink(fields: Fields): string {
  const network = describeNetwork(fields);
  return fields('eth.src') ? `${fields('eth.src')} > ${fields('eth.dst')} ${network}` : network;
}

function describeNetwork(fields: Fields): string {
  if (fields('arp.op')) return describeArp(fields);
  if (fields('ip.src')) return `IPv4 ${fields('ip.src')} > ${fields('ip.dst')} ${describeTransport(fields)}${describeFragment(fields)} ttl ${fields('ip.ttl')}`;
  return fields('eth.type') ? `type ${fields('eth.type')} ${payloadLength(fields)}` : payloadLength(fields);
}

function describeArp(fields: Fields): string {
  switch (Number(fields('arp.op'))) {
    case arpOperations.request:
      return `ARP who has ${fields('arp.tpa')}? tell ${fields('arp.spa')} at ${fields('arp.sha')}`;
    case arpOperations.reply:
      return `ARP ${fields('arp.spa')} is at ${fields('arp.sha')}`;
    default:
      return `ARP operation ${fields('arp.op')}`;
  }
}

function describeTransport(fields: Fields): string {
  if (fields('icmp.type')) return describeIcmp(fields);
  if (fields('udp.src')) return `UDP ${fields('udp.src')} > ${fields('udp.dst')} ${describeTunnel(fields)}`;
  if (fields('gre.type')) return `GRE${fields('gre.key') ? ` key ${fields('gre.key')}` : ''} { ${describeInner(fields)} }`;
  if (!fields('tcp.src')) return `protocol ${fields('ip.protocol')} ${payloadLength(fields)}`;
  const window = `seq ${fields('tcp.sequence')} ack ${fields('tcp.acknowledgement')}`;
  return `TCP ${fields('tcp.src')} > ${fields('tcp.dst')} ${fields('tcp.flags')} ${window} ${payloadLength(fields)}`;
}

function describeIcmp(fields: Fields): string {
  const echo = `id ${fields('icmp.identifier')} seq ${fields('icmp.sequence')}`;
  switch (Number(fields('icmp.type'))) {
    case icmpTypes.echoRequest:
      return `ICMP echo request ${echo}`;
    case icmpTypes.echoReply:
      return `ICMP echo reply ${echo}`;
    default:
      return `ICMP type ${fields('icmp.type')} code ${fields('icmp.code')} ${payloadLength(fields)}`;
  }
}

function describeTunnel(fields: Fields): string {
  for (const [name, tunnel] of [['geneve', 'Geneve'], ['vxlan', 'VXLAN']] as const) {
    if (fields(`${name}.vni`)) return `${tunnel} vni ${fields(`${name}.vni`)} { ${describeInner(fields)} }`;
  }
  return payloadLength(fields);
}

function describeInner(fields: Fields): string {
  return describeLink((name) => fields(`inner.${name}`));
}

function describeFragment(fields: Fields): string {
  return /moreFragments|offset [^0]/.test(fields('ip.fragment')) ? ` fragment ${fields('ip.fragment')}` : '';
}

function payloadLength(fields: Fields): string {
  return `length ${fields('payload').length / 2}`;
}
