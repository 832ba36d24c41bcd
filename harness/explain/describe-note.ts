/** What hosts noted, in words. */
import { describeLease } from '../compare/broken-promise.js';
import type { HostNote } from '../domain/observation.js';

const received: Readonly<Record<string, string>> = {
  'echo-request': 'an echo request',
  'echo-reply': 'an echo reply',
  udp: 'a UDP datagram',
  tcp: 'data',
};

function noteText(note: HostNote): string {
  switch (note.kind) {
    case 'received':
      return `got ${received[note.what] ?? note.what} from ${note.src} with TTL ${note.ttl}`;
    case 'resolved':
      return `learned that ${note.ip} is at ${note.mac}`;
    case 'unresolved':
      return `got no answer for ${note.ip}`;
    case 'unreachable':
      return `got an ICMP error for ${note.peer}: ${note.why}`;
    case 'leased':
      return `was given ${describeLease(note.lease)}`;
    case 'unleased':
      return `was given no address: ${note.why}`;
    case 'dropped':
      return `dropped a packet from ${note.src} to ${note.dst}: ${note.why}`;
    case 'endless':
      return 'sent what is in a forwarding loop';
    case 'connected':
      return note.as === 'opener'
        ? `is connected to ${note.peer}`
        : `accepted a connection from ${note.peer}`;
    case 'relayed':
      return `has a connection of its own to ${note.to} for ${note.client}`;
    case 'closed':
      return `closed the connection with ${note.peer}`;
    case 'refused':
      return `was refused by ${note.peer}`;
    case 'reset':
      return `got a reset from ${note.peer}`;
    case 'timed-out':
      return `gave up on ${note.peer}: nothing was answered`;
  }
}

/** The same, whenever it was. */
export function describeNoteWithoutTime(note: HostNote): string {
  return `${note.host} ${noteText(note)}`;
}

/** `30 µs: p4 got an echo request from 10.10.1.2 with TTL 62`. */
export function describeNote(note: HostNote): string {
  return `${note.timeUs} µs: ${describeNoteWithoutTime(note)}`;
}
