/** What network stacks around the switches do for a unit of traffic. */
import type { FrameEvent, Observation } from '../domain/observation.js';
import type { ClusterPlan } from '../domain/plan/cluster-plan.js';
import { dissect } from '../packet/dissect/dissect.js';
import type { TrafficPath } from './reference-paths.js';

/**
 * Stacks run on the time of who gives them a frame: the switch. `ends`: frames that reach an end of
 * a connection, outside as well; `crossings`: those that go out to the network between nodes, a
 * bridge of the kernel; `forwards`: those that a node routes on, and tracks, for it has a table of
 * NAT; `masquerades`: of these, those whose addresses it writes.
 */
export type StackWork = Readonly<Record<'ends' | 'crossings' | 'forwards' | 'masquerades', number>>;

export function stackWork(
  plan: ClusterPlan,
  { client, server, proxy }: TrafficPath,
  { frames }: Observation,
): StackWork {
  const kinds = new Map(
    plan.nodes.flatMap(({ node, bridges }) =>
      bridges.flatMap(({ ports }) => ports.map((port) => [`${node} ${port.name}`, port.kind])),
    ),
  );
  const isOutside = (plan.externalHosts ?? []).some(({ name }) => [client, server].includes(name));
  let [ends, crossings, forwards] = [0, 0, 0];
  for (const { direction, node, port } of frames) {
    if (direction !== 'out') continue;
    const kind = kinds.get(`${node} ${port}`);
    if (kind === 'uplink') {
      crossings++;
      ends += isOutside ? 1 : 0;
    } else if (kind === 'endpoint' || proxy !== undefined) ends++;
    else forwards++;
  }
  const masqueraded = proxy === undefined ? masquerades(plan, frames) : 0;
  return { ends, crossings, forwards, masquerades: masqueraded };
}

/**
 * What a node's stack gives to its switch it has routed: where addresses and ports are others than
 * in all that it was given, it has written them.
 */
function masquerades({ nodes }: ClusterPlan, frames: readonly FrameEvent[]): number {
  return nodes.reduce((sum, { node, hosts }) => {
    const stack = hosts.find(({ name }) => name === node);
    const ports = new Set(stack?.interfaces.map(({ port }) => port));
    const of = (direction: FrameEvent['direction']) =>
      frames
        .filter((one) => one.direction === direction && one.node === node && ports.has(one.port))
        .flatMap(({ frame }) => keysOf(frame));
    const given = new Set(of('out'));
    return sum + of('in').filter((key) => !given.has(key)).length;
  }, 0);
}

/** Addresses and ports of a frame that has them. */
function keysOf(frame: Uint8Array): readonly string[] {
  const values = dissect(frame).flatMap(({ name, value }) =>
    /^(ip|tcp|udp)\.(src|dst)$/.test(name) ? [value] : [],
  );
  return values.length === 4 ? [values.join(' ')] : [];
}
