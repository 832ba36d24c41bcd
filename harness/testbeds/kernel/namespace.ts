/**
 * A real Linux kernel's network stack with tap devices for its interfaces, in a network namespace
 * of its own, which ends with the program that holds it, and that with this one. What virtual hosts
 * are held to; needs root (unshare(1), nsenter(1), ip(8), tuntap of the kernel).
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { assert, Unavailable } from '../../base/errors/errors.js';
import { arpOperations, encodeArp } from '../../packet/protocols/link/arp.js';
import {
  decodeEthernet,
  encodeEthernet,
  etherTypes,
} from '../../packet/protocols/link/ethernet.js';

/** An interface of the kernel's, by a tap device of its name. */
export interface Tap {
  readonly name: string;
  readonly mac: string;
  readonly ip: string;
  readonly prefixLength: number;
}

/** A frame that goes into the kernel by a tap device, or came out there. */
export interface TapFrame {
  readonly tap: string;
  readonly frame: Uint8Array;
}

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
 * Opens the taps that it is told and carries frames between them and its pipes: a byte for the tap,
 * two for the length, and the frame. It begins with the tap 255, once they are there.
 */
const carrier = `
  my @taps; $| = 1;
  for my $name (@ARGV) { open(my $f, "+<:raw", "/dev/net/tun") or die "tun: $!"; ioctl($f, 0x400454ca, pack("Z16 S x22", $name, 0x1002)) or die "$name: $!"; push @taps, $f }
  binmode STDIN; binmode STDOUT; syswrite STDOUT, pack("Cn", 255, 0);
  my $in = "";
  for (;;) {
    my $r = ""; vec($r, fileno(STDIN), 1) = 1; vec($r, fileno($_), 1) = 1 for @taps;
    select($r, undef, undef, undef);
    for my $i (0 .. $#taps) { next unless vec($r, fileno($taps[$i]), 1); my $n = sysread($taps[$i], my $b, 65535); syswrite STDOUT, pack("Cn", $i, $n) . $b if $n }
    next unless vec($r, fileno(STDIN), 1);
    sysread(STDIN, $in, 65536, length $in) or exit;
    while (length $in >= 3) { my ($i, $n) = unpack "Cn", $in; last if length $in < 3 + $n; syswrite $taps[$i], substr($in, 3, $n); substr($in, 0, 3 + $n) = "" }
  }`;

const limitMs = 30_000;

/**
 * Forwards between its interfaces, without IPv6, and as calm as it gets: no error is one too many,
 * no neighbour is doubted while it is there, and nobody is told of a better way.
 * @param scripts lines of shell that are run in it at last. @throws Unavailable where it does not
 *   come up.
 */
export async function openNamespace(
  taps: readonly Tap[],
  scripts: readonly string[],
): Promise<KernelNamespace> {
  const child = spawn(
    'unshare',
    ['-n', '--', 'perl', '-e', carrier, ...taps.map(({ name }) => name)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const { waiting, more } = framesOf(child.stdout, taps);
  const ready = async () => {
    while (waiting.length === 0) await more();
  };
  await withDeadline(ready(), limitMs, 'a network namespace with tap devices').catch(
    (error: unknown) => {
      child.kill();
      throw error;
    },
  );
  waiting.length = 0;
  const { pid } = child;
  assert(pid !== undefined, 'the carrier runs');
  const run = (script: string) =>
    execFileSync('nsenter', ['-t', String(pid), '-n', 'sh', '-e', '-c', script], {
      encoding: 'utf8',
    });
  try {
    run([...calm, ...taps.flatMap(up), ...scripts].join('\n'));
  } catch (error) {
    child.kill();
    throw new Unavailable(`a network namespace cannot be configured: ${String(error)}`);
  }
  const write = ({ tap, frame }: TapFrame) =>
    void child.stdin.write(
      Buffer.concat([
        Buffer.from([
          taps.findIndex(({ name }) => name === tap),
          frame.length >> 8,
          frame.length & 255,
        ]),
        frame,
      ]),
    );
  let asked = 0;
  /**
   * What the kernel does with a frame it has done when it answers the next one of the same tap:
   * somebody who is nowhere else asks for its address.
   */
  const settled = async (tap: Tap): Promise<readonly TapFrame[]> => {
    const mac = `${asker}${(asked++ & 255).toString(16).padStart(2, '0')}`;
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
        return waiting
          .splice(0, at + 1)
          .filter(({ frame }) => !receiverOf(frame).startsWith(asker));
      await more();
    }
  };
  const exchange = async (sent: TapFrame): Promise<readonly TapFrame[]> => {
    write(sent);
    const seen: TapFrame[] = [];
    for (const tap of taps)
      seen.push(...(await withDeadline(settled(tap), limitMs, `${tap.name} to be quiet`)));
    return seen;
  };
  return { pid, run, exchange, close: () => child.stdin.end() };
}

/** All MAC addresses of whoever asks whether the kernel is quiet begin like this. */
const asker = '02:00:00:00:ff:';

function receiverOf(frame: Uint8Array): string {
  return decodeEthernet(frame)?.header.dst ?? '';
}

const calm = [
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

/** What the carrier has written, in order, and the promise of more. */
function framesOf(
  stdout: NodeJS.ReadableStream,
  taps: readonly Tap[],
): { readonly waiting: TapFrame[]; more(): Promise<void> } {
  const waiting: TapFrame[] = [];
  let rest: Buffer = Buffer.alloc(0);
  let wakeUp: () => void = () => undefined;
  stdout.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 3 && rest.length >= 3 + rest.readUInt16BE(1)) {
      const length = rest.readUInt16BE(1);
      waiting.push({
        tap: taps[rest.readUInt8(0)]?.name ?? '',
        frame: Uint8Array.from(rest.subarray(3, 3 + length)),
      });
      rest = rest.subarray(3 + length);
    }
    wakeUp();
  });
  return {
    waiting,
    more: () =>
      new Promise((resolve) => {
        wakeUp = resolve;
      }),
  };
}
