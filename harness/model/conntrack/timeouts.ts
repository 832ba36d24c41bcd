/**
 * How long connections last without packets (ovs-vswitchd.conf.db(5), CT_Timeout_Policy; Open
 * vSwitch lib/conntrack-tp.c).
 */
import { InputError } from '../../base/errors/errors.js';
import { ipProtocols } from '../../packet/protocols/ip/ipv4.js';
import type { Behaviour } from '../behaviour.js';
import type { Tuple } from './tuple.js';

/** In seconds, where nothing else is said. */
export const defaultTimeouts = {
  tcp_syn_sent: 30,
  tcp_syn_recv: 30,
  tcp_established: 86_400,
  tcp_fin_wait: 900,
  tcp_time_wait: 45,
  // the datapath in ovs-vswitchd has no such states
  tcp_close_wait: 60,
  tcp_last_ack: 30,
  tcp_close: 30,
  udp_first: 60,
  udp_single: 60,
  udp_multiple: 30,
  icmp_first: 60,
  icmp_reply: 30,
} as const;

/** Linux's own (nf_conntrack-sysctl in the kernel's documentation). */
export const kernelTimeouts = {
  tcp_syn_sent: 120,
  tcp_syn_recv: 60,
  tcp_established: 432_000,
  tcp_fin_wait: 120,
  tcp_close_wait: 60,
  tcp_last_ack: 30,
  tcp_time_wait: 120,
  tcp_close: 10,
  udp_first: 30,
  udp_single: 30,
  udp_multiple: 120,
  icmp_first: 30,
  icmp_reply: 30,
} as const;

/** Of what Linux's tracker alone distinguishes. */
const linuxTimeouts = {
  tcp_unacknowledged: 300,
  sctp_closed: 10,
  sctp_cookie: 3,
  sctp_established: 210,
  sctp_shutdown: 3,
} as const;

export type TimeoutName = keyof typeof defaultTimeouts | keyof typeof linuxTimeouts;

/** Seconds by name. Those of UDP are those of all protocols without states of their own. */
export type Timeouts = Readonly<Record<TimeoutName, number>>;

/**
 * Protocols whose connections a zone's policy is for (lib/ct-dpif.c,
 * ct_dpif_timeout_policy_support_ipproto).
 */
const havePolicies: readonly number[] = [
  ipProtocols.icmp,
  ipProtocols.tcp,
  ipProtocols.udp,
  ipProtocols.icmp6,
];

const ofKernels: Timeouts = { ...kernelTimeouts, ...linuxTimeouts };
/** Of protocols that Linux's tracker knows nothing of (nf_conntrack_generic_timeout). */
const genericOfKernels: Timeouts = {
  ...ofKernels,
  udp_first: 600,
  udp_single: 600,
  udp_multiple: 600,
};
const knownToKernels: readonly number[] = [...havePolicies, ipProtocols.sctp];
const ofDaemons: Timeouts = { ...defaultTimeouts, ...linuxTimeouts };

/** Of a new connection. */
export function timeoutsFor(
  {
    timeouts,
    behaviour,
  }: { readonly timeouts: ReadonlyMap<number, Timeouts>; readonly behaviour: Behaviour },
  { zone, protocol }: Pick<Tuple, 'zone' | 'protocol'>,
): Timeouts {
  return (
    (havePolicies.includes(protocol) ? timeouts.get(zone) : undefined) ??
    (behaviour.datapath !== 'in the kernel'
      ? ofDaemons
      : knownToKernels.includes(protocol)
        ? ofKernels
        : genericOfKernels)
  );
}

/**
 * Those that a policy names, and the others as they come. @throws InputError for a name that is
 * none.
 */
export function timeoutsOf(policy: Readonly<Record<string, number>>): Timeouts {
  const unknown = Object.keys(policy).find((name) => !Object.hasOwn(defaultTimeouts, name));
  if (unknown !== undefined)
    throw new InputError(
      `"${unknown}" is no timeout of connections: these are ` +
        Object.keys(defaultTimeouts).join(', '),
    );
  return { ...linuxTimeouts, ...defaultTimeouts, ...policy };
}
