/**
 * Packets between few hosts, which answer one another, for cases that switches remember something
 * in.
 */
import type { Random } from '../../base/random.js';
import { anySent, framed, type Sent } from '../../model/testkit/arbitrary-traffic.js';
import { encodeEthernet, etherTypes } from '../../packet/protocols/link/ethernet.js';
import { encodeIcmp } from '../../packet/protocols/ip/icmp.js';
import { encodeIcmp6 } from '../../packet/protocols/ip/icmp6.js';
import { encodeIpv4, ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import { encodeIpv6 } from '../../packet/protocols/ip/ipv6.js';
import type { IpAddresses } from '../../packet/protocols/ip/pseudo-header.js';
import { encodeSctp } from '../../packet/protocols/transport/sctp.js';
import { encodeTcp, tcpFlags } from '../../packet/protocols/transport/tcp.js';
import { encodeUdp } from '../../packet/protocols/transport/udp.js';
import type { PacketStep } from '../fuzz-case.js';
import { chance, pick, times } from './weighted.js';
import {
  hosts,
  addressOf,
  clientPorts,
  type Conversation,
  type Family,
  servicePorts,
  translatedHost,
  turn,
  type Turn,
} from './conversation.js';
import { tupleOf } from './tuple-of.js';

export interface Traffic {
  /** The next packet of some conversation, or one by itself. */
  next(): PacketStep;
  /** The connection of some conversation as it began, as `dpctl/flush-conntrack` reads it. */
  tuple(): string;
}

const maxConversations = 3;

/** @param portOf where a host is. @param families what packets are of. */
export function drawTraffic(
  random: Random,
  portOf: (host: number) => string,
  families: readonly Family[],
): Traffic {
  const conversations = times(random.integer(1, maxConversations), () =>
    drawConversation(random, families),
  );
  const sent: Sent[] = [];
  return {
    next: () => {
      if (chance(random, 15)) return drawUnrelatedPacket(random, sent, portOf, families);
      const conversation = pick(random, conversations);
      // Now and then the same packet again, or one too early.
      conversation.turn += weightedStep(random);
      return packetOf(random, conversation, Math.max(0, conversation.turn), portOf);
    },
    tuple: () => tupleOf(pick(random, conversations)),
  };
}

function weightedStep(random: Random): number {
  return pick(random, [1, 1, 1, 1, 1, 1, 0, 2, -1]);
}

function drawConversation(random: Random, families: readonly Family[]): Conversation {
  const client = pick(random, hosts);
  return {
    family: pick(
      random,
      (['ipv4', 'ipv4', 'ipv6'] as const).filter((family) => families.includes(family)),
    ),
    transport: pick(random, ['tcp', 'tcp', 'udp', 'udp', 'icmp', 'sctp'] as const),
    client,
    server: pick(
      random,
      hosts.filter((host) => host !== client),
    ),
    clientPort: pick(random, clientPorts),
    serverPort: pick(random, servicePorts),
    turn: -1,
  };
}

/** Between other addresses; some are damaged, some are errors that quote what was sent. */
function drawUnrelatedPacket(
  random: Random,
  sent: Sent[],
  portOf: (host: number) => string,
  families: readonly Family[],
): PacketStep {
  let packet = anySent(random, sent);
  while (!families.includes(packet.family)) packet = anySent(random, sent);
  sent.push(packet);
  return { kind: 'packet', port: portOf(pick(random, hosts)), frame: framed(random, packet) };
}

/**
 * Of a conversation's turns some are the server's; now and then an answer goes to what the client
 * may have been translated to, or comes in elsewhere.
 */
function packetOf(
  random: Random,
  conversation: Conversation,
  turn: number,
  portOf: (host: number) => string,
): PacketStep {
  const script = conversation.transport === 'tcp' ? segments : plain;
  const { from, flags, bytes } = script[turn % script.length]!;
  const [near, far] =
    from === 'client'
      ? [conversation.client, conversation.server]
      : [conversation.server, conversation.client];
  const towards = chance(random, 35) ? translatedHost : far;
  const ends: IpAddresses = {
    src: addressOf(conversation.family, near),
    dst: addressOf(conversation.family, towards),
  };
  const payload = transportOf(conversation, from, flags, bytes, ends);
  const ip =
    conversation.family === 'ipv4'
      ? encodeIpv4({ ...ends, ttl: 64, protocol: payload.protocol }, payload.bytes)
      : encodeIpv6({ ...ends, hopLimit: 64, nextHeader: payload.protocol }, payload.bytes);
  const frame = encodeEthernet(
    {
      src: macOf(near),
      dst: macOf(far),
      etherType: conversation.family === 'ipv4' ? etherTypes.ipv4 : etherTypes.ipv6,
    },
    ip,
  );
  return { kind: 'packet', port: portOf(chance(random, 92) ? near : pick(random, hosts)), frame };
}

function macOf(host: number): string {
  return `0a:00:00:00:00:0${host}`;
}

const { SYN, ACK, FIN, RST, PSH } = tcpFlags;

/** A connection that is opened, used, closed, opened again and aborted. */
const segments: readonly Turn[] = [
  turn('client', SYN),
  turn('server', SYN | ACK),
  turn('client', ACK),
  turn('client', ACK | PSH, 10),
  turn('server', ACK),
  turn('server', ACK | PSH, 5),
  turn('client', FIN | ACK),
  turn('server', FIN | ACK),
  turn('client', ACK),
  turn('client', SYN),
  turn('server', SYN | ACK),
  turn('server', RST | ACK),
];

const plain: readonly Turn[] = [
  turn('client'),
  turn('client'),
  turn('server', 0, 4),
  turn('client', 0, 8),
  turn('server'),
];

const firstNumbers = { client: 1000, server: 5000 } as const;

function transportOf(
  { family, transport, clientPort, serverPort, turn: now }: Conversation,
  from: Turn['from'],
  flags: number,
  length: number,
  ends: IpAddresses,
): { readonly protocol: number; readonly bytes: Uint8Array } {
  const [srcPort, dstPort] =
    from === 'client' ? [clientPort, serverPort] : [serverPort, clientPort];
  const payload = new Uint8Array(length).fill(0x61);
  switch (transport) {
    case 'tcp': {
      const started = now % segments.length > 0;
      const [sequence, acknowledgement] = [
        firstNumbers[from] + (started && (flags & SYN) === 0 ? 1 : 0),
        (flags & ACK) === 0 ? 0 : firstNumbers[from === 'client' ? 'server' : 'client'] + 1,
      ];
      return {
        protocol: ipProtocols.tcp,
        bytes: encodeTcp(
          {
            srcPort,
            dstPort,
            sequence,
            acknowledgement,
            flags,
            window: 8000,
            urgentPointer: 0,
            options: new Uint8Array(),
          },
          payload,
          ends,
        ),
      };
    }
    case 'udp':
      return { protocol: ipProtocols.udp, bytes: encodeUdp({ srcPort, dstPort }, payload, ends) };
    case 'sctp':
      return {
        protocol: ipProtocols.sctp,
        bytes: encodeSctp(
          { srcPort, dstPort, verificationTag: 1 },
          Uint8Array.of(from === 'client' ? 1 : 2, 0, 0, 4),
        ),
      };
    case 'icmp':
      return family === 'ipv4'
        ? {
            protocol: ipProtocols.icmp,
            bytes: encodeIcmp(
              { type: from === 'client' ? 8 : 0, code: 0, identifier: clientPort, sequence: 1 },
              payload,
            ),
          }
        : {
            protocol: ipProtocols.icmp6,
            bytes: encodeIcmp6(
              { type: from === 'client' ? 128 : 129, code: 0, rest: (clientPort << 16) | 1 },
              payload,
              ends,
            ),
          };
  }
}
