/** Frames as people talk about them: where two differ, and what one is in a line. */
import { arpOperations } from '../protocols/link/arp.js';
import { dissect } from './dissect.js';
import { icmpTypes } from '../protocols/ip/icmp.js';
import { icmp6Types } from '../protocols/ip/icmp6.js';

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
 * The fields whose values differ, `absent` where one frame has no such field, in the order of
 * `expected`. Empty for equal frames only. Then a differing length as `frame.length`, and last the
 * checksums that are right in both frames, which differ because something else does.
 */
export function differingFields(
  expected: Uint8Array,
  actual: Uint8Array,
): readonly FieldDifference[] {
  const [expectedValues, actualValues] = [valuesOf(expected), valuesOf(actual)];
  const differences = [...new Set([...expectedValues.keys(), ...actualValues.keys()])]
    .map((name) => ({
      name,
      expected: expectedValues.get(name) ?? 'absent',
      actual: actualValues.get(name) ?? 'absent',
    }))
    .filter((field) => field.expected !== field.actual);
  const length = {
    name: 'frame.length',
    expected: `${expected.length}`,
    actual: `${actual.length}`,
  };
  return [
    ...differences.filter((field) => !isConsequence(field)),
    ...(expected.length === actual.length ? [] : [length]),
    ...differences.filter(isConsequence),
  ];
}

/** Whether both are checksums without a remark, so right ones. */
function isConsequence({ name, expected, actual }: FieldDifference): boolean {
  return (
    name.endsWith('.checksum') &&
    [expected, actual].every((value) => /^0x([0-9a-f]{4}){1,2}$/.test(value))
  );
}

/** The value of a field on one level of a frame; empty when there is no such field. */
type Fields = (name: string) => string;

/**
 * One line in tcpdump's spirit, down to the innermost header, with the names of wrong checksums at
 * its end: `0a:00:0a:0a:00:02 > 0a:00:0a:0a:00:01 IPv4 10.10.0.2 > 10.10.1.2 ICMP echo request id
 * 77 seq 1 ttl 64`. Never throws.
 */
export function describeFrame(frame: Uint8Array): string {
  const values = valuesOf(frame);
  const wrong = [...values]
    .filter(([, value]) => value.endsWith('(invalid)'))
    .map(([name]) => `[wrong ${name}]`);
  return [describeLink((name) => values.get(name) ?? ''), ...wrong].join(' ');
}

function describeLink(fields: Fields): string {
  const network = `${describeTags(fields)}${describeLabels(fields)}${describeNetwork(fields)}`;
  return fields('eth.src') ? `${fields('eth.src')} > ${fields('eth.dst')} ${network}` : network;
}

function describeTags(fields: Fields): string {
  return eachNumbered(fields, 'vlan', 'vid')
    .map((at) => `VLAN ${at('vid')} priority ${at('pcp')} `)
    .join('');
}

function describeLabels(fields: Fields): string {
  return eachNumbered(fields, 'mpls', 'label')
    .map((at) => `MPLS ${at('label')} ttl ${at('ttl')} `)
    .join('');
}

/** The headers of one kind, from the outermost inwards. */
function eachNumbered(fields: Fields, name: string, known: string): readonly Fields[] {
  const found: Fields[] = [];
  for (let place = name; fields(`${place}.${known}`) !== ''; place = `${name}${found.length + 1}`)
    found.push((field) => fields(`${place}.${field}`));
  return found;
}

function describeNetwork(fields: Fields): string {
  if (fields('arp.op')) return describeArp(fields);
  if (fields('ip.src'))
    return (
      `IPv4 ${fields('ip.src')} > ${fields('ip.dst')} ` +
      `${describeTransport(fields)}${describeFragment(fields)} ttl ${fields('ip.ttl')}`
    );
  if (fields('ip6.src'))
    return (
      `IPv6 ${fields('ip6.src')} > ${fields('ip6.dst')} ` +
      `${describeTransport(fields)}${describeFragment(fields)} hop limit ` +
      fields('ip6.hop_limit')
    );
  const type =
    [fields('vlan2.type'), fields('vlan.type'), fields('eth.type')].find((value) => value !== '') ??
    '';
  return type !== '' && !fields('mpls.label')
    ? `type ${type} ${payloadLength(fields)}`
    : payloadLength(fields);
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
  if (fields('icmp6.type')) return describeIcmp6(fields);
  if (fields('sctp.src'))
    return `SCTP ${fields('sctp.src')} > ${fields('sctp.dst')} ${payloadLength(fields)}`;
  if (fields('udp.src'))
    return `UDP ${fields('udp.src')} > ${fields('udp.dst')} ${describeTunnel(fields)}`;
  if (fields('gre.type'))
    return (
      `GRE${fields('gre.key') ? ` key ${fields('gre.key')}` : ''} { ` + `${describeInner(fields)} }`
    );
  if (!fields('tcp.src'))
    return (
      `protocol ${fields('ip.protocol') || fields('ip6.next_header')} ` + payloadLength(fields)
    );
  const window = `seq ${fields('tcp.sequence')} ack ${fields('tcp.acknowledgement')}`;
  return (
    `TCP ${fields('tcp.src')} > ${fields('tcp.dst')} ${fields('tcp.flags')} ${window} ` +
    payloadLength(fields)
  );
}

function describeIcmp(fields: Fields): string {
  const echo = `id ${fields('icmp.identifier')} seq ${fields('icmp.sequence')}`;
  switch (Number(fields('icmp.type'))) {
    case icmpTypes.echoRequest:
      return `ICMP echo request ${echo}`;
    case icmpTypes.echoReply:
      return `ICMP echo reply ${echo}`;
    default:
      return (
        `ICMP type ${fields('icmp.type')} code ${fields('icmp.code')} ` + payloadLength(fields)
      );
  }
}

function describeIcmp6(fields: Fields): string {
  switch (Number(fields('icmp6.type'))) {
    case icmp6Types.echoRequest:
      return `ICMPv6 echo request id ${fields('icmp6.identifier')} seq ${fields('icmp6.sequence')}`;
    case icmp6Types.echoReply:
      return `ICMPv6 echo reply id ${fields('icmp6.identifier')} seq ${fields('icmp6.sequence')}`;
    case icmp6Types.neighbourSolicitation:
      return (
        'ICMPv6 who has ' +
        `${fields('nd.target')}?${fields('nd.sll') && ` tell ${fields('nd.sll')}`}`
      );
    case icmp6Types.neighbourAdvertisement:
      return (
        `ICMPv6 ${fields('nd.target')} is at ` + (fields('nd.tll') || 'an address it does not name')
      );
    default:
      return (
        `ICMPv6 type ${fields('icmp6.type')} code ${fields('icmp6.code')} ` + payloadLength(fields)
      );
  }
}

function describeTunnel(fields: Fields): string {
  for (const [name, tunnel] of [
    ['geneve', 'Geneve'],
    ['vxlan', 'VXLAN'],
  ] as const) {
    if (fields(`${name}.vni`))
      return `${tunnel} vni ${fields(`${name}.vni`)} { ${describeInner(fields)} }`;
  }
  return payloadLength(fields);
}

function describeInner(fields: Fields): string {
  return describeLink((name) => fields(`inner.${name}`));
}

function describeFragment(fields: Fields): string {
  if (fields('ip6.fragment.offset'))
    return (
      ` fragment offset ${fields('ip6.fragment.offset')} flags ` + fields('ip6.fragment.flags')
    );
  return /moreFragments|offset [^0]/.test(fields('ip.fragment'))
    ? ` fragment ${fields('ip.fragment')}`
    : '';
}

function payloadLength(fields: Fields): string {
  return `length ${fields('payload').length / 2}`;
}
