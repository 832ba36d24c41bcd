/**
 * A real Linux kernel's network stack with tap devices for its interfaces, in a network namespace
 * of its own, which ends with the program that holds it, and that with this one. Virtual hosts are
 * compared with it; needs root (unshare(1), nsenter(1), ip(8), tuntap of the kernel).
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { Unavailable } from '../../base/errors/errors.js';
import { arpOperations, encodeArp } from '../../packet/protocols/link/arp.js';
import {
  decodeEthernet,
  encodeEthernet,
  etherTypes,
} from '../../packet/protocols/link/ethernet.js';
import type { Carrier } from './tap-carrier.js';
import { type Tap, type TapFrame, limitMs, startCarrier } from './tap-carrier.js';

export interface KernelNamespace {
  readonly pid: number;
  /** All that comes out, at any tap, for one frame. */
  exchange(sent: TapFrame): Promise<readonly TapFrame[]>;
  /** Runs a line of shell in the namespace; what it prints. */
  run(script: string): string;
  close(): void;
}

/** Why there can be none here; undefined where nothing is in the way. */
export function whatNamespacesLack(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root';
  const lacking = Object.entries(packages).filter(
    ([program]) => spawnSync(program, ['--version']).error !== undefined,
  );
  return lacking.length === 0
    ? undefined
    : `${lacking.map(([program]) => program).join(', ')} not on PATH; apt-get install ` +
        lacking.map(([, name]) => name).join(' ');
}

const packages = {
  nft: 'nftables',
  ip: 'iproute2',
  nsenter: 'util-linux',
  unshare: 'util-linux',
  perl: 'perl-base',
} as const;

/**
 * Forwards between its interfaces, without IPv6, and as steady as it can be: errors are not rate
 * limited, a neighbour that is there is not probed, and no redirects are sent.
 * @param scripts lines of shell that are run in it at last. @throws Unavailable where it does not
 *   come up.
 */
export async function openNamespace(
  taps: readonly Tap[],
  scripts: readonly string[],
): Promise<KernelNamespace> {
  const carrier = await startCarrier(taps);
  const run = (script: string) =>
    execFileSync('nsenter', ['-t', String(carrier.pid), '-n', 'sh', '-e', '-c', script], {
      encoding: 'utf8',
    });
  try {
    run([...steady, ...taps.flatMap(up), ...scripts].join('\n'));
  } catch (error) {
    carrier.kill();
    throw new Unavailable(`a network namespace cannot be configured: ${String(error)}`);
  }
  let probes = 0;
  const exchange = async (sent: TapFrame): Promise<readonly TapFrame[]> => {
    carrier.write(sent);
    const seen: TapFrame[] = [];
    for (const tap of taps)
      seen.push(
        ...(await withDeadline(
          framesUntilQuiet(carrier, tap, probes++),
          limitMs,
          `${tap.name} to be quiescent`,
        )),
      );
    return seen;
  };
  return { pid: carrier.pid, run, exchange, close: () => carrier.close() };
}

/**
 * All frames of a tap. The kernel handles frames of one tap in order: it is done with those before
 * once it answers a probe, an ARP request from a host that is nowhere else.
 */
async function framesUntilQuiet(
  { waiting, more, write }: Carrier,
  tap: Tap,
  probe: number,
): Promise<readonly TapFrame[]> {
  const mac = `${prober}${(probe & 255).toString(16).padStart(2, '0')}`;
  const request = encodeArp({
    op: arpOperations.request,
    sha: mac,
    spa: '0.0.0.0',
    tha: '00:00:00:00:00:00',
    tpa: tap.ip,
  });
  write({
    tap: tap.name,
    frame: encodeEthernet(
      { dst: 'ff:ff:ff:ff:ff:ff', src: mac, etherType: etherTypes.arp },
      request,
    ),
  });
  for (;;) {
    const at = waiting.findIndex(
      ({ tap: name, frame }) => name === tap.name && receiverOf(frame) === mac,
    );
    if (at >= 0)
      return waiting.splice(0, at + 1).filter(({ frame }) => !receiverOf(frame).startsWith(prober));
    await more();
  }
}

/** How the MAC addresses of all probes begin. */
const prober = '02:00:00:00:ff:';

function receiverOf(frame: Uint8Array): string {
  return decodeEthernet(frame)?.header.dst ?? '';
}

const steady = [
  'for c in all default; do echo 1 > /proc/sys/net/ipv6/conf/$c/disable_ipv6; echo 0 > ' +
    '/proc/sys/net/ipv4/conf/$c/send_redirects; echo 0 > /proc/sys/net/ipv4/conf/$c/rp_filter; ' +
    'done',
  'echo 1 > /proc/sys/net/ipv4/ip_forward',
  'echo 0 > /proc/sys/net/ipv4/icmp_ratelimit',
  'ip link set lo up',
];

function up({ name, mac, ip, prefixLength }: Tap): readonly string[] {
  const neighbours = `/proc/sys/net/ipv4/neigh/${name}`;
  return [
    `ip link set ${name} address ${mac}`,
    `echo 3600 > ${neighbours}/delay_first_probe_time`,
    `echo 3600000 > ${neighbours}/base_reachable_time_ms`,
    `ip link set ${name} up`,
    `ip addr add ${ip}/${prefixLength} dev ${name}`,
  ];
}
