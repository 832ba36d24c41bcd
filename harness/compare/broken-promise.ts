/** What all that judges promises says of them: what was broken, in words. */
import type { HostNote, Lease } from '../domain/observation.js';
import type { Stimulus } from '../domain/test-vector.js';

/** The first thing that broke the promise. */
export interface BrokenPromise {
  readonly expected: string;
  readonly actual: string;
}

/** The IP address that the sender wrote to, where it wrote to one: the answer comes from there. */
export function destinationOf(stimulus: Stimulus): string | undefined {
  switch (stimulus.kind) {
    case 'ping':
    case 'udp':
    case 'tcp':
    case 'probe':
    case 'sctp':
    case 'calls':
    case 'open':
    case 'talk':
      return stimulus.to;
    case 'arp':
    case 'dhcp':
    case 'announcement':
      return undefined;
    case 'frame':
      return 'dst' in stimulus.frame.payload ? stimulus.frame.payload.dst : undefined;
  }
}

export function describe(note: HostNote): string {
  switch (note.kind) {
    case 'received':
      return `${note.host} got ${names[note.what]} from ${note.src}`;
    case 'connected':
      return note.as === 'opener'
        ? `${note.host} has a connection to ${note.peer}`
        : `${note.host} has a connection from ${note.peer}`;
    case 'closed':
      return `${note.host} closed its connection with ${note.peer}`;
    case 'refused':
    case 'reset':
      return `${note.host} got a reset from ${note.peer}`;
    case 'relayed':
      return `${note.host} has a connection of its own to ${note.to} for ${note.client}`;
    case 'timed-out':
      return `${note.host} got no answer from ${note.peer}`;
    case 'resolved':
      return `${note.host} learned that ${note.ip} is at ${note.mac}`;
    case 'unreachable':
      return `${note.host} got an ICMP error for ${note.peer}: ${note.why}`;
    case 'unresolved':
      return `${note.host} got no answer for ${note.ip}`;
    case 'leased':
      return `${note.host} was given ${describeLease(note.lease)}`;
    case 'unleased':
      return `${note.host} was given no address: ${note.why}`;
    case 'dropped':
      return `${note.host} dropped it: ${note.why}`;
    case 'endless':
      return `what ${note.host} sent is in a forwarding loop`;
  }
}

/** What people ask about first comes first; what the server does not say is left out. */
export function describeLease(lease: Lease): string {
  const { ip, netmask, router, server, dnsServer, hostname, seconds } = lease;
  return [
    `${ip} (${netmask}) for ${seconds} s`,
    ...(router === '' ? [] : [`router ${router}`]),
    ...(server === '' ? [] : [`server ${server}`]),
    ...(dnsServer === '' ? [] : [`DNS server ${dnsServer}`]),
    ...(hostname === '' ? [] : [`host name ${hostname}`]),
  ].join(', ');
}

const names = {
  'echo-request': 'an echo request',
  'echo-reply': 'an echo reply',
  udp: 'a UDP datagram',
  tcp: 'data of a TCP connection',
  sctp: 'a message of an SCTP association',
} as const;
