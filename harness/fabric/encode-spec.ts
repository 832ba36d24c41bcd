/** Frames that a vector spells out, as bytes. */
import { arpOperations, encodeArp } from '../packet/protocols/link/arp.js';
import { encodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { encodeIcmp, icmpTypes } from '../packet/protocols/ip/icmp.js';
import { encodeIcmp6 } from '../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../packet/protocols/ip/ipv6.js';
import {
  addressOption,
  encodeNeighbour,
  neighbourTypes,
} from '../packet/protocols/ip/neighbour.js';
import { advertisementFlags, neighbourHopLimit } from '../packet/protocols/ip/neighbour-frames.js';
import { tcpFlags } from '../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../packet/protocols/transport/udp.js';
import { assertNever } from '../base/errors/errors.js';
import type { FrameSpec, PayloadSpec, TcpFlag } from '../domain/test-vector.js';
import type { VectorRandomness } from './stack/host.js';
import { encodeSegment, receiveWindow } from './stack/tcp/tcp-segment.js';

/** Identifier and payload come from `random`, everything else from `spec`. */
export function encodeSpec(spec: FrameSpec, random: VectorRandomness): Uint8Array {
  const { etherType, bytes } = encodePayload(spec.payload, random);
  return encodeEthernet({ dst: spec.dst, src: spec.src, etherType }, bytes);
}

function encodePayload(
  payload: PayloadSpec,
  random: VectorRandomness,
): { readonly etherType: number; readonly bytes: Uint8Array } {
  switch (payload.kind) {
    case 'udp': {
      const udp = encodeUdp(
        { srcPort: payload.srcPort, dstPort: payload.dstPort },
        random.payload,
        payload,
      );
      return {
        etherType: etherTypes.ipv4,
        bytes: encodeIpv4({ ...addressed(payload, random), protocol: ipProtocols.udp }, udp),
      };
    }
    case 'tcp': {
      const header = {
        srcPort: payload.srcPort,
        dstPort: payload.dstPort,
        sequence: random.sequences.opener,
        acknowledgement: random.sequences.answerer,
        flags: bitsOf(payload.flags),
        window: receiveWindow,
        urgentPointer: 0,
        options: new Uint8Array(),
      };
      const segment = encodeSegment(
        header,
        { payload: new Uint8Array(), checksum: payload.checksum },
        payload,
      );
      return {
        etherType: etherTypes.ipv4,
        bytes: encodeIpv4({ ...addressed(payload, random), protocol: ipProtocols.tcp }, segment),
      };
    }
    case 'echo-request': {
      const icmp = encodeIcmp(
        { type: icmpTypes.echoRequest, code: 0, identifier: random.identifier, sequence: 1 },
        random.payload,
      );
      return {
        etherType: etherTypes.ipv4,
        bytes: encodeIpv4({ ...addressed(payload, random), protocol: ipProtocols.icmp }, icmp),
      };
    }
    case 'arp':
      return {
        etherType: etherTypes.arp,
        bytes: encodeArp({ ...payload, op: arpOperations[payload.op] }),
      };
    case 'neighbour-advertisement':
      return { etherType: etherTypes.ipv6, bytes: encodeAdvertisement(payload) };
    case 'other':
      return {
        etherType: payload.etherType,
        bytes: Uint8Array.from(Buffer.from(payload.hex, 'hex')),
      };
    default:
      return assertNever(payload);
  }
}

type Advertisement = Extract<PayloadSpec, { readonly kind: 'neighbour-advertisement' }>;

function encodeAdvertisement({ target, mac, dst }: Advertisement): Uint8Array {
  const addresses = { src: target, dst };
  return encodeIpv6(
    { ...addresses, nextHeader: ipProtocols.icmp6, hopLimit: neighbourHopLimit },
    encodeIcmp6(
      { type: neighbourTypes.advertisement, code: 0, rest: advertisementFlags.override },
      encodeNeighbour(target, [addressOption('target', mac)]),
      addresses,
    ),
  );
}

function bitsOf(flags: readonly TcpFlag[]): number {
  return flags.reduce((bits, flag) => bits | tcpFlags[flag], 0);
}

function addressed(
  payload: { readonly src: string; readonly dst: string; readonly ttl: number },
  random: VectorRandomness,
): { src: string; dst: string; ttl: number; identification: number } {
  return {
    src: payload.src,
    dst: payload.dst,
    ttl: payload.ttl,
    identification: random.identifier,
  };
}
