/** The client's connection: what it sent, and what of it came back. */
import type { PortAt, SeenFrame } from '../live-network.js';
import { segmentIn, type TcpSegment } from './packets.js';

export interface ConnectionAccount {
  /** Bytes of data that the client has sent, and that came back to it. */
  readonly sentBytes: number;
  readonly echoedBytes: number;
  /** The first byte that came back and is not what was sent. */
  readonly wrongAt?: number;
  /** Segments with data that the client's stack sent again. */
  readonly again: number;
  readonly resets: number;
  /** Between two segments that brought data back, at most. */
  readonly longestSilenceMs: number;
  /** How many connections there were. */
  readonly opened: number;
}

/** Of all that crosses the client's port. */
export function accountForConnection(
  seen: readonly SeenFrame[],
  client: PortAt,
  machine: string,
): ConnectionAccount {
  const segments = seen
    .filter(({ node, port }) => node === client.node && port === client.port)
    .flatMap(({ atMs, ...frame }) => {
      const segment = segmentIn({ atMs, ...frame });
      return segment === undefined ? [] : [{ ...segment, atMs }];
    });
  const sent = segments.filter(({ dst }) => dst === machine);
  const back = segments.filter(({ src }) => src === machine);
  const [wrote, read] = [streamOf(sent), streamOf(back)];
  const wrongAt = read.bytes.findIndex((byte, at) => byte !== wrote.bytes[at]);
  const times = back.filter(({ data }) => data.length > 0).map(({ atMs }) => atMs);
  const silences = times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs));
  return {
    sentBytes: wrote.bytes.length,
    echoedBytes: read.bytes.length,
    ...(wrongAt < 0 ? {} : { wrongAt }),
    again: wrote.again,
    resets: segments.filter(({ isReset }) => isReset).length,
    longestSilenceMs: Math.max(0, ...silences),
    opened: sent.filter(({ begins }) => begins).length,
  };
}

/** The bytes of one way, in order, as far as there is no gap (RFC 9293, section 3.4). */
function streamOf(segments: readonly TcpSegment[]): {
  readonly bytes: Uint8Array;
  readonly again: number;
} {
  const first = segments.find(({ begins }) => begins);
  if (first === undefined) return { bytes: Uint8Array.of(), again: 0 };
  const bytes: (number | undefined)[] = [];
  let again = 0;
  for (const { sequence, data } of segments) {
    if (data.length === 0) continue;
    const at = (sequence - first.sequence - 1) >>> 0;
    if (bytes[at] !== undefined) again++;
    for (const [offset, byte] of data.entries()) bytes[at + offset] = byte;
  }
  const gap = bytes.indexOf(undefined);
  return { bytes: Uint8Array.from(bytes.slice(0, gap < 0 ? undefined : gap).map(Number)), again };
}
