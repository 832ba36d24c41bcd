/**
 * For tests: frames of every protocol that a flow key holds, one in another, from few addresses
 * and ports; some of them odd, cut off or damaged.
 */
import type { Random } from '../../base/random.js';
import { encodeArp } from '../../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIcmp6, icmp6Types } from '../../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import {
  encodeExtension,
  encodeFragment,
  extensionHeaders,
} from '../../packet/protocols/ip/ipv6-extension.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import { encodeMpls } from '../../packet/protocols/link/mpls.js';
import {
  addressOption,
  encodeNeighbour,
  type NeighbourOption,
} from '../../packet/protocols/ip/neighbour.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import { encodeSctp } from '../../packet/protocols/transport/sctp.js';
import { encodeTcp } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { encodeVlan } from '../../packet/protocols/link/vlan.js';

const macs = [
  '0a:00:00:00:00:01',
  '0a:00:00:00:00:02',
  '33:33:00:00:00:01',
  'ff:ff:ff:ff:ff:ff',
  '00:00:00:00:00:00',
];
const ips = ['10.0.0.1', '10.0.0.2', '0.0.0.0', '224.0.0.1'];
const ip6s = ['fd00::1', 'fd00::2', 'fe80::a00:ff:fe00:1', 'ff02::1', '::'];
const ports = [0, 7, 53, 0xffff];

/** What a header carries: its type, or its protocol, and its bytes. */
interface Payload {
  readonly type: number;
  readonly bytes: Uint8Array;
}

export function pick<T>(random: Random, from: readonly T[]): T {
  const chosen = from[random.integer(0, from.length - 1)];
  if (chosen === undefined) throw new Error('bug in flowbed: nothing to pick from');
  return chosen;
}

const chance = (random: Random, percent: number): boolean => random.integer(1, 100) <= percent;
const someBytes = (random: Random, most: number): Uint8Array =>
  Uint8Array.from({ length: random.integer(0, most) }, () => random.integer(0, 255));
const repeat = <T>(random: Random, most: number, make: () => T): readonly T[] =>
  Array.from({ length: random.integer(0, most) }, make);

/** An Ethernet frame of at least a header's length. */
export function anyFrame(random: Random): Uint8Array {
  const { type, bytes } = chance(random, 25)
    ? tagsAround(random, anyPacket(random))
    : anyPacket(random);
  const link = { src: pick(random, macs), dst: pick(random, macs) };
  const snap = chance(random, 3);
  const frame = snap
    ? encodeEthernet(
        { ...link, etherType: bytes.length + 8 },
        concatBytes(Uint8Array.of(0xaa, 0xaa, 3, 0, 0, 0, type >>> 8, type & 0xff), bytes),
      )
    : encodeEthernet({ ...link, etherType: type }, bytes);
  return chance(random, 75) ? frame : damaged(random, frame);
}

export function damaged(random: Random, frame: Uint8Array): Uint8Array {
  switch (random.integer(0, 2)) {
    case 0:
      return frame.slice(0, random.integer(14, frame.length));
    case 1:
      return concatBytes(
        frame,
        new Uint8Array(random.integer(1, 20)).fill(pick(random, [0, 1, 0xee])),
      );
    default: {
      const at = random.integer(12, Math.max(14, frame.length - 1));
      return frame.map((byte, index) => (index === at ? byte ^ (1 << random.integer(0, 7)) : byte));
    }
  }
}

function tagsAround(random: Random, inner: Payload): Payload {
  const tags = random.integer(1, 3);
  return Array.from({ length: tags }).reduce<Payload>(
    ({ type, bytes }) => ({
      type: chance(random, 75) ? etherTypes.vlan : etherTypes.serviceVlan,
      bytes: encodeVlan(
        {
          pcp: pick(random, [0, 5, 7]),
          dei: chance(random, 15) ? 1 : 0,
          vid: pick(random, [0, 5, 6, 4095]),
          etherType: type,
        },
        bytes,
      ),
    }),
    inner,
  );
}

function anyPacket(random: Random): Payload {
  switch (random.integer(0, 9)) {
    case 0:
      return { type: pick(random, [0x88b5, 0x0003, 0x05ff, 0x0600]), bytes: someBytes(random, 30) };
    case 1:
      return anyArp(random);
    case 2:
      return labelsAround(random, anyPacket(random).bytes);
    case 3:
    case 4:
    case 5:
      return anyIpv4(random);
    default:
      return anyIpv6(random);
  }
}

function anyArp(random: Random): Payload {
  // Not 255: Open vSwitch takes it for any operation in its own keys, and loses what such flows
  // count.
  const packet = {
    op: pick(random, [1, 2, 1, 2, 3, 0, 257]),
    sha: pick(random, macs),
    spa: pick(random, ips),
    tha: pick(random, macs),
    tpa: pick(random, ips),
  };
  return { type: chance(random, 80) ? etherTypes.arp : etherTypes.rarp, bytes: encodeArp(packet) };
}

function labelsAround(random: Random, inner: Uint8Array): Payload {
  const labels = random.integer(1, 5);
  const isBroken = chance(random, 10);
  const bytes = Array.from({ length: labels }, (_, index) =>
    index === 0 && !isBroken ? 1 : 0,
  ).reduce<Uint8Array>(
    (rest, bos) =>
      encodeMpls(
        {
          label: pick(random, [0, 2, 16, 17, 0xfffff]),
          tc: pick(random, [0, 3, 7]),
          bos,
          ttl: pick(random, [0, 1, 2, 64, 255]),
        },
        rest,
      ),
    inner,
  );
  return { type: chance(random, 80) ? etherTypes.mpls : etherTypes.mplsMulticast, bytes };
}

function anyIpv4(random: Random): Payload {
  const addresses = { src: pick(random, ips), dst: pick(random, ips) };
  const { type, bytes } = anyTransport(random, addresses, 'ipv4');
  const fragment = chance(random, 15)
    ? pick(random, [
        { flags: 1, fragmentOffset: 0 },
        { flags: 1, fragmentOffset: 1 },
        { flags: 0, fragmentOffset: 1 },
      ])
    : { flags: pick(random, [0, 2]) };
  const header = {
    ...addresses,
    ...fragment,
    protocol: type,
    ttl: pick(random, [0, 1, 2, 64, 255]),
    tos: pick(random, [0, 4, 184, 187]),
    identification: random.integer(0, 0xffff),
  };
  return {
    type: etherTypes.ipv4,
    bytes: encodeIpv4(
      { ...header, options: chance(random, 10) ? Uint8Array.of(1, 1, 1, 0) : new Uint8Array() },
      bytes,
    ),
  };
}

function anyIpv6(random: Random): Payload {
  const addresses = { src: pick(random, ip6s), dst: pick(random, ip6s) };
  const inner = anyTransport(random, addresses, 'ipv6');
  const { type, bytes } = chance(random, 35) ? extensionsAround(random, inner) : inner;
  const header = {
    ...addresses,
    nextHeader: type,
    hopLimit: pick(random, [0, 1, 2, 64, 255]),
    trafficClass: pick(random, [0, 4, 184, 187]),
    flowLabel: pick(random, [0, 1, 0xfffff]),
  };
  return { type: etherTypes.ipv6, bytes: encodeIpv6(header, bytes) };
}

function extensionsAround(random: Random, inner: Payload): Payload {
  return Array.from({ length: random.integer(1, 3) }).reduce<Payload>(({ type, bytes }) => {
    const name = pick(random, [
      'hopByHop',
      'routing',
      'destination',
      'authentication',
      'fragment',
      'fragment',
    ] as const);
    return {
      type: extensionHeaders[name],
      bytes: concatBytes(anyExtension(random, name, type), bytes),
    };
  }, inner);
}

function anyExtension(
  random: Random,
  name: keyof typeof extensionHeaders,
  nextHeader: number,
): Uint8Array {
  if (name === 'fragment') {
    const place = pick(random, [
      { offset: 0, more: 'more' },
      { offset: 0, more: 'last' },
      { offset: 1, more: 'more' },
      { offset: 2, more: 'last' },
    ] as const);
    return encodeFragment({ nextHeader, ...place, identification: 0x01020304 });
  }
  const content = new Uint8Array(
    name === 'authentication' ? pick(random, [10, 14, 22]) : pick(random, [6, 14, 22]),
  );
  if (name === 'routing') content[1] = pick(random, [0, 1]); // segments left
  return encodeExtension(name, nextHeader, content);
}

function anyTransport(random: Random, addresses: IpAddresses, family: 'ipv4' | 'ipv6'): Payload {
  const payload = someBytes(random, 12);
  const [srcPort, dstPort] = [pick(random, ports), pick(random, ports)];
  switch (random.integer(0, 6)) {
    case 0: {
      const options = chance(random, 30) ? Uint8Array.of(1, 1, 1, 1) : new Uint8Array();
      const segment = {
        srcPort,
        dstPort,
        sequence: 1,
        acknowledgement: 0,
        flags: pick(random, [0, 2, 0x12, 0x10, 0x11, 0xfff]),
        window: 100,
        urgentPointer: 0,
        options,
      };
      return { type: ipProtocols.tcp, bytes: encodeTcp(segment, payload, addresses) };
    }
    case 1:
      return {
        type: ipProtocols.udp,
        bytes: encodeUdp(
          { srcPort, dstPort },
          payload,
          chance(random, 85) ? addresses : 'no-checksum',
        ),
      };
    case 2:
      return {
        type: ipProtocols.sctp,
        bytes: encodeSctp({ srcPort, dstPort, verificationTag: 1 }, payload),
      };
    case 3:
      return { type: pick(random, [0, 2, 47, 59, 89, 255]), bytes: payload };
    case 4:
      return family === 'ipv4' ? anyIcmp(random, payload) : anyNeighbour(random, addresses);
    default:
      return family === 'ipv4' || chance(random, 5)
        ? anyIcmp(random, payload)
        : anyIcmp6(random, payload, addresses);
  }
}

function anyIcmp(random: Random, payload: Uint8Array): Payload {
  return {
    type: ipProtocols.icmp,
    bytes: encodeIcmp(
      {
        type: pick(random, [0, 8, 3, 11, 135]),
        code: pick(random, [0, 1]),
        identifier: 1,
        sequence: 2,
      },
      payload,
    ),
  };
}

function anyIcmp6(random: Random, payload: Uint8Array, addresses: IpAddresses): Payload {
  return {
    type: ipProtocols.icmp6,
    bytes: encodeIcmp6(
      {
        type: pick(random, [1, 2, 128, 129, 133, 134]),
        code: pick(random, [0, 0, 1]),
        rest: 0x00010002,
      },
      payload,
      addresses,
    ),
  };
}

function anyNeighbour(random: Random, addresses: IpAddresses): Payload {
  const type = pick(random, [icmp6Types.neighbourSolicitation, icmp6Types.neighbourAdvertisement]);
  const options = repeat(random, 3, (): NeighbourOption => {
    const other = {
      type: pick(random, [1, 2, 3, 14, 5]),
      content: new Uint8Array(pick(random, [6, 14])).fill(random.integer(0, 255)),
    };
    return chance(random, 70)
      ? addressOption(pick(random, ['source', 'target']), pick(random, macs))
      : other;
  });
  const rest = pick(random, [0, 0x60000000, 0xe0000001]);
  return {
    type: ipProtocols.icmp6,
    bytes: encodeIcmp6(
      { type, code: chance(random, 95) ? 0 : 1, rest },
      encodeNeighbour(pick(random, ip6s), options),
      addresses,
    ),
  };
}
