/**
 * For tests: large packets cut into fragments, which come in any order, some of them twice, too
 * small, overlapping, or not at all.
 */
import type { Random } from '../../base/random.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIcmp6 } from '../../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import {
  encodeExtension,
  encodeFragment,
  extensionHeaders,
} from '../../packet/protocols/ip/ipv6-extension.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import { concatBytes } from '../../packet/bytes/header-layout.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import { pick } from './arbitrary-frame.js';
import type { Sent } from './arbitrary-traffic.js';
import type { Family } from '../conntrack/tuple.js';

const ends: Readonly<Record<Family, readonly IpAddresses[]>> = {
  ipv4: [
    { src: '10.0.0.1', dst: '10.9.0.2' },
    { src: '10.9.0.2', dst: '10.0.0.1' },
    { src: '10.9.0.2', dst: '10.0.0.7' },
    { src: '10.9.0.7', dst: '10.0.0.1' },
  ],
  ipv6: [
    { src: 'fd00::1', dst: 'fd09:0:0:1::2' },
    { src: 'fd09:0:0:1::2', dst: 'fd00::1' },
    { src: 'fd09:0:0:1::2', dst: 'fd00::7' },
    { src: 'fd09:0:0:1::7', dst: 'fd00::1' },
  ],
};

const chance = (random: Random, percent: number): boolean => random.integer(1, 100) <= percent;

/** Bytes of a packet behind IP, from `start` on, of `length`. */
interface Cut {
  readonly start: number;
  readonly length: number;
  readonly more: boolean;
}

/** The fragments of one packet, or most of them. */
export function someFragments(random: Random): readonly Sent[] {
  const family = pick(random, ['ipv4', 'ipv6'] as const);
  const addresses = pick(random, ends[family]);
  const { protocol, bytes } = largeTransport(random, family, addresses);
  const identification = random.integer(1, 5);
  const isExtended = family === 'ipv6' && chance(random, 20);
  const cuts = shuffled(
    random,
    cutsOf(random, bytes.length).filter(() => !chance(random, 4)),
  );
  const extra = chance(random, 10) ? [pick(random, cuts)] : [];
  return [...cuts, ...extra].map((cut) =>
    fragmentOf(family, addresses, protocol, bytes, identification, isExtended, cut),
  );
}

function largeTransport(
  random: Random,
  family: Family,
  addresses: IpAddresses,
): { readonly protocol: number; readonly bytes: Uint8Array } {
  const payload = Uint8Array.from(
    { length: random.integer(1300, 5000) },
    (_, index) => index & 0xff,
  );
  const [srcPort, dstPort] = pick(random, [
    [53, 4000],
    [4000, 53],
  ] as const);
  const wrong = chance(random, 8);
  const damaged = (bytes: Uint8Array) =>
    wrong ? bytes.map((byte, index) => (index === bytes.length - 1 ? byte ^ 1 : byte)) : bytes;
  switch (random.integer(0, 3)) {
    case 0:
      return {
        protocol: ipProtocols.tcp,
        bytes: damaged(
          encodeTcp(
            {
              srcPort,
              dstPort,
              sequence: 1,
              acknowledgement: 1,
              flags: tcpFlags.ACK,
              window: 65_535,
              urgentPointer: 0,
              options: new Uint8Array(),
            },
            payload,
            addresses,
          ),
        ),
      };
    case 1:
      return {
        protocol: ipProtocols.udp,
        bytes: damaged(encodeUdp({ srcPort, dstPort }, payload, addresses)),
      };
    case 2:
      if (family === 'ipv4')
        return {
          protocol: ipProtocols.icmp,
          bytes: damaged(
            encodeIcmp(
              { type: pick(random, [8, 0, 3]), code: 0, identifier: 1, sequence: 1 },
              payload,
            ),
          ),
        };
      return {
        protocol: ipProtocols.icmp6,
        bytes: damaged(
          encodeIcmp6(
            { type: pick(random, [128, 129, 1]), code: 0, rest: 0x10001 },
            payload,
            addresses,
          ),
        ),
      };
    default:
      return { protocol: 89, bytes: payload };
  }
}

function cutsOf(random: Random, length: number): readonly Cut[] {
  const cuts: Cut[] = [];
  for (let start = 0; start < length; ) {
    const size = chance(random, 4) ? 8 * random.integer(1, 140) : 8 * random.integer(156, 180);
    const overlap = start > 0 && chance(random, 3) ? 8 : 0;
    cuts.push({
      start: start - overlap,
      length: Math.min(size, length - start) + overlap,
      more: start + size < length,
    });
    start += size;
  }
  return cuts;
}

function shuffled<Item>(random: Random, items: readonly Item[]): readonly Item[] {
  const rest = [...items];
  if (chance(random, 40)) return rest;
  return items.map(() => rest.splice(random.integer(0, rest.length - 1), 1)[0] as Item);
}

function fragmentOf(
  family: Family,
  addresses: IpAddresses,
  protocol: number,
  bytes: Uint8Array,
  identification: number,
  isExtended: boolean,
  { start, length, more }: Cut,
): Sent {
  const part = bytes.subarray(start, start + length);
  if (family === 'ipv4')
    return {
      family,
      addresses,
      bytes: encodeIpv4(
        {
          ...addresses,
          ttl: 64,
          protocol,
          identification,
          flags: more ? 1 : 0,
          fragmentOffset: start / 8,
        },
        part,
      ),
    };
  const fragment = concatBytes(
    encodeFragment({
      nextHeader: protocol,
      offset: start / 8,
      more: more ? 'more' : 'last',
      identification,
    }),
    part,
  );
  const payload = isExtended
    ? concatBytes(
        encodeExtension('hopByHop', extensionHeaders.fragment, new Uint8Array(6)),
        fragment,
      )
    : fragment;
  return {
    family,
    addresses,
    bytes: encodeIpv6(
      {
        ...addresses,
        hopLimit: 64,
        nextHeader: isExtended ? extensionHeaders.hopByHop : extensionHeaders.fragment,
      },
      payload,
    ),
  };
}
