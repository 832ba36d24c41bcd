/** Timelines by hand: containers come to hypervisors step by step while others are there. */
import { assert } from '../../harness/base/errors/errors.js';
import type { Sequence, SequenceStep } from '../../harness/domain/timeline.js';
import type { Stimulus } from '../../harness/domain/test-vector.js';
import { gatewayOf } from './container-vectors.js';
import type { EngineCall } from './engine-calls.js';
import {
  called,
  inOneCourse,
  withContainers,
  type AttachedContainer,
  type ContrailCluster,
  type Overlay,
} from './contrail-cluster.js';
import { contrailCluster } from './tenants.js';

type Step = SequenceStep<ContrailCluster>;

/** A container's life as the hypervisor sees it: what of it is there. */
export type Presence = Pick<AttachedContainer, 'adapter' | 'port'>;

export const waiting: Presence = { adapter: 'connected', port: 'not added' };
export const injected: Presence = { adapter: 'absent', port: 'added' };
export const up: Presence = { adapter: 'connected', port: 'added' };
export const gone: Presence = { adapter: 'absent', port: 'not added' };

/** What happened, the calls by which it did, and what is promised of containers then. */
export function becomes(
  cluster: ContrailCluster,
  what: string,
  calls: readonly EngineCall[],
  promised: Readonly<Record<string, Presence>>,
): { readonly cluster: ContrailCluster; readonly step: Step } {
  const containers = cluster.containers.map((container) => ({
    ...container,
    ...promised[container.name],
  }));
  const next = called(withContainers(cluster, containers), calls);
  return { cluster: next, step: { kind: 'cluster', what, cluster: next } };
}

export function sends(id: string, stimulus: Stimulus): Step {
  return { kind: 'vector', vector: { id, stimulus } };
}

/**
 * A container of blue comes to h2 as the seed has it, beside one of blue on each hypervisor and one
 * of red: HNS makes its interface, it waits, the agent adds its port; then both go, in reverse.
 */
export function containerLife(overlay: Overlay): Sequence<ContrailCluster> {
  const place = { tenant: 'blue', network: 'front' };
  const first = contrailCluster(2, overlay, [
    { name: 'far', hypervisor: 'h1', ...place, address: 2 },
    { name: 'near', hypervisor: 'h2', ...place, address: 3 },
    { name: 'red', hypervisor: 'h2', tenant: 'red', network: 'front', address: 2 },
    { name: 'new', hypervisor: 'h2', ...place, address: 4, ...gone },
  ]);
  const container = 'new';
  const turn = (before: ContrailCluster, what: string, call: EngineCall, presence: Presence) =>
    becomes(before, `${what} of new`, [call], { new: presence });
  const making: EngineCall = { kind: 'run', container, holdsAfter: 9 };
  const removing: EngineCall = { kind: 'remove', container, holdsAfter: 'port deleted' };
  const continues: EngineCall = { kind: 'continues', container };
  const connected = turn(first, 'HNS connects the adapter', making, waiting);
  const added = turn(connected.cluster, 'the agent adds the port', continues, up);
  const deleted = turn(added.cluster, 'the agent deletes the port', removing, waiting);
  const removed = turn(deleted.cluster, 'HNS removes the endpoint', continues, gone);
  return inOneCourse({
    cluster: first,
    steps: [
      ...pings(first, '1-before', ['far', 'near', 'red']),
      connected.step,
      ...pings(connected.cluster, '2-waiting', ['far', 'near', 'red', 'new']),
      nativeDriver(connected.cluster, '2-waiting'),
      added.step,
      ...pings(added.cluster, '3-added', ['far', 'near', 'red', 'new']),
      nativeDriver(added.cluster, '3-added'),
      deleted.step,
      ...pings(deleted.cluster, '4-deleted', ['far', 'near', 'red', 'new']),
      removed.step,
      ...pings(removed.cluster, '5-removed', ['far', 'near', 'red']),
    ],
  });
}

/** Each of `senders` to every address that somebody has or had, its own aside, and by TCP. */
export function pings(
  { containers, virtualNetworks }: ContrailCluster,
  when: string,
  senders: readonly string[],
): readonly Step[] {
  return senders.flatMap((name) => {
    const from = containers.find((container) => container.name === name);
    const targets = containers.filter(({ ip }) => ip !== from?.ip);
    return [
      ...targets.flatMap(({ name: to, ip }) => [
        sends(`${when}/ping/${name}/${to}`, { kind: 'ping', from: name, to: ip }),
        sends(`${when}/tcp/${name}/${to}`, {
          kind: 'tcp',
          from: name,
          to: ip,
          port: 7,
          transmissions: 1,
        }),
      ]),
      sends(`${when}/arp/${name}/gateway`, {
        kind: 'arp',
        from: name,
        target: gatewayOf(virtualNetworks, from),
      }),
    ];
  });
}

/** A frame of h2's own stack for new. */
export function nativeDriver(
  { containers, nodes }: ContrailCluster,
  when: string,
  name = 'new',
): Step {
  const to = containers.find((container) => container.name === name);
  const node = nodes.find((each) => each.name === to?.hypervisor);
  assert(to !== undefined && node !== undefined, `${name} is a container somewhere`);
  return sends(`${when}/native/${node.name}/${name}`, {
    kind: 'frame',
    from: node.name,
    what: 'a ping by the native driver',
    frame: {
      src: node.underlay.mac,
      dst: to.mac,
      payload: { kind: 'echo-request', src: node.underlay.ip, dst: to.ip, ttl: 64 },
    },
  });
}
