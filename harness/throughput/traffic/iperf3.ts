/** iperf3(1): how it is called, and what it says in JSON. */
import { z } from 'zod';
import { Unavailable } from '../../base/errors/errors.js';

/** One run of its client. */
export interface Iperf3Call {
  readonly ip: string;
  readonly port: number;
  readonly protocol: 'TCP' | { readonly udpBytes: number; readonly bitsPerSecond: number };
  readonly seconds: number;
  /** Connections at once. */
  readonly parallel?: number;
  /** Of the buffers at both ends; what the kernels choose where it is missing. */
  readonly windowBytes?: number;
  /** The server sends. */
  readonly direction?: 'reverse';
}

/** The rate of `-b 0`. */
export const asFastAsItCan = 0;

export function clientArguments(call: Iperf3Call): readonly string[] {
  const { ip, port, protocol, seconds, parallel = 1, direction, windowBytes } = call;
  return [
    ...['--client', ip, '--port', String(port), '--time', String(seconds), '--json'],
    ...(protocol === 'TCP'
      ? []
      : [
          ...['--udp', '--length', String(protocol.udpBytes)],
          ...['--bitrate', String(protocol.bitsPerSecond)],
        ]),
    ...(parallel === 1 ? [] : ['--parallel', String(parallel)]),
    ...(windowBytes === undefined ? [] : ['--window', String(windowBytes)]),
    ...(direction === 'reverse' ? ['--reverse'] : []),
  ];
}

/** One client, then it ends. */
export function serverArguments(port: number): readonly string[] {
  return ['--server', '--port', String(port), '--one-off', '--forceflush'];
}

/** What a server prints once it listens. */
export const listens = /Server listening/;

const sum = z.object({
  bytes: z.number(),
  seconds: z.number().positive(),
  packets: z.number().optional(),
  lost_packets: z.number().optional(),
  retransmits: z.number().optional(),
});
const output = z.union([
  z.object({ error: z.string() }),
  z.object({
    start: z.object({ tcp_mss_default: z.number().optional() }),
    end: z.object({
      sum: sum.optional(),
      sum_sent: sum,
      sum_received: sum,
      cpu_utilization_percent: z.object({ host_total: z.number(), remote_total: z.number() }),
    }),
  }),
]);

/** What arrived, as the receiver has counted it. */
export interface Iperf3Result {
  readonly bytes: number;
  readonly seconds: number;
  /** Of UDP: datagrams that were sent, and that did not arrive. */
  readonly datagrams: { readonly sent: number; readonly lost: number };
  readonly retransmits: number;
  /** Nanoseconds of processors that both ends had, while it lasted. */
  readonly clientNs: number;
  readonly serverNs: number;
  /** Bytes of data in a full segment of TCP, where there is one. */
  readonly segmentBytes: number;
}

/** @throws Unavailable with what it says where it has measured nothing. */
export function readIperf3(text: string): Iperf3Result {
  const read = output.safeParse(parsed(text));
  if (!read.success)
    throw new Unavailable(
      'iperf3 did not say what it measured',
      ['it is made for iperf3 3.9 and newer: --json'],
      text.split('\n').slice(-10),
    );
  if ('error' in read.data) throw new Unavailable(`iperf3 failed: ${read.data.error}`, []);
  const { start, end } = read.data;
  const { sum: both, sum_sent: sent, sum_received: received } = end;
  const { host_total: client, remote_total: server } = end.cpu_utilization_percent;
  return {
    bytes: received.bytes,
    seconds: received.seconds,
    datagrams: {
      sent: both?.packets ?? sent.packets ?? 0,
      lost: received.lost_packets ?? both?.lost_packets ?? 0,
    },
    retransmits: sent.retransmits ?? 0,
    clientNs: (client / 100) * received.seconds * 1e9,
    serverNs: (server / 100) * received.seconds * 1e9,
    segmentBytes: start.tcp_mss_default ?? 0,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
