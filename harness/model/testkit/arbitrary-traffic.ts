/**
 * For tests: packets between few addresses and ports, so that they meet each other's connections;
 * errors that quote them; some of them damaged.
 */
import type { Random } from '../../base/random.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIcmp6 } from '../../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeExtension, extensionHeaders } from '../../packet/protocols/ip/ipv6-extension.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import { encodeSctp } from '../../packet/protocols/transport/sctp.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { pick } from './arbitrary-frame.js';
import type { Family } from '../conntrack/tuple.js';

/** An IP packet, and what is known of it. */
export interface Sent {
  readonly family: Family;
  readonly addresses: IpAddresses;
  readonly bytes: Uint8Array;
}

const addresses: Readonly<Record<Family, readonly string[]>> = {
  ipv4: ['10.0.0.1', '10.9.0.2'],
  ipv6: ['fd00::1', 'fd09:0:0:1::2'],
};
const ports = [53, 4000];
const { SYN, ACK, FIN, RST } = tcpFlags;

const chance = (random: Random, percent: number): boolean => random.integer(1, 100) <= percent;

/** @param earlier packets that errors may quote. */
export function anySent(random: Random, earlier: readonly Sent[]): Sent {
  const quoted = earlier.length > 0 && chance(random, 35) ? pick(random, earlier) : undefined;
  return quoted === undefined ? anyPart(random) : anyError(random, quoted);
}

/** In a frame whose source address is drawn too. */
export function framed(random: Random, { family, bytes }: Sent): Uint8Array {
  const frame = encodeEthernet(
    {
      dst: '02:00:00:00:00:02',
      src: `02:00:00:00:00:${pick(random, ['01', '02', '81'])}`,
      etherType: family === 'ipv4' ? etherTypes.ipv4 : etherTypes.ipv6,
    },
    bytes,
  );
  switch (chance(random, 15) ? random.integer(0, 2) : -1) {
    case 0:
      return frame.slice(0, random.integer(14, frame.length));
    case 1:
      return concatBytes(frame, new Uint8Array(random.integer(1, 20)).fill(0xee));
    case 2: {
      const [at, bit] = [random.integer(14, frame.length - 1), random.integer(0, 7)];
      return isFragmentField(family, at)
        ? frame
        : frame.map((byte, index) => (index === at ? byte ^ (1 << bit) : byte));
    }
    default:
      return frame;
  }
}

/** Flags and offset of IPv4, the next header of IPv6. */
function isFragmentField(family: Family, at: number): boolean {
  return family === 'ipv4' ? at === 20 || at === 21 : at === 20;
}

function anyPart(random: Random): Sent {
  const family = pick(random, ['ipv4', 'ipv6'] as const);
  const [src, dst] = [pick(random, addresses[family]), pick(random, addresses[family])];
  const { protocol, bytes } = anyTransport(random, family, { src, dst });
  return packetOf(random, family, { src, dst }, protocol, bytes);
}

function packetOf(
  random: Random,
  family: Family,
  ends: IpAddresses,
  protocol: number,
  payload: Uint8Array,
): Sent {
  if (family === 'ipv4')
    return {
      family,
      addresses: ends,
      bytes: encodeIpv4(
        {
          ...ends,
          ttl: 64,
          protocol,
          options: chance(random, 10) ? Uint8Array.of(1, 1, 1, 0) : new Uint8Array(),
        },
        payload,
      ),
    };
  const name = chance(random, 20)
    ? pick(random, ['hopByHop', 'destination', 'authentication'] as const)
    : undefined;
  if (name === undefined)
    return {
      family,
      addresses: ends,
      bytes: encodeIpv6({ ...ends, hopLimit: 64, nextHeader: protocol }, payload),
    };
  const extension = encodeExtension(
    name,
    protocol,
    new Uint8Array(name === 'authentication' ? 14 : 6),
  );
  return {
    family,
    addresses: ends,
    bytes: encodeIpv6(
      { ...ends, hopLimit: 64, nextHeader: extensionHeaders[name] },
      concatBytes(extension, payload),
    ),
  };
}

function anyTransport(
  random: Random,
  family: Family,
  ends: IpAddresses,
): { readonly protocol: number; readonly bytes: Uint8Array } {
  const payload = new Uint8Array(pick(random, [0, 4, 5, 40]));
  const [srcPort, dstPort] = chance(random, 3)
    ? [0, 7]
    : [pick(random, ports), pick(random, ports)];
  switch (random.integer(0, 4)) {
    case 0: {
      const flags = pick(random, [SYN, SYN | ACK, ACK, ACK, ACK, FIN | ACK, RST, SYN | FIN]);
      const segment = {
        srcPort,
        dstPort,
        sequence: 1,
        acknowledgement: (flags & ACK) === 0 ? 0 : 1,
        flags,
        window: 9000,
        urgentPointer: 0,
        options: new Uint8Array(),
      };
      return { protocol: ipProtocols.tcp, bytes: encodeTcp(segment, payload, ends) };
    }
    case 1:
      return {
        protocol: ipProtocols.udp,
        bytes: encodeUdp({ srcPort, dstPort }, payload, chance(random, 85) ? ends : 'no-checksum'),
      };
    case 2:
      return {
        protocol: ipProtocols.sctp,
        bytes: encodeSctp({ srcPort, dstPort, verificationTag: 1 }, anyChunks(random)),
      };
    case 3: {
      const code = chance(random, 95) ? 0 : 1;
      const identifier = pick(random, [1, 2]);
      if (family === 'ipv6' || chance(random, 5))
        return {
          protocol: ipProtocols.icmp6,
          bytes: encodeIcmp6(
            {
              type: pick(random, [128, 128, 129, 135, 136, 144]),
              code,
              rest: (identifier << 16) | 1,
            },
            payload,
            ends,
          ),
        };
      return {
        protocol: ipProtocols.icmp,
        bytes: encodeIcmp(
          { type: pick(random, [8, 8, 0, 13, 14, 15, 16, 17, 9]), code, identifier, sequence: 1 },
          payload,
        ),
      };
    }
    default:
      return {
        protocol: pick(random, [2, 33, 47, 89, 136, ipProtocols.icmp, ipProtocols.icmp6]),
        bytes: concatBytes(Uint8Array.of(pick(random, [0, 8, 128])), payload),
      };
  }
}

function anyChunks(random: Random): Uint8Array {
  const chunks = [
    [0, 3, 0, 4],
    [1, 0, 0, 6, 1, 2, 0, 0],
    [0, 0, 0, 0],
    [0, 0, 0, 9, 1, 2, 3, 4],
  ] as const;
  return concatBytes(
    ...Array.from({ length: random.integer(0, 3) }, () =>
      Uint8Array.from(pick(random, chunks.slice(0, chance(random, 85) ? 2 : 4))),
    ),
  );
}

/** An error about a packet, mostly from where that went to where it came from. */
function anyError(random: Random, { family, addresses: { src, dst }, bytes }: Sent): Sent {
  const ends = {
    src: chance(random, 50) ? dst : pick(random, addresses[family]),
    dst: chance(random, 90) ? src : pick(random, addresses[family]),
  };
  const whole = chance(random, 70) ? bytes : bytes.subarray(0, random.integer(0, bytes.length));
  const quoted =
    family === 'ipv4' && chance(random, 10)
      ? whole.map((byte, index) => (index === 6 ? byte | 0x20 : byte))
      : whole;
  const code = random.integer(0, 4);
  if (family === 'ipv4')
    return packetOf(
      random,
      family,
      ends,
      ipProtocols.icmp,
      encodeIcmp(
        { type: pick(random, [3, 3, 4, 5, 11, 12, 6]), code, identifier: 0, sequence: 0 },
        quoted,
      ),
    );
  return packetOf(
    random,
    family,
    ends,
    ipProtocols.icmp6,
    encodeIcmp6({ type: pick(random, [1, 1, 2, 3, 4, 5]), code, rest: 1280 }, quoted, ends),
  );
}
