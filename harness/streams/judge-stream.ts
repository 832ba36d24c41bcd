/**
 * A stream held to what was predicted: the frames that carry it, byte for byte, and its goodput on
 * a link whose rate it fills.
 */
import type { DataPacket, StreamEnds } from './captured.js';

export interface StreamPrediction {
  /** Data of a full packet, and its frame on the link between nodes. */
  readonly payload: number;
  readonly frameBytes: number;
  /** Bits of data a second, once the link is full. */
  readonly goodput: number;
}

export interface StreamMeasurement {
  /** Full packets by the length of their frames on the link, the usual first. */
  readonly frames: readonly { readonly bytes: number; readonly payload: number; count: number }[];
  readonly goodput: number;
}

/** A frame and its time go to the byte; goodput may be off by so much, for the clock's grain. */
const tolerance = 0.001;

/** What a link carries of a stream: the share of a full frame that is data. */
export function predictStream(
  payload: number,
  frameBytes: number,
  rateMbit: number,
): StreamPrediction {
  return { payload, frameBytes, goodput: (payload / frameBytes) * rateMbit * 1e6 };
}

/**
 * @param onLink the stream's packets as they came out of the link. The second half of them counts:
 *   by then the sender has the link filled.
 */
export function measureStream(
  onLink: readonly DataPacket[],
  protocol: StreamEnds['protocol'],
): StreamMeasurement {
  const counts = new Map<string, { bytes: number; payload: number; count: number }>();
  for (const { bytes, payload } of withoutEnd(onLink, protocol)) {
    const known = counts.get(`${bytes} ${payload}`);
    if (known === undefined) counts.set(`${bytes} ${payload}`, { bytes, payload, count: 1 });
    else known.count++;
  }
  const half = onLink.slice(Math.floor(onLink.length / 2), -1);
  const [first, last] = [half[0], half.at(-1)];
  const passed = half.slice(1).reduce((sum, { payload }) => sum + payload, 0);
  const ns = first === undefined || last === undefined ? 0 : Number(last.atNs - first.atNs);
  return {
    frames: [...counts.values()].sort((a, b) => b.count - a.count),
    goodput: ns === 0 ? 0 : (passed * 8 * 1e9) / ns,
  };
}

/**
 * All but what carries the rest of the data: the last datagram, or of TCP the segment at the end of
 * the sequence, which others may follow that are sent again, and which may be sent again itself.
 */
function withoutEnd(
  onLink: readonly DataPacket[],
  protocol: StreamEnds['protocol'],
): readonly DataPacket[] {
  if (protocol === 'udp') return onLink.slice(0, -1);
  const first = onLink[0]?.sequence ?? 0;
  // Numbers of the sequence wrap (RFC 9293, section 3.4).
  const endOf = ({ sequence, payload }: DataPacket): number => (sequence + payload - first) | 0;
  const end = onLink.reduce((highest, packet) => Math.max(highest, endOf(packet)), 0);
  return onLink.filter((packet) => endOf(packet) !== end);
}

/** What differs, in words; nothing where the stream is as predicted. */
export function judgeStream(
  predicted: StreamPrediction,
  measured: StreamMeasurement,
  what: 'frames and goodput' | 'frames alone' = 'frames and goodput',
): readonly string[] {
  const wrong = measured.frames.filter(
    ({ bytes, payload }) => bytes !== predicted.frameBytes || payload !== predicted.payload,
  );
  const off = measured.goodput / predicted.goodput - 1;
  return [
    ...wrong
      .slice(0, 3)
      .map(
        ({ bytes, payload, count }) =>
          `${count} frames of ${bytes} bytes with ${payload} of data; expected ` +
          `${predicted.frameBytes} with ${predicted.payload}`,
      ),
    ...(what === 'frames alone' || Math.abs(off) <= tolerance
      ? []
      : [
          `goodput ${megabits(measured.goodput)}, expected ${megabits(predicted.goodput)}: ` +
            `${(off * 100).toFixed(2)} % off`,
        ]),
  ];
}

export function megabits(bits: number): string {
  return `${(bits / 1e6).toFixed(3)} Mbit/s`;
}
