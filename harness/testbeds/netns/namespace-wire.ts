/** A port's wire on a real kernel: what has come in at its device. */
import type { Wire } from '../sim/traffic/port-socket.js';

export interface NamespaceWire {
  /** What the carrier calls it. */
  readonly number: number;
  readonly kind: 'internal' | 'veth';
  readonly wire: Wire;
  /** The process that holds the namespace of the other end; missing for an internal port. */
  place: number | undefined;
  hostEnd: string | undefined;
  /** The number of its device. */
  readonly device: number | undefined;
  take(frame: Uint8Array): void;
  /** It is another device now, which counts from zero. */
  renew(device: number): void;
}

/**
 * @param answers says which frames the kernel answers that come out of the port.
 * @param asModelled puts what only the kernel could know to what the model has.
 * @param isTaken says which frames a tunnel of the kernel's takes from the port's device.
 */
export function createWire(
  number: number,
  port: string,
  kind: NamespaceWire['kind'],
  answers: (frame: Uint8Array) => boolean,
  isTaken: (frame: Uint8Array) => boolean,
  asModelled: (frame: Uint8Array) => Uint8Array,
): NamespaceWire {
  let waiting: Uint8Array[] = [];
  let [arrived, answered] = [0, 0];
  let device: number | undefined;
  let notify: () => void = () => undefined;
  return {
    number,
    kind,
    place: undefined,
    hostEnd: undefined,
    get device() {
      return device;
    },
    take: (frame) => {
      arrived++;
      if (answers(frame)) answered++;
      if (!isTaken(frame)) waiting.push(asModelled(frame));
      notify();
    },
    renew: (renewed) => {
      device = renewed;
      [arrived, answered, waiting] = [0, 0, []];
    },
    wire: {
      port,
      device: { type: 'system', options: {} },
      connected: Promise.resolve(),
      arrived: () => arrived,
      answered: () => answered,
      more: () => new Promise((resolve) => (notify = resolve)),
      take: () => waiting.splice(0),
      close: () => Promise.resolve(),
    },
  };
}
