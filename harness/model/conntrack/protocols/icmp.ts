/** Requests of ICMP and their answers (RFC 792, RFC 950; RFC 4443), as connections. */
import { ipProtocols } from '../../../packet/protocols/ip/ipv4.js';
import type { DatapathPlace } from '../../behaviour.js';
import type { TimeoutName } from '../timeouts.js';
import type { Update } from './update.js';

export interface IcmpProgress {
  readonly kind: 'icmp';
  answered: boolean;
}

/**
 * By protocol, requests that open a connection, with the type of their answer: echo, timestamp,
 * information.
 */
const requests: ReadonlyMap<number, ReadonlyMap<number, number>> = new Map([
  [
    ipProtocols.icmp,
    new Map([
      [8, 0],
      [13, 14],
      [15, 16],
    ]),
  ],
  [ipProtocols.icmp6, new Map([[128, 129]])],
]);

/**
 * Linux knows requests for a network mask and of node information as well
 * (nf_conntrack_proto_icmp.c, nf_conntrack_proto_icmpv6.c).
 */
const kernelRequests: typeof requests = new Map([
  [ipProtocols.icmp, new Map([...(requests.get(ipProtocols.icmp) ?? []), [17, 18]])],
  [ipProtocols.icmp6, new Map([...(requests.get(ipProtocols.icmp6) ?? []), [139, 140]])],
]);

function requestsOf(datapath: DatapathPlace): typeof requests {
  return datapath === 'in the kernel' ? kernelRequests : requests;
}

/** Whether a message of ICMP or of ICMPv6, whatever IP carries it, may begin a connection. */
export function opensIcmp(protocol: number, type: number, datapath: DatapathPlace): boolean {
  return requestsOf(datapath).get(protocol)?.has(type) ?? false;
}

/** The type that answers `type`, or that it answers; undefined for messages that are neither. */
export function counterpart(
  protocol: number,
  type: number,
  datapath: DatapathPlace,
): number | undefined {
  for (const [request, answer] of requestsOf(datapath).get(protocol) ?? []) {
    if (type === request) return answer;
    if (type === answer) return request;
  }
  return undefined;
}

export function beginIcmp(): { readonly progress: IcmpProgress; readonly timeout: TimeoutName } {
  return { progress: { kind: 'icmp', answered: false }, timeout: 'icmp_first' };
}

/** A request stays new until there is an answer. */
export function updateIcmp(progress: IcmpProgress, reply: boolean): Update {
  progress.answered ||= reply;
  return progress.answered
    ? { kind: 'valid', timeout: 'icmp_reply' }
    : { kind: 'new', timeout: 'icmp_first' };
}
