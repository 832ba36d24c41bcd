/**
 * L0 on the way of what nodes and external hosts send each other, through a Windows node: the
 * design's "Host Traffic". What the host sends "enters OVS bridge and output to the uplink"; for
 * the reverse path it "enters OVS from the uplink interface first, and then directly output to the
 * bridge interface".
 */
import type { UnderlayHost } from '../../../domain/cluster-host.js';
import type { Crossing, PathIntent } from '../../../domain/intent.js';
import { gatewayName, portNamesOn, reversedCrossings } from '../path.js';

/**
 * Through each Windows node that has a part in it, and back; of a Linux node's network card no
 * design says how packets get there.
 */
export function hostTraffic(from: UnderlayHost, to: UnderlayHost): readonly PathIntent[] {
  const packet: Omit<Crossing, 'direction' | 'port'> = { src: from.ip, dst: to.ip };
  return [from, to].flatMap((station): readonly PathIntent[] => {
    if (station.os !== 'windows') return [];
    const { bridge, uplink } = portNamesOn(station);
    const there: readonly Crossing[] =
      station === from
        ? [
            { direction: 'in', port: bridge, ...packet },
            { direction: 'out', port: uplink, ...packet },
          ]
        : [
            { direction: 'in', port: uplink, ...packet },
            { direction: 'out', port: bridge, ...packet },
          ];
    return [
      {
        node: station.name,
        ports: [gatewayName, bridge, uplink],
        crossings: [...there, ...reversedCrossings(there)],
      },
    ];
  });
}
