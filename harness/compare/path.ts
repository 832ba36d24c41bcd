/** The way through a node: what was promised against the frames that were seen. */
import type { Crossing, PathIntent } from '../nouns/intent.js';
import type { Observation } from '../nouns/observation.js';
import { decodeEthernet, etherTypes } from '../packet/ethernet.js';
import { decodeIpv4 } from '../packet/ipv4.js';

/** The first place at which the frames go another way than promised; undefined where there is none. */
export function straying(path: readonly PathIntent[], { frames }: Pick<Observation, 'frames'>): { readonly expected: string; readonly actual: string } | undefined {
  for (const { node, ports, crossings } of path) {
    const seen = distinct(frames.filter((event) => event.node === node && ports.includes(event.port)).flatMap(({ direction, port, frame }): readonly Crossing[] => {
      const addresses = addressesOf(frame);
      return addresses === undefined ? [] : [{ direction, port, ...addresses }];
    }));
    const expected = crossings.map((crossing) => `${describe(crossing)}${crossing.mac === undefined ? '' : ` to ${crossing.mac}`}`);
    const actual = seen.map((crossing, index) => `${describe(crossing)}${crossings[index]?.mac === undefined ? '' : ` to ${crossing.mac}`}`);
    const at = Array.from({ length: Math.max(expected.length, actual.length) }, (_, index) => index).find((index) => expected[index] !== actual[index]);
    if (at !== undefined) return { expected: `${node}, step ${at + 1} of the way: ${expected[at] ?? 'the way is over'}`, actual: `${node}, step ${at + 1} of the way: ${actual[at] ?? 'nothing more'}` };
  }
  return undefined;
}

/** Each once, in the order in which they were first seen. */
function distinct(crossings: readonly Crossing[]): readonly Crossing[] {
  return [...new Map(crossings.map((crossing) => [describe(crossing), crossing])).values()];
}

function describe({ direction, port, src, dst }: Crossing): string {
  return `${src} > ${dst} ${direction === 'in' ? 'into' : 'out of'} ${port}`;
}

/** Undefined for what is not IPv4. */
function addressesOf(frame: Uint8Array): Pick<Crossing, 'src' | 'dst' | 'mac'> | undefined {
  const ethernet = decodeEthernet(frame);
  if (ethernet?.header.etherType !== etherTypes.ipv4) return undefined;
  const ip = decodeIpv4(ethernet.payload);
  return ip === undefined ? undefined : { src: ip.header.src, dst: ip.header.dst, mac: ethernet.header.dst };
}
