/** The program that holds a network namespace, and carries frames to and from its taps. */
/** An interface of the kernel's, by a tap device of its name. */

import { assert } from '../../base/errors/errors.js';
import { withDeadline } from '../../base/concurrency/deadline.js';
import { spawn } from 'node:child_process';

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

/** The program that holds the namespace and its taps. */
export interface Carrier {
  readonly pid: number;
  /** Frames that came out of the kernel and were not taken yet, in order. */
  readonly waiting: TapFrame[];
  /** Resolves when there may be more of them. */
  more(): Promise<void>;
  write(sent: TapFrame): void;
  kill(): void;
  /** Ends it once it has read all that was written. */
  close(): void;
}

export const limitMs = 30_000;

/** What the carrier has written, in order, and the promise of more. */
export function framesOf(
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

/**
 * Opens the taps that it gets as arguments, and carries frames between them and its pipes: a byte
 * for the tap, two for the length, and the frame. It begins with the tap 255, once they are there.
 */
export const carrierProgram = `
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

export async function startCarrier(taps: readonly Tap[]): Promise<Carrier> {
  const child = spawn(
    'unshare',
    ['-n', '--', 'perl', '-e', carrierProgram, ...taps.map(({ name }) => name)],
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
  return {
    pid,
    waiting,
    more,
    write: ({ tap, frame }) => {
      const index = taps.findIndex(({ name }) => name === tap);
      const header = Buffer.from([index, frame.length >> 8, frame.length & 255]);
      child.stdin.write(Buffer.concat([header, frame]));
    },
    kill: () => child.kill(),
    close: () => child.stdin.end(),
  };
}
