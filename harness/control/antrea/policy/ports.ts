import { containerPortsOf } from '../../../kube/container-ports.js';
import type { PolicyPort } from '../../../kube/schemas/policies.js';
import type { KubePod, Protocol } from '../../../kube/schemas/workloads.js';

/** Ports with numbers. Without a port, all of the protocol. */
export interface NumberedPort {
  readonly protocol: Protocol;
  readonly range?: { readonly first: number; readonly last: number };
}

/**
 * The ports as they are at one pod: names stand for what its containers call so. A name that it
 * does not have is no port of it.
 */
export function portsAt(
  pod: KubePod | undefined,
  ports: readonly PolicyPort[],
): readonly NumberedPort[] {
  const named = pod === undefined ? [] : containerPortsOf(pod);
  return ports.flatMap(({ protocol, port, endPort }): readonly NumberedPort[] => {
    if (port === undefined) return [{ protocol }];
    if (typeof port === 'number')
      return [{ protocol, range: { first: port, last: endPort ?? port } }];
    return named
      .filter((candidate) => candidate.name === port && candidate.protocol === protocol)
      .map(({ containerPort }) => ({
        protocol,
        range: { first: containerPort, last: containerPort },
      }));
  });
}

/**
 * What flows match for a port, one each: `tcp,tp_dst=80`; of a range, as many aligned blocks as it
 * takes: `tcp,tp_dst=0x1f90/0xfffc`.
 */
export function portMatches({ protocol, range }: NumberedPort): readonly string[] {
  const name = protocol.toLowerCase();
  return range === undefined
    ? [name]
    : alignedBlocks(range.first, range.last).map(
        ({ first, size }) =>
          `${name},tp_dst=${size === 1 ? first : `${hex(first)}/${hex(0x10000 - size)}`}`,
      );
}

function alignedBlocks(
  first: number,
  last: number,
): readonly { readonly first: number; readonly size: number }[] {
  if (first > last) return [];
  let size = 1;
  while (first % (size * 2) === 0 && first + size * 2 - 1 <= last) size *= 2;
  return [{ first, size }, ...alignedBlocks(first + size, last)];
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}
