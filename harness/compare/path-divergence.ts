/** The way through a node: what was promised against the frames that were seen. */
import type { Crossing, PathIntent } from '../domain/intent.js';
import type { Observation } from '../domain/observation.js';
import { decodeEthernet, etherTypes } from '../packet/protocols/link/ethernet.js';
import { viewOf } from '../packet/bytes/header-layout.js';
import { icmpTypes } from '../packet/protocols/ip/icmp.js';
import { decodeIpv4, ipProtocols } from '../packet/protocols/ip/ipv4.js';

/**
 * The first place at which the frames go another way than promised; undefined where there is none.
 */
export function pathDivergence(
  path: readonly PathIntent[],
  { frames }: Pick<Observation, 'frames'>,
): { readonly expected: string; readonly actual: string } | undefined {
  for (const { node, ports, crossings } of path) {
    const seen = distinct(
      frames
        .filter((event) => event.node === node && ports.includes(event.port))
        .flatMap(({ direction, port, frame }): readonly ObservedCrossing[] => {
          const addresses = addressesOf(frame);
          return addresses === undefined ? [] : [{ direction, port, ...addresses }];
        }),
    );
    const expected = crossings.map(
      (crossing) =>
        `${describe(crossing)}${crossing.mac === undefined ? '' : ` to ${crossing.mac}`}${portsPromised(crossing)}`,
    );
    const actual = seen.map(
      (crossing, index) =>
        `${describe(crossing)}${crossings[index]?.mac === undefined ? '' : ` to ${crossing.mac}`}${portsSeen(crossings[index], crossing)}`,
    );
    const at = Array.from(
      { length: Math.max(expected.length, actual.length) },
      (_, index) => index,
    ).find((index) => expected[index] !== actual[index]);
    if (at !== undefined)
      return {
        expected: `${node}, step ${at + 1} of the way: ${expected[at] ?? 'the way is over'}`,
        actual: `${node}, step ${at + 1} of the way: ${actual[at] ?? 'nothing more'}`,
      };
  }
  return undefined;
}

/** A crossing as it was seen, with all source ports of packets that crossed like that. */
interface ObservedCrossing extends Omit<Crossing, 'srcPorts'> {
  readonly fromPorts: readonly number[];
}

/** Each once, in the order in which they were first seen. */
function distinct(crossings: readonly ObservedCrossing[]): readonly ObservedCrossing[] {
  const met = new Map<string, ObservedCrossing>();
  for (const crossing of crossings) {
    const key = describe(crossing);
    met.set(key, {
      ...crossing,
      fromPorts: [...(met.get(key)?.fromPorts ?? []), ...crossing.fromPorts],
    });
  }
  return [...met.values()];
}

function portsPromised({ srcPorts }: Crossing): string {
  return srcPorts === undefined ? '' : `, from a port of ${srcPorts.first} to ${srcPorts.last}`;
}

/** As it is promised, or the first that differs. */
function portsSeen(promised: Crossing | undefined, { fromPorts }: ObservedCrossing): string {
  if (promised?.srcPorts === undefined) return '';
  const { first, last } = promised.srcPorts;
  const outside = fromPorts.find((port) => port < first || port > last);
  return outside === undefined ? portsPromised(promised) : `, from port ${outside}`;
}

function describe({ direction, port, src, dst }: Omit<Crossing, 'srcPorts'>): string {
  return `${src} > ${dst} ${direction === 'in' ? 'into' : 'out of'} ${port}`;
}

/** Undefined for what is not IPv4. */
function addressesOf(
  frame: Uint8Array,
): Pick<ObservedCrossing, 'src' | 'dst' | 'mac' | 'fromPorts'> | undefined {
  const ethernet = decodeEthernet(frame);
  if (ethernet?.header.etherType !== etherTypes.ipv4) return undefined;
  const ip = decodeIpv4(ethernet.payload);
  return ip === undefined
    ? undefined
    : {
        src: ip.header.src,
        dst: ip.header.dst,
        mac: ethernet.header.dst,
        fromPorts: sourcePort(ip.header.protocol, ip.payload),
      };
}

/** Of an echo request its identifier; none of what has neither. */
function sourcePort(protocol: number, payload: Uint8Array): readonly number[] {
  const hasPorts = protocol === ipProtocols.tcp || protocol === ipProtocols.udp;
  const isEcho = protocol === ipProtocols.icmp && payload[0] === icmpTypes.echoRequest;
  const place = hasPorts ? 0 : 4;
  return (hasPorts || isEcho) && payload.length >= place + 2
    ? [viewOf(payload).getUint16(place)]
    : [];
}
