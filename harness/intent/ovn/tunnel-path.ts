/** The path of what goes from chassis to chassis. */
import type { Crossing, PathIntent } from '../../domain/intent.js';
import type { Node } from '../../domain/topology.js';

/** By Geneve, straight: at `port` of both chassis, and at no third one. */
export function tunnelPath(from: Node, to: Node, port: string): readonly PathIntent[] {
  const there = { src: from.underlay.ip, dst: to.underlay.ip };
  const back = { src: there.dst, dst: there.src };
  const through = (node: Node, crossings: readonly Crossing[]): PathIntent => ({
    node: node.name,
    ports: [port],
    crossings,
  });
  return [
    through(from, [
      { direction: 'out', port, ...there },
      { direction: 'in', port, ...back },
    ]),
    through(to, [
      { direction: 'in', port, ...there },
      { direction: 'out', port, ...back },
    ]),
  ];
}
